import CWebImageJPEG
import WebImageColor
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// One pass of libjpeg over one file. The bytes must outlive it.
@safe struct JPEGReader: ~Copyable {
    private let decoder: OpaquePointer
    private let byteCount: Int
    private var header: cwebimage_jpeg_header

    /// Opens a file and reads its header.
    static func open(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> JPEGReader {
        var reader = try unsafe JPEGReader(bytes)
        guard unsafe cwebimage_jpeg_read_header(reader.decoder, &reader.header) else { throw reader.failure() }
        return reader
    }

    private init(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        guard
            let decoder = unsafe cwebimage_jpeg_open(
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        else { throw ImageError(.badImageData, .decode, "there is no memory for a jpeg decoder") }
        unsafe self.decoder = decoder
        header = cwebimage_jpeg_header()
        byteCount = bytes.count
    }

    deinit {
        unsafe cwebimage_jpeg_close(decoder)
    }

    func probe() -> ImageProbe {
        let stored = PixelSize(Int(header.width), Int(header.height))
        let orientation = orientation()
        return ImageProbe(
            format: .jpeg, size: orientation.upright(stored), orientation: orientation, profileName: profileName())
    }

    /// Sets up the pixels; the answer is the size in which the rows will come.
    mutating func start(_ decoding: RowDecoding, limits: DecodeLimits) throws(ImageError) -> PixelSize {
        let (budget, overflow) = limits.maxPixelCount.multipliedReportingOverflow(by: Self.coefficientBytesPerPixel)
        let settings = cwebimage_jpeg_settings(
            max_memory: overflow ? .max : max(1, budget),
            max_scans: Self.maxScans(of: decoding.storedSize),
            scale_denominator: Self.scaleDenominator(from: decoding.storedSize, to: decoding.targetSize))
        guard unsafe cwebimage_jpeg_start(decoder, settings, &header) else { throw failure() }
        return PixelSize(Int(header.width), Int(header.height))
    }

    func giveRows(to sink: inout DecodingSink) throws(ImageError) {
        for y in 0..<sink.sourceSize.height {
            try unsafe sink.withNextRow { row throws(ImageError) in
                guard unsafe cwebimage_jpeg_read_row(decoder, row.baseAddress?.assumingMemoryBound(to: UInt8.self))
                else { throw failure(atRow: y) }
                if header.is_cmyk, header.is_adobe { unsafe Self.invert(row) }
            }
        }
        if unsafe cwebimage_jpeg_is_incomplete(decoder) { throw truncation() }
    }

    // MARK: Choices

    /// Up to four components of two bytes each, the most that a progressive file needs.
    private static let coefficientBytesPerPixel = 8

    /// Each scan of a progressive file walks over the whole picture, however few bytes it has, so a small file could
    /// ask for hours of work. Real ones have about ten scans.
    private static func maxScans(of size: PixelSize) -> Int32 {
        let affordable = (1 << 33) / max(1, size.pixelCount ?? .max)
        return Int32(min(500, max(50, affordable)))
    }

    /// How much smaller the cosine transform may make the picture and leave the resampler twice what it needs.
    private static func scaleDenominator(from source: PixelSize, to target: PixelSize) -> Int32 {
        guard source != target else { return 1 }
        let denominators = [8, 4, 2].filter { denominator in
            (source.width + denominator - 1) / denominator >= 2 * target.width
                && (source.height + denominator - 1) / denominator >= 2 * target.height
        }
        return Int32(denominators.first ?? 1)
    }

    // MARK: Metadata

    private func orientation() -> Orientation {
        var index: Int32 = 0
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        while unsafe cwebimage_jpeg_app1(decoder, index, &bytes, &count) {
            if let start = unsafe bytes {
                let block = unsafe Data(bytes: start, count: count)
                // XMP uses the same marker.
                if block.starts(with: "Exif\0\0".utf8) { return Orientation(exifBlock: block) ?? .up }
            }
            index += 1
        }
        return .up
    }

    var color: SourceColor { SourceColor(header.is_cmyk ? .cmyk : .rgb) }

    private func profileName() -> String? {
        var count = 0
        guard let bytes = unsafe cwebimage_jpeg_profile(decoder, &count) else { return nil }
        return unsafe ICCProfileName.name(of: Data(bytes: bytes, count: count))
    }

    // MARK: Colour

    /// Makes R, G, B, A of C, M, Y, K in place: (255 - C) × (255 - K) / 255. Adobe stores the inverse of the ink.
    /// Adobe's files hold what is left of the light, not the ink.
    private static func invert(_ row: UnsafeMutableRawBufferPointer) {
        for offset in row.indices { unsafe row[offset] = 255 - row[offset] }
    }

    // MARK: Errors

    private func failure(atRow row: Int? = nil) -> ImageError {
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
