import Foundation
import Testing
import WebImageCore
import WebImagePNG
import WebImagePixels

@Suite struct PNGTests {
    @Test("B33 16-bit samples are scaled, neither clipped nor swapped")
    func B33_sixteenBit() throws {
        let ramp = try decoded("gray16_ramp.png").pixels.allColors
        for (color, expected) in zip(ramp, [0, 1, 18, 127, 254, 255] as [UInt8]) {
            #expect(PixelColor(expected, expected, expected).distance(to: color) <= 1)
        }
    }

    @Test("B33 grey with alpha", arguments: ["la8.png", "la16.png"])
    func B33_grayAlpha(_ name: String) throws {
        let pixels = try decoded(name).pixels
        #expect(pixels.alpha == .premultiplied)
        #expect(pixels.color(x: 0, y: 0) == PixelColor(200, 200, 200))
        // Premultiplied 8-bit memory keeps 50 of 100, which reads back as 100.
        #expect(pixels.color(x: 1, y: 0) == PixelColor(100, 100, 100, 128))
    }

    @Test("B33 interlaced", arguments: [(1, 1), (1, 9), (9, 1), (3, 3), (5, 2)])
    func B33_interlaced(_ width: Int, _ height: Int) throws {
        let pixels = try decoded("adam7_\(width)x\(height).png").pixels
        #expect(pixels.size == PixelSize(width, height))
        let expected = (0..<height).flatMap { y in (0..<width).map { x in UInt8(truncatingIfNeeded: 20 * x + 7 * y) } }
        #expect(pixels.allColors == expected.map { PixelColor($0, $0, $0) })
        let thumbnail = try decoded("adam7_\(width)x\(height).png", .thumbnail(2, 2))
        #expect(max(thumbnail.pixelSize.width, thumbnail.pixelSize.height) <= 2)
    }

    @Test("B33 faults beside the pixels cost nothing", arguments: ["bad_crc_text", "bad_iccp", "trailing_junk"])
    func B33_tolerated(_ name: String) throws {
        #expect(try decoded("\(name).png").pixels.allColors == [PixelColor(10, 20, 30)])
    }

    @Test("B33 a palette index outside the palette is black")
    func B33_paletteRange() throws {
        #expect(try decoded("pal_oob.png").pixels.allColors == [.fullRed, .fullGreen, .black, .black])
    }

    @Test("B33 a wrong checksum of pixels is an error")
    func B33_pixelChecksum() {
        #expect(failure { _ = try decoded("bad_crc_idat.png") }?.code == .badImageData)
    }

    @Test func aPictureOfNoWidthIsAnError() {
        let error = failure { _ = try decoded("zero_width.png") }
        #expect(error?.code == .badImageData)
        #expect(error?.message.contains("png") == true)
    }

    @Test func everyCutBeforeTheEndOfThePixelsIsAnError() throws {
        let data = try fixture("halo_16.png")
        for count in 1..<data.count - 12 {
            let error = failure { _ = try PNGCoder().decode(data.prefix(count), options: DecodeOptions()) }
            #expect(error?.code == .badImageData, "\(count) bytes")
        }
    }

    @Test("B34 room is not made for a chunk because it claims to be long")
    func B34_longChunk() throws {
        // libpng would clear a gigabyte, then find that the bytes end.
        let png = [UInt8](try fixture("px_10_20_30.png"))
        for name in ["pCAL", "tEXt", "eXIf", "zzZz"] {
            let chunk = [0x3F, 0xFF, 0xFF, 0xFF] + Array(name.utf8) + [0, 0, 0, 0]
            let error = failure {
                _ = try PNGCoder().decode(Data(png[..<33] + chunk + png[33...]), options: DecodeOptions())
            }
            #expect(error?.code == .badImageData)
        }
    }

    @Test("B33 transparency is found at the full depth of the samples")
    func B33_transparentKeys() throws {
        // All three are 0x12 in 8 bits; one is the key.
        let gray = png(
            3, depth: 16, type: 0, [[0x12, 0x34, 0x12, 0x35, 0x12, 0x33]], chunks: pngChunk("tRNS", [0x12, 0x34]))
        #expect(try alphas(gray) == [0, 255, 255])
        let rgb = png(
            2, depth: 16, type: 2, [[1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 7]],
            chunks: pngChunk("tRNS", [1, 2, 3, 4, 5, 6]))
        #expect(try alphas(rgb) == [0, 255])
        let bits = png(2, depth: 1, type: 0, [[0b1000_0000]], chunks: pngChunk("tRNS", [0, 1]))
        #expect(try alphas(bits) == [0, 255])
    }

    @Test("B33 a palette that only suggests colours does not cost the transparency")
    func B33_paletteBehindTransparency() throws {
        let chunks = pngChunk("tRNS", [0, 9, 0, 9, 0, 9]) + pngChunk("PLTE", [1, 2, 3])
        let data = png(2, type: 2, [[9, 9, 9, 9, 9, 8]], chunks: chunks)
        #expect(try PNGCoder().probe(data).hasAlpha)
        #expect(try alphas(data) == [0, 255])
        let palette = pngChunk("tRNS", [7]) + pngChunk("PLTE", [1, 2, 3])
        #expect(try alphas(png(1, type: 3, [[0]], chunks: palette)) == [7])
    }

    @Test func transparencyThatDoesNotSuitIsPassedOver() throws {
        for chunk in [[], [0], [0, 1, 2]] as [[UInt8]] {
            let data = png(1, type: 0, [[1]], chunks: pngChunk("tRNS", chunk))
            #expect(try !PNGCoder().probe(data).hasAlpha)
            #expect(try PNGCoder().decode(data, options: DecodeOptions()).pixels.alpha == .opaque)
        }
    }

    @Test func straightAlphaKeepsEveryColour() throws {
        let row: [UInt8] = (0...255).flatMap { (value: UInt8) -> [UInt8] in [value, 255 - value, 7, value / 3] }
        var options = DecodeOptions()
        options.alpha = .straight
        let pixels = try PNGCoder().decode(png(256, type: 6, [row]), options: options).pixels
        #expect(pixels.alpha == .straight)
        #expect(pixels.allBytes == row)
    }

    @Test func anUnknownCriticalChunkIsAnError() throws {
        let data = png(1, type: 0, [[1]], chunks: pngChunk("NEWX", []))
        let error = failure { _ = try PNGCoder().decode(data, options: DecodeOptions()) }
        #expect(error?.message.contains("the chunk NEWX is critical and unknown") == true)
        #expect(try PNGCoder().probe(png(1, type: 0, [[1]], after: pngChunk("NEWX", []))).size == PixelSize(1, 1))
    }

    @Test func onlyTheFirstRunOfPixelChunksCounts() throws {
        let other = pngChunk("tEXt", [0x61, 0]) + pngChunk("IDAT", pngPixels([[99]]))
        #expect(try decodedGrays(png(1, type: 0, [[1]], after: other)) == [1])
    }

    @Test("CO-30 a palette with alpha, and 16 bits with alpha")
    func CO_30_paletteAlpha() throws {
        let chunks = pngChunk("PLTE", [1, 2, 3, 153, 232, 232]) + pngChunk("tRNS", [255, 51])
        var options = DecodeOptions()
        options.alpha = .straight
        let indexed = try PNGCoder().decode(png(2, type: 3, [[1, 0]], chunks: chunks), options: options).pixels
        #expect(indexed.allColors == [PixelColor(153, 232, 232, 51), PixelColor(1, 2, 3)])
        let deep = png(1, depth: 16, type: 6, [[0x99, 0x99, 0xE8, 0x7F, 0xE8, 0x81, 0x33, 0x33]])
        // Rounded to nearest, neither cut off nor premultiplied.
        #expect(try PNGCoder().decode(deep, options: options).pixels.allBytes == [153, 232, 232, 51])
    }

    @Test("B34 the limit of time holds")
    func B34_time() throws {
        var options = DecodeOptions()
        options.limits.maxSeconds = 1e-9
        for name in ["halo_16.png", "adam7_5x2.png", "apng_hidden.png"] {
            #expect(failure { _ = try decoded(name, options) }?.message.contains("maxSeconds") == true, "\(name)")
        }
    }

    private func alphas(_ data: Data) throws -> [UInt8] {
        let pixels = try PNGCoder().decode(data, options: DecodeOptions()).pixels
        return pixels.allColors.compactMap { $0?.alpha }
    }

    private func decodedGrays(_ data: Data) throws -> [UInt8] {
        try PNGCoder().decode(data, options: DecodeOptions()).pixels.allColors.compactMap { $0?.red }
    }
}
