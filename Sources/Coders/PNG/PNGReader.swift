import CWebImagePNG
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// One pass of libpng over the pixels of one picture. The bytes must outlive it.
@safe struct PNGReader: ~Copyable {
    private let decoder: OpaquePointer
    private let size: PixelSize
    private let passCount: Int
    /// What to add to the library's count of bytes to find the place in the file; `nil` for pixels out of many places.
    private let base: Int?

    /// Reads the default picture, and checks its chunks as it goes.
    static func withDefaultPicture<Result>(
        of file: PNGFile, _ body: (borrowing PNGReader) throws(ImageError) -> Result
    ) throws(ImageError) -> Result {
        guard let range = file.pixels else {
            throw ImageError(.badImageData, .decode, "the png is truncated: it ends before its pixels")
        }
        let head = file.head(size: file.header.size)
        return try unsafe head.withImageBytes(of: .png) { head throws(ImageError) in
            try unsafe file.data.withImageBytes(of: .png) { bytes throws(ImageError) in
                let pixels = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
                let reader = try unsafe PNGReader(
                    head, pixels, of: file.header.size, file.header, base: range.lowerBound - head.count)
                try reader.start()
                return try body(reader)
            }
        }
    }

    /// Reads a frame.
    static func withPixels<Result>(
        _ pieces: PNGPieces, _ body: (borrowing PNGReader) throws(ImageError) -> Result
    ) throws(ImageError) -> Result {
        let stream = try stream(pieces)
        return try unsafe stream.withImageBytes(of: .png) { bytes throws(ImageError) in
            let nothing = unsafe UnsafeRawBufferPointer(rebasing: bytes[bytes.count...])
            let reader = try unsafe PNGReader(bytes, nothing, of: pieces.size, pieces.file.header, base: nil)
            try reader.start()
            return try body(reader)
        }
    }

    /// A PNG that has the frame as its picture. Its checksums are not looked at, as those of the file are.
    private static func stream(_ pieces: PNGPieces) throws(ImageError) -> Data {
        var stream = pieces.file.head(size: pieces.size)
        let count = pieces.ranges.reduce(0) { $0 + $1.count }
        guard count > 0, let length = UInt32(exactly: count), length <= Int32.max else {
            throw ImageError(.badImageData, .decode, "a frame of the animated png has no pixels")
        }
        stream.reserveCapacity(stream.count + count + 12)
        stream.append(bigEndian: length)
        stream.append(contentsOf: PNGChunkName.pixels.bytes)
        for range in pieces.ranges { stream.append(pieces.file.data.part(range)) }
        stream.append(bigEndian: 0)
        return stream
    }

    private init(
        _ head: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer, of size: PixelSize, _ header: PNGHeader,
        base: Int?
    ) throws(ImageError) {
        guard
            let decoder = unsafe cwebimage_png_open(
                head.baseAddress?.assumingMemoryBound(to: UInt8.self), head.count,
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        else { throw ImageError(.badImageData, .decode, "there is no memory for a png decoder") }
        unsafe self.decoder = decoder
        self.size = size
        self.base = base
        passCount = header.passCount
    }

    /// Reads up to the pixels.
    private func start() throws(ImageError) {
        guard unsafe cwebimage_png_start(decoder, base != nil) else { throw failure() }
    }

    deinit {
        unsafe cwebimage_png_close(decoder)
    }

    // MARK: Rows

    func decode(_ decoding: RowDecoding, _ monitor: DecodeMonitor) throws(ImageError) -> DecodedImage {
        guard passCount > 1 else {
            return try decoding.decode { sink throws(ImageError) in
                for y in 0..<size.height where !sink.isComplete {
                    try unsafe sink.withNextRow { row throws(ImageError) in try unsafe read(row, y) }
                }
            }
        }
        return try decoding.decode(readPasses(decoding.emptyPicture(size), monitor))
    }

    /// The pixels as they are, with straight alpha.
    func pixels(_ decoding: RowDecoding, _ monitor: DecodeMonitor) throws(ImageError) -> PixelBuffer {
        try readPasses(decoding.emptyPicture(size), monitor)
    }

    /// Reads into a whole picture, which one that is interlaced needs.
    private func readPasses(
        _ picture: consuming PixelBuffer, _ monitor: DecodeMonitor
    ) throws(ImageError) -> PixelBuffer {
        var pixels = picture
        let bytesPerRow = pixels.bytesPerRow
        for _ in 0..<passCount {
            try unsafe pixels.withUnsafeMutableBytes { bytes throws(ImageError) in
                for y in 0..<size.height {
                    if y & 15 == 0 { try monitor.check() }
                    let row = unsafe bytes[y * bytesPerRow..<(y + 1) * bytesPerRow]
                    try unsafe read(UnsafeMutableRawBufferPointer(rebasing: row), y)
                }
            }
        }
        return pixels
    }

    private func read(_ row: UnsafeMutableRawBufferPointer, _ y: Int) throws(ImageError) {
        guard unsafe cwebimage_png_read_row(decoder, row.baseAddress?.assumingMemoryBound(to: UInt8.self)) else {
            throw failure(atRow: y)
        }
    }

    private func failure(atRow row: Int? = nil) -> ImageError {
        let picture = base == nil ? "a frame of the animated png" : "the png"
        let place = (row.map { " at row \($0)" } ?? "") + (base.map { ", near byte \($0 + offset)" } ?? "")
        guard unsafe !cwebimage_png_hit_end(decoder) else {
            return ImageError(.badImageData, .decode, "\(picture) is truncated\(place): its pixels end too early")
        }
        let message = unsafe String(cString: cwebimage_png_message(decoder))
        return ImageError(.badImageData, .decode, "\(picture) is damaged\(place): \(message)")
    }

    private var offset: Int { unsafe cwebimage_png_offset(decoder) }
}
