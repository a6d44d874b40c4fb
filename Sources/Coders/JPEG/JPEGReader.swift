import CWebImageJPEG
import WebImageColor
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// libjpeg on one file, which is there as a whole or comes in pieces.
@safe struct JPEGReader: ~Copyable {
    let decoder: OpaquePointer
    private var byteCount: Int
    private let hasAllBytes: Bool
    private var header = cwebimage_jpeg_header()

    /// Opens a file and reads its header. The bytes must outlive the reader.
    static func open(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> JPEGReader {
        var reader = try unsafe JPEGReader(
            cwebimage_jpeg_open(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count),
            byteCount: bytes.count, hasAllBytes: true)
        _ = try reader.readHeader()
        return reader
    }

    /// A reader whose bytes come by `feed`.
    static func fed() throws(ImageError) -> JPEGReader {
        try unsafe JPEGReader(cwebimage_jpeg_open_fed(), byteCount: 0, hasAllBytes: false)
    }

    private init(_ decoder: OpaquePointer?, byteCount: Int, hasAllBytes: Bool) throws(ImageError) {
        guard let decoder = unsafe decoder else { throw Self.noMemory }
        unsafe self.decoder = decoder
        self.byteCount = byteCount
        self.hasAllBytes = hasAllBytes
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

    /// How many bytes came that were not used yet.
    var waitingByteCount: Int { unsafe cwebimage_jpeg_waiting_bytes(decoder) }

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

    /// As it is stored; good until the pixels are set up.
    var storedSize: PixelSize { PixelSize(Int(header.width), Int(header.height)) }

    func probe() -> ImageProbe {
        let orientation = exif.flatMap { Orientation(exifBlock: $0) } ?? .up
        return ImageProbe(
            format: .jpeg, size: orientation.upright(storedSize), orientation: orientation,
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

    /// Sets up the pixels; the answer is what rows will come. A reader that has all bytes leaves out what is not
    /// wanted.
    ///
    /// - Parameter denominator: How much smaller the picture is made; as much as the result allows when `nil`.
    mutating func start(
        _ decoding: RowDecoding, limits: DecodeLimits, denominator: Int? = nil
    ) throws(ImageError) -> JPEGRows {
        let steps = (Int(header.column_step), Int(header.row_step))
        let denominator = denominator ?? JPEGScale.denominator(of: decoding, steps)
        let settings = JPEGScale.settings(of: decoding, denominator, limits)
        guard unsafe cwebimage_jpeg_start(decoder, settings, &header) else { throw failure() }
        return JPEGRows(
            column: Int(header.first_column), row: hasAllBytes ? decoding.storedRegion.y / denominator : 0,
            width: Int(header.width), pictureHeight: Int(header.height), denominator: denominator)
    }

    /// Leaves out rows, a stretch at a time, so that the caller may stop in between.
    func skip(_ rowCount: Int, _ check: () throws(ImageError) -> Void) throws(ImageError) {
        for row in stride(from: 0, to: rowCount, by: 512) {
            try check()
            _ = try isReady(unsafe cwebimage_jpeg_skip_rows(decoder, Int32(min(512, rowCount - row))), atRow: row)
        }
    }

    /// `false` when more bytes are wanted first; then nothing was written.
    func read(_ row: UnsafeMutableRawBufferPointer, _ y: Int) throws(ImageError) -> Bool {
        let status = unsafe cwebimage_jpeg_read_row(decoder, row.baseAddress?.assumingMemoryBound(to: UInt8.self))
        guard try isReady(status, atRow: y) else { return false }
        // Adobe's files hold what is left of the light, not the ink.
        if header.is_cmyk, header.is_adobe {
            for offset in stride(from: 0, to: row.count, by: 4) {
                let pixel = unsafe row.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                unsafe row.storeBytes(of: ~pixel, toByteOffset: offset, as: UInt32.self)
            }
        }
        return true
    }

    /// Throws when some of the picture was made up because its bytes are missing.
    func checkIsComplete() throws(ImageError) {
        if unsafe cwebimage_jpeg_is_incomplete(decoder) { throw truncation() }
    }

    // MARK: Errors

    func isReady(_ status: cwebimage_jpeg_status, atRow row: Int? = nil) throws(ImageError) -> Bool {
        guard status != cwebimage_jpeg_failed else { throw failure(atRow: row) }
        return status == cwebimage_jpeg_ready
    }

    private static var noMemory: ImageError {
        ImageError(.badImageData, .decode, "there is no memory for a jpeg decoder")
    }

    func failure(atRow row: Int? = nil) -> ImageError {
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
