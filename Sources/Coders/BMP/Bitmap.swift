import WebImageCore
import WebImageFoundation
import WebImagePixels

/// A bitmap where it lies: in a file of its own, or in an icon.
struct Bitmap {
    let format: ImageFormat
    let data: Data
    let header: BMPHeader
    /// Of the picture.
    let size: PixelSize
    let pixelStart: Int

    private static let fileHeaderByteCount = 14

    /// The bitmap of a file.
    ///
    /// - Throws: `badImageData` for a header that cannot be read.
    init(file data: Data) throws(ImageError) {
        let reader = ByteReader(data, .littleEndian)
        guard FormatSniffer.format(of: data) == .bmp, let offset = reader.uint32(10) else {
            throw ImageError(.badImageData, .decode, "the bytes are no bmp, or are cut before its header")
        }
        let header = try BMPHeader(reader, at: Self.fileHeaderByteCount, of: .bmp)
        self.init(data, header, size: header.size, pixelsAt: offset, of: .bmp)
    }

    /// A bitmap inside an icon: without the header of a file, and with a mask behind it that doubles its height.
    ///
    /// - Throws: `badImageData` for a header that cannot be read.
    init(icon data: Data, at offset: Int) throws(ImageError) {
        let header = try BMPHeader(ByteReader(data, .littleEndian), at: offset, of: .ico)
        guard header.compression != .runLengths else { throw .unreadBitmap(.ico, "run lengths") }
        let size = PixelSize(header.size.width, header.size.height / 2)
        self.init(data, header, size: size, pixelsAt: 0, of: .ico)
    }

    /// - Parameter offset: Where the file says that pixels begin; before the end of the headers it means nothing.
    private init(_ data: Data, _ header: BMPHeader, size: PixelSize, pixelsAt offset: Int, of format: ImageFormat) {
        self.format = format
        self.data = data
        self.header = header
        self.size = size
        let paletteByteCount = header.toldColorCount * header.colorByteCount
        pixelStart = offset < header.paletteStart ? header.paletteStart + paletteByteCount : offset
    }

    /// As many colours as pixels can name; those that the file lacks are black.
    ///
    /// - Throws: `badImageData` when the pixels, and with them the palette, are to end behind the file.
    func palette() throws(ImageError) -> [SIMD4<UInt8>] {
        guard pixelStart <= data.count else {
            throw .damagedBitmap(
                format, "its header tells of pixels from byte \(pixelStart) on, but the file has \(data.count) bytes")
        }
        let room = (pixelStart - header.paletteStart) / header.colorByteCount
        let count = min(header.toldColorCount, header.mostColors, room)
        let bytes = data.span
        let colors = (0..<count).map { index in
            let offset = header.paletteStart + index * header.colorByteCount
            return SIMD4(bytes[offset + 2], bytes[offset + 1], bytes[offset], 255)
        }
        return colors + Array(repeating: SIMD4(0, 0, 0, 255), count: header.mostColors - count)
    }

    // MARK: Where rows lie

    /// The bytes that pixels of a row take, and those that a row takes: a multiple of 4.
    static func byteCounts(width: Int, bits: Int) -> (pixels: Int, row: Int) {
        ((width * bits + 7) / 8, (width * bits + 31) / 32 * 4)
    }

    /// The pixels of a row, in the order of the file.
    func range(ofRow row: Int) -> Range<Int> {
        let counts = Self.byteCounts(width: size.width, bits: header.bits)
        let start = pixelStart + row * counts.row
        return start..<start + counts.pixels
    }

    /// Where the rows end of which the last one may lack its padding.
    ///
    /// - Throws: `badImageData` when that is behind the end of the file.
    func end(ofRowsFrom start: Int, bits: Int, _ what: String) throws(ImageError) -> Int {
        let (pixels, row) = Self.byteCounts(width: size.width, bits: bits)
        let rest = data.count - start
        guard rest >= pixels, (size.height - 1) <= (rest - pixels) / row else {
            throw .truncatedBitmap(
                format,
                "in its \(what): \(size) of \(bits) bits from byte \(start) on are more than \(data.count) bytes")
        }
        return min(data.count, start + row * size.height)
    }
}
