import CWebImagePNG
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// One pass of libpng over one file. The bytes must outlive it.
@safe struct PNGReader: ~Copyable {
    private let decoder: OpaquePointer
    private var header: cwebimage_png_header

    /// Opens a file and reads everything before its pixels.
    static func open(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> PNGReader {
        var reader = try unsafe PNGReader(bytes)
        guard unsafe cwebimage_png_read_header(reader.decoder, &reader.header) else { throw reader.failure() }
        return reader
    }

    private init(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        guard
            let decoder = unsafe cwebimage_png_open(
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        else { throw ImageError(.badImageData, .decode, "there is no memory for a png decoder") }
        unsafe self.decoder = decoder
        header = cwebimage_png_header()
    }

    deinit {
        unsafe cwebimage_png_close(decoder)
    }

    func probe(_ chunks: PNGChunks) -> ImageProbe {
        let stored = PixelSize(Int(header.width), Int(header.height))
        let orientation = chunks.orientation
        return ImageProbe(
            format: .png, size: orientation.upright(stored), orientation: orientation, hasAlpha: header.has_alpha,
            frameCount: chunks.animation?.durations.count ?? 1, loopCount: chunks.animation?.loopCount,
            durations: chunks.animation?.durations ?? [], profileName: profileName())
    }

    func start() throws(ImageError) {
        guard unsafe cwebimage_png_start(decoder) else { throw failure() }
    }

    func decode(_ decoding: RowDecoding) throws(ImageError) -> DecodedImage {
        guard header.passes > 1 else {
            return try decoding.decode { sink throws(ImageError) in try giveRows(to: &sink) }
        }
        // An interlaced picture is not whole before its last pass.
        var pixels = try decoding.emptyPicture(decoding.storedSize)
        for _ in 0..<header.passes {
            try readPass(into: &pixels)
        }
        return try decoding.decode(pixels)
    }

    private func giveRows(to sink: inout DecodingSink) throws(ImageError) {
        for y in 0..<sink.sourceSize.height {
            try unsafe sink.withNextRow { row throws(ImageError) in try unsafe read(row, y) }
        }
    }

    private func readPass(into pixels: inout PixelBuffer) throws(ImageError) {
        let (height, bytesPerRow) = (pixels.height, pixels.bytesPerRow)
        try unsafe pixels.withUnsafeMutableBytes { bytes throws(ImageError) in
            for y in 0..<height {
                let row = unsafe bytes[y * bytesPerRow..<(y + 1) * bytesPerRow]
                try unsafe read(UnsafeMutableRawBufferPointer(rebasing: row), y)
            }
        }
    }

    private func read(_ row: UnsafeMutableRawBufferPointer, _ y: Int) throws(ImageError) {
        guard unsafe cwebimage_png_read_row(decoder, row.baseAddress?.assumingMemoryBound(to: UInt8.self)) else {
            throw failure(atRow: y)
        }
    }

    private func profileName() -> String? {
        var count = 0
        guard let bytes = unsafe cwebimage_png_profile(decoder, &count) else { return nil }
        return unsafe ICCProfileName.name(of: Data(bytes: bytes, count: count))
    }

    private func failure(atRow row: Int? = nil) -> ImageError {
        let place = row.map { " at row \($0)" } ?? ""
        let offset = unsafe cwebimage_png_offset(decoder)
        guard unsafe !cwebimage_png_hit_end(decoder) else {
            return ImageError(
                .badImageData, .decode, "the png is truncated\(place): it ends in a chunk near byte \(offset)")
        }
        let message = unsafe String(cString: cwebimage_png_message(decoder))
        return ImageError(.badImageData, .decode, "the png is damaged\(place), near byte \(offset): \(message)")
    }
}
