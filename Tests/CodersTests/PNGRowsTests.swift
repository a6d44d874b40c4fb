import Foundation
import Testing
import WebImageCore
import WebImagePNG
import WebImagePixels
import WebImageTesting

/// What is decoded here is what libpng decodes. The twin of a file, with a byte behind its last row, is left to libpng.
@Suite struct PNGRowsTests {
    struct Kind: CustomTestStringConvertible {
        let type: UInt8
        let depth: UInt8
        var channels: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][type] ?? 0 }
        var testDescription: String { "colour type \(type), \(depth) bits" }
    }

    static let kinds: [Kind] =
        [1, 2, 4, 8, 16].map { Kind(type: 0, depth: $0) } + [8, 16].map { Kind(type: 2, depth: $0) }
        + [1, 2, 4, 8].map { Kind(type: 3, depth: $0) }
        + [4, 6].flatMap { type in [8, 16].map { Kind(type: type, depth: $0) } }

    /// Rows of noise that repeats, each with a filter of its own.
    private func rows(_ kind: Kind, _ size: PixelSize, _ random: inout SeededGenerator) -> [[UInt8]] {
        let count = (size.width * kind.channels * Int(kind.depth) + 7) / 8
        return (0..<size.height).map { y in
            [UInt8(y % 5)] + (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() & 0xC7) }
        }
    }

    private func file(_ kind: Kind, _ size: PixelSize, chunks: [UInt8], _ pixels: [UInt8]) -> Data {
        Data(
            pngHeader(size.width, size.height, depth: kind.depth, type: kind.type) + chunks + pngChunk("IDAT", pixels)
                + pngChunk("IEND", []))
    }

    private func chunks(_ kind: Kind, hasKey: Bool, _ random: inout SeededGenerator) -> [UInt8] {
        let palette = (0..<3 << min(kind.depth, 7)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let key: [UInt8] =
            switch kind.type {
            case 0: [0, kind.depth == 16 ? 0xC7 : 1]
            case 2: [0, 0xC3, 0, 0x41, 0, 0x80]
            case 3: [7, 200]
            default: []
            }
        return (kind.type == 3 ? pngChunk("PLTE", palette) : [])
            + (hasKey && !key.isEmpty ? pngChunk("tRNS", key) : [])
    }

    @Test("Every kind of pixel, filter and width gives what libpng gives", arguments: kinds)
    func everyKind(_ kind: Kind) throws {
        var random = SeededGenerator(seed: UInt64(kind.type) << 8 | UInt64(kind.depth))
        for (width, hasKey) in [(1, false), (2, true), (3, false), (5, true), (17, false), (64, true), (131, true)] {
            let size = PixelSize(width, 11)
            let chunks = chunks(kind, hasKey: hasKey, &random)
            let bytes = rows(kind, size, &random).flatMap(\.self)
            for options in [DecodeOptions(), .straight, .thumbnail(3, 3)] {
                let ours = try PNGCoder().decode(
                    file(kind, size, chunks: chunks, zlibStored(bytes)), options: options)
                let twin = try PNGCoder().decode(
                    file(kind, size, chunks: chunks, zlibStored(bytes + [0])), options: options)
                #expect(ours.pixels.allBytes == twin.pixels.allBytes, "\(width) wide")
                #expect(ours.pixels.layout == twin.pixels.layout)
            }
        }
    }

    @Test("16 bits become 8 as libpng makes them, all 65536")
    func everyWord() throws {
        let kind = Kind(type: 0, depth: 16)
        let bytes = (0..<256).flatMap { (y: Int) -> [UInt8] in
            [0] + (0..<256).flatMap { (x: Int) -> [UInt8] in [UInt8(y), UInt8(x)] }
        }
        let size = PixelSize(256, 256)
        let ours = try PNGCoder().decode(file(kind, size, chunks: [], zlibStored(bytes)), options: DecodeOptions())
        let twin = try PNGCoder().decode(
            file(kind, size, chunks: [], zlibStored(bytes + [0])), options: DecodeOptions())
        #expect(ours.pixels.allBytes == twin.pixels.allBytes)
    }

    @Test("Compressed by whatever codes, far matches and long runs, split anywhere: the same picture")
    func compressed() throws {
        // Wide enough that matches reach back through the whole window and over its end, several times.
        let noise = try picture(PixelSize(320, 150), alpha: .straight) { x, y in
            let value = (x * 7 ^ y * 13) &* 2_654_435_761
            return PixelColor(
                UInt8(truncatingIfNeeded: value >> 8), UInt8(x & 0xFF), y % 50 == 0 ? 9 : 200, UInt8(y & 0xFF))
        }
        let data = try PNGCoder().encode(noise, to: .png, options: EncodeOptions())
        let straight = try PNGCoder().decode(data, options: .straight).pixels
        #expect(straight.allBytes == noise.pixels.allBytes)
        for size in [3, 1000, 70_000] {
            let again = try PNGCoder().decode(split(data, into: size), options: .straight).pixels
            #expect(again.allBytes == noise.pixels.allBytes, "pieces of \(size)")
        }
    }

    @Test("B34 a hundred thousand chunks of one byte")
    func B34_manyChunks() throws {
        let size = PixelSize(1000, 33)
        let kind = Kind(type: 2, depth: 8)
        let bytes = (0..<size.height).flatMap { (y: Int) -> [UInt8] in
            [0] + [UInt8](repeating: UInt8(y), count: 3000)
        }
        let data = split(file(kind, size, chunks: [], zlibStored(bytes)), into: 1)
        #expect(try PNGCoder().decode(data, options: DecodeOptions()).pixels.color(x: 999, y: 32)?.red == 32)
    }

    @Test("Chunks without bytes between the others, and all bytes in the first of two")
    func emptyChunks() throws {
        let rows: [[UInt8]] = [[1, 2], [3, 4]]
        let pixels = pngPixels(rows)
        let head = pngHeader(2, 2, depth: 8, type: 0)
        for cut in 0...pixels.count {
            let data = Data(
                head + pngChunk("IDAT", Array(pixels[..<cut])) + pngChunk("IDAT", [])
                    + pngChunk("IDAT", Array(pixels[cut...])) + pngChunk("IEND", []))
            let grays = try PNGCoder().decode(data, options: DecodeOptions()).pixels.allColors.compactMap { $0?.red }
            #expect(grays == [1, 2, 3, 4], "cut at \(cut)")
            try expectSameHoweverCut(PNGCoder(), data)
        }
    }

    @Test("B34 what is compressed beyond the picture is not made")
    func B34_bomb() throws {
        // A megabyte of zeros behind a picture of one pixel.
        let bomb = try PNGCoder().encode(
            picture(PixelSize(500, 500), alpha: .straight) { _, _ in PixelColor(0, 0, 0, 0) }, to: .png,
            options: EncodeOptions())
        var small = Data(pngHeader(1, 1, depth: 8, type: 6))
        small.append(bomb.dropFirst(33))
        let pixels = try PNGCoder().decode(small, options: DecodeOptions()).pixels
        #expect(pixels.allBytes == [0, 0, 0, 0])
    }

    @Test("Damage is told where it is", arguments: [(2, "filter"), (13, "data")])
    func damage(_ row: Int, _ what: String) throws {
        var bytes = (0..<40).flatMap { (y: Int) -> [UInt8] in [0] + [UInt8](repeating: UInt8(y), count: 9) }
        var pixels = zlibStored(bytes)
        if what == "filter" {
            bytes[row * 10] = 5
            pixels = zlibStored(bytes)
        } else {
            pixels.replaceSubrange(2..., with: [7, 7, 7])
        }
        let data = file(Kind(type: 0, depth: 8), PixelSize(9, 40), chunks: [], pixels)
        let error = failure { _ = try PNGCoder().decode(data, options: DecodeOptions()) }
        #expect(error?.code == .badImageData)
        #expect(error?.message.contains("near byte") == true, "\(error?.message ?? "")")
        let partial = failure { _ = try IncrementalRun(PNGCoder(), data, pieces: 10) }
        #expect(partial?.code == .badImageData)
    }

    @Test("Rows below a region are not read, so that damage there is not met")
    func region() throws {
        let rows = (0..<200).map { y in [UInt8](repeating: UInt8(y), count: 1000) }
        let pixels = pngPixels(rows)
        let data = Data(
            pngHeader(1000, 200, depth: 8, type: 0) + pngChunk("IDAT", Array(pixels[..<150_000]))
                + pngChunk("IDAT", [UInt8](repeating: 0xFF, count: 50_000)) + pngChunk("IEND", []))
        var options = DecodeOptions()
        options.cropRect = PixelRect(x: 10, y: 5, width: 3, height: 7)
        let part = try PNGCoder().decode(data, options: options).pixels
        let expected = (5..<12).flatMap { (y: UInt8) in [UInt8](repeating: y, count: 3) }
        #expect(part.allColors.compactMap { $0?.red } == expected)
        #expect(failure { _ = try PNGCoder().decode(data, options: DecodeOptions()) } != nil)
    }

    /// The same file, its pixels in chunks of the given size.
    private func split(_ data: Data, into size: Int) -> Data {
        let bytes = [UInt8](data)
        var result = Array(bytes[..<8])
        let ofOneByte = (0...255).map { pngChunk("IDAT", [$0]) }
        var offset = 8
        while offset + 12 <= bytes.count {
            let count = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            let end = offset + 12 + count
            if bytes[offset + 4..<offset + 8].elementsEqual("IDAT".utf8) {
                for start in stride(from: offset + 8, to: end - 4, by: size) {
                    let piece = bytes[start..<min(end - 4, start + size)]
                    result += size == 1 ? ofOneByte[Int(bytes[start])] : pngChunk("IDAT", Array(piece))
                }
            } else {
                result += bytes[offset..<end]
            }
            offset = end
        }
        return Data(result)
    }
}
