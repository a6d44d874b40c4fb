import WebImageCore
import WebImageFoundation
import WebImagePixels

/// The header of a bitmap as Windows (versions 1 to 5) and OS/2 (versions 1 and 2) write it.
struct BMPHeader: Sendable {
    /// How pixels lie in the file.
    enum Compression: Sendable {
        /// A number of the palette, or samples where Windows puts them.
        case none
        case runLengths
        /// Samples where masks say.
        case masks
    }

    /// Where it begins in the file.
    let start: Int
    let byteCount: Int
    /// As the header has it: in an icon, twice as high as the picture.
    let size: PixelSize
    let isTopDown: Bool
    /// Of a pixel: 1, 2, 4, 8, 16, 24 or 32.
    let bits: Int
    let compression: Compression
    /// Of the palette, as told; 0 stands for all that pixels can name.
    private let colorCount: Int
    /// Of red, green, blue and alpha; 0 where there is no such sample.
    let masks: [UInt32]
    /// Where the palette begins, or would.
    let paletteStart: Int

    /// How many colours of a palette pixels can name.
    var mostColors: Int { bits <= 8 ? 1 << bits : 0 }
    /// How many there are to be. Also pictures without numbers may have a palette, for poor screens.
    var toldColorCount: Int { colorCount == 0 ? mostColors : colorCount }
    /// Of a colour of the palette.
    var colorByteCount: Int { byteCount == Self.coreByteCount ? 3 : 4 }

    /// Of OS/2 1 and Windows 2.
    private static let coreByteCount = 12
    /// The first header of Windows, which all of its later ones begin with.
    static let infoByteCount = 40
    private static let windowsByteCounts = [infoByteCount, 52, 56, 108, 124]
    /// Any part of the whole one may be there.
    private static let os2ByteCounts = 16...64

    /// - Throws: `badImageData` for a header that is cut, of no known kind, or of a kind that is not read.
    init(_ reader: ByteReader, at start: Int, of format: ImageFormat) throws(ImageError) {
        let fields = try BMPHeaderFields(reader, at: start, of: format)
        self.start = start
        byteCount = fields.byteCount
        let isWindows = Self.windowsByteCounts.contains(byteCount)
        guard isWindows || byteCount == Self.coreByteCount || Self.os2ByteCounts.contains(byteCount) else {
            throw .damagedBitmap(format, "its header of \(byteCount) bytes is of no known kind")
        }
        if byteCount == Self.coreByteCount {
            size = PixelSize(fields.uint16(4), fields.uint16(6))
            (isTopDown, bits, colorCount) = (false, fields.uint16(10), 0)
        } else {
            let height = fields.int32(8)
            size = PixelSize(fields.int32(4), abs(height))
            (isTopDown, bits, colorCount) = (height < 0, fields.uint16(14), fields.uint32(32))
        }
        let number = byteCount == Self.coreByteCount ? 0 : fields.uint32(16)
        let method = try BMPCompressionMethod(number, isWindows: isWindows, bits: bits, of: format)
        compression = method.compression
        let maskCount = method == .alphaMasks || (method == .masks && byteCount >= 56) ? 4 : 3
        masks = try compression == .masks ? fields.masks(maskCount) : Self.usualMasks(bits, of: format)
        // Masks behind the first header are not part of it.
        paletteStart = start + (compression == .masks ? max(byteCount, 40 + maskCount * 4) : byteCount)
    }

    /// Of samples without masks. The fourth byte of a pixel is alpha in an icon, and nothing in a bitmap.
    private static func usualMasks(_ bits: Int, of format: ImageFormat) -> [UInt32] {
        switch bits {
        case 16: [0x7C00, 0x03E0, 0x001F, 0]
        case 32: [0xFF_0000, 0xFF00, 0xFF, format == .ico ? 0xFF00_0000 : 0]
        default: [0, 0, 0, 0]
        }
    }
}

/// The numbers of a header. What lies behind the end of a short one is 0.
private struct BMPHeaderFields {
    let byteCount: Int
    private let reader: ByteReader
    private let start: Int
    private let format: ImageFormat

    init(_ reader: ByteReader, at start: Int, of format: ImageFormat) throws(ImageError) {
        guard let byteCount = reader.uint32(start), reader.bytes(start, count: byteCount) != nil else {
            throw .truncatedBitmap(format, "in its header")
        }
        self.byteCount = byteCount
        self.reader = reader
        self.start = start
        self.format = format
    }

    func uint16(_ offset: Int) -> Int {
        offset + 2 <= byteCount ? reader.uint16(start + offset) ?? 0 : 0
    }

    func uint32(_ offset: Int) -> Int {
        offset + 4 <= byteCount ? reader.uint32(start + offset) ?? 0 : 0
    }

    func int32(_ offset: Int) -> Int {
        Int(Int32(truncatingIfNeeded: uint32(offset)))
    }

    /// Always four; they stand at one place, in the header or behind it.
    func masks(_ count: Int) throws(ImageError) -> [UInt32] {
        var masks: [UInt32] = [0, 0, 0, 0]
        for index in 0..<count {
            guard let mask = reader.uint32(start + BMPHeader.infoByteCount + index * 4) else {
                throw .truncatedBitmap(format, "in its masks")
            }
            masks[index] = UInt32(mask)
        }
        return masks
    }
}

/// What a header's number for the compression stands for.
private enum BMPCompressionMethod {
    case none
    case runLengths
    case masks
    case alphaMasks

    var compression: BMPHeader.Compression {
        switch self {
        case .none: .none
        case .runLengths: .runLengths
        case .masks, .alphaMasks: .masks
        }
    }

    init(_ number: Int, isWindows: Bool, bits: Int, of format: ImageFormat) throws(ImageError) {
        switch (number, bits) {
        case (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (0, 24), (0, 32): self = .none
        case (1, 8), (2, 4): self = .runLengths
        case (3, 16) where isWindows, (3, 32) where isWindows: self = .masks
        case (6, 16) where isWindows, (6, 32) where isWindows: self = .alphaMasks
        case (3, _) where !isWindows: throw .unreadBitmap(format, "OS/2's Huffman compression")
        case (4, _) where !isWindows: throw .unreadBitmap(format, "OS/2's run lengths of 24 bits")
        case (4, _): throw .unreadBitmap(format, "an embedded JPEG")
        case (5, _): throw .unreadBitmap(format, "an embedded PNG")
        case (11...13, _): throw .unreadBitmap(format, "CMYK")
        default:
            throw .damagedBitmap(format, "there is no compression \(number) with pixels of \(bits) bits")
        }
    }
}

extension ImageError {
    static func damagedBitmap(_ format: ImageFormat, _ what: String) -> ImageError {
        ImageError(.badImageData, .decode, "the \(format) is damaged: \(what)")
    }

    static func truncatedBitmap(_ format: ImageFormat, _ place: String) -> ImageError {
        ImageError(.badImageData, .decode, "the \(format) is truncated: it ends \(place)")
    }

    static func unreadBitmap(_ format: ImageFormat, _ what: String) -> ImageError {
        ImageError(.badImageData, .decode, "the \(format) holds \(what), which is not read; convert the file")
    }
}
