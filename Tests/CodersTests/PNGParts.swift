import Foundation
import WebImagePixels

/// The bytes in the form of zlib, stored without compression.
func zlibStored(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [0x78, 0x01]
    var rest = bytes[...]
    repeat {
        let block = rest.prefix(0xFFFF)
        rest = rest.dropFirst(block.count)
        let count = UInt16(block.count)
        result.append(rest.isEmpty ? 1 : 0)
        for number in [count, ~count] {
            result += [UInt8(number & 0xFF), UInt8(number >> 8)]
        }
        result += block
    } while !rest.isEmpty
    let sums = bytes.reduce((UInt32(1), UInt32(0))) { sums, byte in
        let first = (sums.0 + UInt32(byte)) % 65521
        return (first, (sums.1 + first) % 65521)
    }
    return result + bigEndian(sums.1 << 16 | sums.0)
}

/// What stands in an IDAT or fdAT chunk: rows without a filter.
func pngPixels(_ rows: [[UInt8]]) -> [UInt8] {
    zlibStored(rows.flatMap { [0] + $0 })
}

func pngHeader(_ width: Int, _ height: Int, depth: UInt8, type: UInt8) -> [UInt8] {
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        + pngChunk("IHDR", bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [depth, type, 0, 0, 0])
}

/// A still PNG; `chunks` stand before the pixels.
func png(
    _ width: Int, depth: UInt8 = 8, type: UInt8, _ rows: [[UInt8]], chunks: [UInt8] = [], after: [UInt8] = []
) -> Data {
    Data(
        pngHeader(width, rows.count, depth: depth, type: type) + chunks + pngChunk("IDAT", pngPixels(rows)) + after
            + pngChunk("IEND", []))
}

/// One frame of an animated PNG of RGBA pixels.
struct APNGPart {
    enum Disposal: UInt8 {
        case none, background, previous
    }

    enum Blending: UInt8 {
        case source, over
    }

    var x = 0
    var y = 0
    var width = 2
    var height = 2
    var color: [UInt8]
    var disposal = Disposal.none
    var blending = Blending.source
    var delay: (UInt8, UInt8) = (1, 10)

    var pixels: [UInt8] {
        pngPixels(Array(repeating: (0..<width).flatMap { _ in color }, count: height))
    }

    func control(_ number: UInt32) -> [UInt8] {
        let place = [width, height, x, y].flatMap { bigEndian(UInt32(bitPattern: Int32($0))) }
        return pngChunk(
            "fcTL",
            bigEndian(number) + place + [0, delay.0, 0, delay.1, disposal.rawValue, blending.rawValue])
    }
}

/// An animated PNG, its canvas 2×2; with a hidden default picture where a colour for it is given.
func apng(_ parts: [APNGPart], announced: Int? = nil, plays: Int = 0, hidden: [UInt8]? = nil) -> Data {
    var number: UInt32 = 0
    func next() -> UInt32 {
        defer { number += 1 }
        return number
    }
    var bytes = pngHeader(2, 2, depth: 8, type: 6)
    bytes += pngChunk("acTL", bigEndian(UInt32(announced ?? parts.count)) + bigEndian(UInt32(plays)))
    if let hidden { bytes += pngChunk("IDAT", APNGPart(color: hidden).pixels) }
    for (index, part) in parts.enumerated() {
        bytes += part.control(next())
        let isDefault = index == 0 && hidden == nil
        bytes += isDefault ? pngChunk("IDAT", part.pixels) : pngChunk("fdAT", bigEndian(next()) + part.pixels)
    }
    return Data(bytes + pngChunk("IEND", []))
}
