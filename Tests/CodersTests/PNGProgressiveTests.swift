import Foundation
import Testing
import WebImageCore
import WebImagePNG
import WebImagePixels

@Suite struct PNGProgressiveTests {
    static let names = [
        "adam7_1x1", "adam7_1x9", "adam7_3x3", "adam7_5x2", "adam7_9x1", "apng_hidden", "bad_crc_text", "fill_2x6",
        "gray16_ramp", "halo_16", "icc_swapped", "la16", "pal_oob", "rot_3x2", "trailing_junk", "wide_550x5",
    ]

    @Test("B33 however the bytes are cut, the last picture is that of the whole file", arguments: names)
    func B33_howeverCut(_ name: String) throws {
        let data = try fixture("\(name).png")
        try expectSameHoweverCut(PNGCoder(), data)
        try expectSameHoweverCut(PNGCoder(), data, .thumbnail(2, 2))
    }

    @Test("B33 every prefix says what a whole decode of it says", arguments: ["adam7_5x2", "halo_16", "apng_hidden"])
    func B33_everyPrefix(_ name: String) throws {
        try expectSameOfEveryPrefix(PNGCoder(), fixture("\(name).png"), DecodeOptions())
    }

    @Test func rowsComeFromTheTop() throws {
        let rows = (0..<64).map { y in [UInt8](repeating: UInt8(y * 3), count: 40) }
        let data = png(40, type: 0, rows)
        let run = try IncrementalRun(PNGCoder(), data, pieces: 64)
        #expect(1...8 ~= run.partials.count)
        let partial = try #require(run.partials.first).pixels
        #expect(partial.color(x: 3, y: 2) == PixelColor(6, 6, 6))
        #expect(partial.color(x: 3, y: 63)?.alpha == 0)
        #expect(run.final.pixels.alpha == .opaque)
    }

    @Test func passesGrowFiner() throws {
        let data = try fixture("adam7_5x2.png")
        let run = try IncrementalRun(PNGCoder(), data, pieces: 1)
        #expect(run.partials.allSatisfy { $0.pixelSize == PixelSize(5, 2) })
    }

    @Test func anOrientationBehindThePixelsTurnsThem() throws {
        let exif = Array("MM\0*\0\0\0\u{8}\0\u{1}\u{1}\u{12}\0\u{3}\0\0\0\u{1}\0\u{6}\0\0\0\0\0\0".utf8)
        let data = png(2, type: 0, [[10, 20], [30, 40], [50, 60]], after: pngChunk("eXIf", exif))
        let whole = try PNGCoder().decode(data, options: DecodeOptions()).pixels
        #expect(whole.size == PixelSize(3, 2))
        #expect(whole.color(x: 0, y: 0)?.red == 50)
        try expectSameHoweverCut(PNGCoder(), Data(data.dropLast(0)))
        let run = try IncrementalRun(PNGCoder(), data, pieces: 1, .thumbnail(2, 2))
        #expect(try run.final.pixels.allBytes == PNGCoder().decode(data, options: .thumbnail(2, 2)).pixels.allBytes)
    }

    @Test("B25 a hidden default picture is never shown, and later frames come at the end")
    func B25_hidden() throws {
        let data = try fixture("apng_hidden.png")
        let run = try IncrementalRun(PNGCoder(), data, pieces: 1)
        #expect(run.partials.isEmpty)
        #expect(run.final.pixels.color(x: 0, y: 0) == .fullGreen)
        let second = try IncrementalRun(PNGCoder(), data, pieces: 7, DecodeOptions(frameIndex: 1))
        #expect(second.final.pixels.color(x: 0, y: 0) == .fullBlue)
    }

    @Test func whatFollowsTheLastRowIsJudgedAlike() throws {
        let rows: [[UInt8]] = [[1, 2], [3, 4]]
        let pixels = pngPixels(rows)
        let head = pngHeader(2, 2, depth: 8, type: 0)
        func file(_ pixels: [UInt8]) -> Data { Data(head + pngChunk("IDAT", pixels) + pngChunk("IEND", [])) }
        var wrong = pixels
        wrong[wrong.count - 1] ^= 1
        // A wrong checksum over all pixels, none, half of the last row, bytes too many.
        for pixels in [wrong, pixels.dropLast(4), pixels.dropLast(6)] {
            for size in [1, 200] {
                let error = failure { _ = try IncrementalRun(PNGCoder(), file(pixels), pieces: size) }
                #expect(error?.code == .badImageData)
            }
            #expect(failure { _ = try PNGCoder().decode(file(pixels), options: DecodeOptions()) } != nil)
        }
        try expectSameHoweverCut(PNGCoder(), file(pixels + [1, 2, 3]))
        expectSameOfEveryPrefix(PNGCoder(), file(pixels), DecodeOptions())
    }

    @Test("B34 limits hold as soon as the header is known")
    func B34_limits() throws {
        for name in ["bomb_50000.png", "bomb_30000_1bit.png"] {
            let decoder = PNGCoder().incrementalDecoder(options: DecodeOptions())
            #expect(failure { try decoder.append(fixture(name).prefix(69)) }?.code == .limitExceeded)
            #expect(failure { _ = try decoder.finish() }?.code == .limitExceeded)
        }
    }

    @Test func noBytesAreAnError() {
        let decoder = PNGCoder().incrementalDecoder(options: DecodeOptions())
        #expect(failure { _ = try decoder.finish() }?.message == "the png has no bytes")
    }

    @Test(arguments: ["adam7_5x2", "apng_hidden", "pal_oob"])
    func everyFlippedBitGivesAPictureOrOneError(_ name: String) throws {
        var data = try fixture("\(name).png")
        let options = DecodeOptions(limits: DecodeLimits(maxPixelCount: 1 << 14, maxDimension: 1 << 13))
        for index in data.indices {
            for bit in 0..<8 {
                data[index] ^= 1 << bit
                if let error = failure(of: { _ = try IncrementalRun(PNGCoder(), data, pieces: 30, options) }) {
                    #expect(error.message.contains("png"))
                }
                data[index] ^= 1 << bit
            }
        }
    }
}
