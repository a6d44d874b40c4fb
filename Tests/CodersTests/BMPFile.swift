import Foundation

/// A bitmap written field by field, also wrongly.
struct BMPFile {
    var width: Int32
    var height: Int32
    var bits: Int
    var compression = 0
    /// 12 for the header of OS/2 1, 40 to 124 for those of Windows.
    var headerByteCount = 40
    /// Blue, green, red and nothing; three bytes with a header of 12.
    var palette: [UInt8] = []
    /// As told; 0 is all that pixels can name.
    var colorCount = 0
    /// In the header, or behind one of 40 bytes.
    var masks: [UInt32] = []
    var pixels: [UInt8]
    /// Other bytes of the header, by their place in it.
    var fields: [Int: [UInt8]] = [:]

    /// The header, the palette and the pixels, as icons hold them.
    var bitmap: [UInt8] {
        guard headerByteCount != 12 else {
            return littleEndian(12) + short(Int(width)) + short(Int(height)) + short(1) + short(bits) + palette + pixels
        }
        var header =
            littleEndian(UInt32(headerByteCount)) + littleEndian(UInt32(bitPattern: width))
            + littleEndian(UInt32(bitPattern: height)) + short(1) + short(bits) + littleEndian(UInt32(compression))
            + [UInt8](repeating: 0, count: 12) + littleEndian(UInt32(colorCount)) + littleEndian(0)
        header += masks.flatMap(littleEndian)
        header += [UInt8](repeating: 0, count: max(0, headerByteCount - header.count))
        if headerByteCount < 40 { header = Array(header.prefix(headerByteCount)) }
        for (place, bytes) in fields { header.replaceSubrange(place..<place + bytes.count, with: bytes) }
        return header + palette + pixels
    }

    var data: Data {
        let bitmap = bitmap
        let size = littleEndian(UInt32(14 + bitmap.count)) + littleEndian(0)
        return Data(Array("BM".utf8) + size + littleEndian(UInt32(14 + bitmap.count - pixels.count)) + bitmap)
    }

    /// Red, green, blue, white.
    static let palette: [UInt8] = [0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0]

    /// 2×1 pixels of 32 bits with masks for blue, green, red and alpha in this order of bytes.
    static func masked(_ pixels: [UInt8], headerByteCount: Int = 56, compression: Int = 3) -> Data {
        BMPFile(
            width: 2, height: 1, bits: 32, compression: compression, headerByteCount: headerByteCount,
            masks: [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000], pixels: pixels
        ).data
    }

    /// Run lengths over four colours.
    static func runs(_ bits: Int, _ size: (Int32, Int32), _ codes: [UInt8]) -> Data {
        BMPFile(
            width: size.0, height: size.1, bits: bits, compression: bits == 8 ? 1 : 2, palette: palette,
            colorCount: 4, pixels: codes
        ).data
    }

    /// An icon, or a cursor, of the given pictures.
    static func icon(_ pictures: [[UInt8]], kind: UInt8 = 1) -> Data {
        var place = 6 + pictures.count * 16
        var list = [0, 0, kind, 0] + short(pictures.count)
        for picture in pictures {
            list += [0, 0, 0, 0, 1, 0, 32, 0] + littleEndian(UInt32(picture.count)) + littleEndian(UInt32(place))
            place += picture.count
        }
        return Data(list + pictures.flatMap { $0 })
    }
}

private func short(_ value: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
}
