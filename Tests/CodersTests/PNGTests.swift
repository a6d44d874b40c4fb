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

    @Test func animationIsProbedAndItsDefaultPictureDecoded() throws {
        let data = try fixture("apng_hidden.png")
        let probe = try PNGCoder().probe(data)
        #expect(probe.frameCount == 2)
        #expect(probe.loopCount == 3)
        #expect(probe.durations == [100, 100])
        let image = try PNGCoder().decode(data, options: DecodeOptions())
        #expect(image.pixels.allColors == Array(repeating: .fullRed, count: 4))
        #expect(image.attributes.frameCount == 2)
        #expect(image.attributes.loopCount == 3)
        let error = failure { _ = try PNGCoder().decode(data, options: DecodeOptions(frameIndex: 1)) }
        #expect(error?.message.contains("ask for frame 0") == true)
    }

    @Test func aDenominatorOfZeroMeansHundredths() throws {
        let data = try animated([(3, 0), (1, 2), (0, 7)], announced: 3)
        #expect(try PNGCoder().probe(data).durations == [30, 500, 0])
    }

    @Test func moreFramesThanAnnouncedDoNotCount() throws {
        #expect(try PNGCoder().probe(animated([(1, 10), (1, 10), (1, 10)], announced: 2)).frameCount == 2)
        #expect(try PNGCoder().probe(animated([(1, 10)], announced: 0xFFFF_FFFF)).frameCount == 1)
        #expect(try PNGCoder().probe(animated([], announced: 5)).loopCount == nil)
    }

    /// A still PNG with animation chunks put before its pixels.
    private func animated(_ delays: [(UInt8, UInt8)], announced: UInt32) throws -> Data {
        let png = [UInt8](try fixture("px_10_20_30.png"))
        var chunks = pngChunk("acTL", bigEndian(announced) + bigEndian(0))
        for (numerator, denominator) in delays {
            chunks += pngChunk(
                "fcTL", [UInt8](repeating: 0, count: 20) + [0, numerator, 0, denominator, 0, 0])
        }
        return Data(png[..<33] + chunks + png[33...])
    }
}
