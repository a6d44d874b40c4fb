import CWebImageJPEG
import WebImageColor
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// libjpeg on one file, which is there as a whole or comes in pieces.
@safe struct JPEGReader: ~Copyable {
    private let decoder: OpaquePointer
    private var byteCount: Int
    private var header = cwebimage_jpeg_header()

    /// Opens a file and reads its header. The bytes must outlive the reader.
    static func open(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> JPEGReader {
        var reader = try unsafe JPEGReader(
            cwebimage_jpeg_open(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count),
            byteCount: bytes.count)
        _ = try reader.readHeader()
        return reader
    }

    /// A reader whose bytes come by `feed`.
    static func fed() throws(ImageError) -> JPEGReader {
        try unsafe JPEGReader(cwebimage_jpeg_open_fed(), byteCount: 0)
    }

    private init(_ decoder: OpaquePointer?, byteCount: Int) throws(ImageError) {
        guard let decoder = unsafe decoder else { throw Self.noMemory }
        unsafe self.decoder = decoder
        self.byteCount = byteCount
    }

    deinit {
        unsafe cwebimage_jpeg_close(decoder)
    }

    // MARK: Bytes

    mutating func feed(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        guard
            unsafe cwebimage_jpeg_feed(decoder, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        else { throw Self.noMemory }
        byteCount += bytes.count
    }

    func endFeeding() {
        unsafe cwebimage_jpeg_end_feeding(decoder)
    }

    // MARK: Header

    /// `false` when more bytes are wanted first.
    mutating func readHeader() throws(ImageError) -> Bool {
        try isReady(unsafe cwebimage_jpeg_read_header(decoder, &header))
    }

    /// Whether the picture comes in several scans, which are gathered before rows can be read.
    var hasScans: Bool { header.has_scans }

    /// Whether pixels can be read only when all bytes are there.
    var cannotWait: Bool { header.cannot_wait }

    func probe() -> ImageProbe {
        let stored = PixelSize(Int(header.width), Int(header.height))
        let orientation = exif.flatMap { Orientation(exifBlock: $0) } ?? .up
        return ImageProbe(
            format: .jpeg, size: orientation.upright(stored), orientation: orientation,
            profileName: profile.flatMap(ICCProfileName.name))
    }

    /// The embedded profile, whatever channels it is for; one over the limit is left out.
    func color(limits: DecodeLimits) -> SourceColor {
        let channels: SourceColor.Channels = header.is_cmyk ? .cmyk : header.is_gray ? .gray : .rgb
        guard let profile, profile.count <= limits.maxMetadataByteCount else { return SourceColor(channels) }
        return SourceColor(channels, .profile(profile))
    }

    /// The segments of an APP marker that begin with the given text, without it.
    func segments(_ code: Int32, _ prefix: String) -> [Data] {
        var found: [Data] = []
        var index: Int32 = 0
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        while unsafe cwebimage_jpeg_marker(decoder, code, index, &bytes, &count) {
            if let start = unsafe bytes {
                let segment = unsafe Data(bytes: start, count: count)
                if segment.starts(with: prefix.utf8) { found.append(Data(segment.dropFirst(prefix.utf8.count))) }
            }
            index += 1
        }
        return found
    }

    var profile: Data? {
        var count = 0
        guard let bytes = unsafe cwebimage_jpeg_profile(decoder, &count) else { return nil }
        return unsafe Data(bytes: bytes, count: count)
    }

    // MARK: Pixels

    /// Sets up the pixels; the answer is the size in which the rows will come.
    mutating func start(_ decoding: RowDecoding, limits: DecodeLimits) throws(ImageError) -> PixelSize {
        let settings = JPEGScale.settings(
            from: decoding.storedSize, showing: decoding.storedRegion.size, to: decoding.targetSize, limits)
        guard unsafe cwebimage_jpeg_start(decoder, settings, &header) else { throw failure() }
        return PixelSize(Int(header.width), Int(header.height))
    }

    enum Progress {
        /// There is more to gather.
        case some
        /// More bytes are wanted first.
        case starved
        case all
    }

    /// Gathers some of a picture that comes in several scans.
    func gather() throws(ImageError) -> Progress {
        switch unsafe cwebimage_jpeg_consume(decoder, 64) {
        case cwebimage_jpeg_ready: .some
        case cwebimage_jpeg_starved: .starved
        case cwebimage_jpeg_done: .all
        default: throw failure()
        }
    }

    var completedScanCount: Int { unsafe Int(cwebimage_jpeg_completed_scans(decoder)) }

    /// Begins to make rows; `false` when more bytes are wanted first.
    func beginPass() throws(ImageError) -> Bool {
        try isReady(unsafe cwebimage_jpeg_begin_pass(decoder))
    }

    /// `false` when more bytes are wanted first; then nothing was written.
    func read(_ row: UnsafeMutableRawBufferPointer, _ y: Int) throws(ImageError) -> Bool {
        let status = unsafe cwebimage_jpeg_read_row(decoder, row.baseAddress?.assumingMemoryBound(to: UInt8.self))
        guard try isReady(status, atRow: y) else { return false }
        // Adobe's files hold what is left of the light, not the ink.
        if header.is_cmyk, header.is_adobe {
            for offset in row.indices { unsafe row[offset] = ~row[offset] }
        }
        return true
    }

    /// Throws when some of the picture was made up because its bytes are missing.
    func checkIsComplete() throws(ImageError) {
        if unsafe cwebimage_jpeg_is_incomplete(decoder) { throw truncation() }
    }

    // MARK: Errors

    private func isReady(_ status: cwebimage_jpeg_status, atRow row: Int? = nil) throws(ImageError) -> Bool {
        guard status != cwebimage_jpeg_failed else { throw failure(atRow: row) }
        return status == cwebimage_jpeg_ready
    }

    private static var noMemory: ImageError {
        ImageError(.badImageData, .decode, "there is no memory for a jpeg decoder")
    }

    private func failure(atRow row: Int? = nil) -> ImageError {
        if unsafe cwebimage_jpeg_is_unsupported(decoder) {
            return ImageError(
                .badImageData, .decode,
                "a jpeg of this kind is not read, only those of 8 bits that are baseline, progressive or arithmetic: "
                    + message)
        }
        if unsafe cwebimage_jpeg_hit_end(decoder) { return truncation() }
        let place = row.map { " at row \($0)" } ?? ""
        return ImageError(.badImageData, .decode, "the jpeg is damaged\(place): \(message)")
    }

    private func truncation() -> ImageError {
        guard unsafe cwebimage_jpeg_hit_end(decoder) else {
            return ImageError(.badImageData, .decode, "the jpeg lacks pixel data: \(message)")
        }
        let reason = message.isEmpty ? "" : " (\(message))"
        return ImageError(
            .badImageData, .decode,
            "the jpeg is truncated: it ends after \(byteCount) bytes, before its picture does\(reason)")
    }

    private var message: String {
        unsafe String(cString: cwebimage_jpeg_message(decoder))
    }
}
