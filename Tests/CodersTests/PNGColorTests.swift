import Foundation
import Testing
import WebImageCore
import WebImagePNG
import WebImagePixels

@Suite struct PNGColorTests {
    private func color(_ chunks: [UInt8], type: UInt8 = 2, _ pixel: [UInt8] = [255, 0, 0]) throws -> PixelColor? {
        let data = png(1, type: type, [pixel], chunks: chunks)
        return try PNGCoder().decode(data, options: DecodeOptions()).pixels.color(x: 0, y: 0)
    }

    private var swapped: [UInt8] {
        get throws {
            try pngChunk("iCCP", Array("x\0\0".utf8) + zlibStored([UInt8](fixture("swapped_rg.icc"))))
        }
    }

    @Test("B35 an embedded profile is applied, and handed on")
    func B35_profile() throws {
        let data = try fixture("icc_swapped.png")
        let converted = try PNGCoder().decode(data, options: DecodeOptions()).pixels
        #expect(PixelColor.fullGreen.distance(to: converted.color(x: 8, y: 8)) <= 3)
        var options = DecodeOptions()
        options.colorConversion = .none
        #expect(try PNGCoder().decode(data, options: options).pixels.color(x: 8, y: 8) == .fullRed)
        #expect(try PNGCoder().metadata(of: data, limits: DecodeLimits()).colorProfile == fixture("swapped_rg.icc"))
    }

    @Test("B35 a profile of colours does not change greys, a broken one nothing")
    func B35_foreignProfile() throws {
        let gray = try decoded("gray_rgbicc.png").pixels
        #expect(PixelColor(128, 128, 128).distance(to: gray.color(x: 1, y: 1)) <= 1)
        #expect(try decoded("bad_iccp.png").pixels.color(x: 0, y: 0) == PixelColor(10, 20, 30))
    }

    @Test func codePointsGoBeforeTheProfileAndTheProfileBeforeSRGB() throws {
        let standard = pngChunk("sRGB", [0])
        #expect(PixelColor.fullGreen.distance(to: try color(swapped + standard)) <= 3)
        #expect(try color(pngChunk("cICP", [1, 13, 0, 1]) + swapped) == .fullRed)
        // What is meant for video does not count.
        #expect(PixelColor.fullGreen.distance(to: try color(pngChunk("cICP", [1, 13, 1, 1]) + swapped)) <= 3)
        #expect(PixelColor.fullGreen.distance(to: try color(pngChunk("cICP", [1, 13, 0]) + swapped)) <= 3)
    }

    @Test func wideCodePointsAreConverted() throws {
        // Half a red of Display P3 is more than that of sRGB.
        let converted = try #require(try color(pngChunk("cICP", [12, 13, 0, 1]), [128, 64, 64]))
        #expect(converted.red > 130)
        #expect(converted.green < 64)
    }

    @Test func gammaIsAppliedUnlessSRGBIsSaid() throws {
        let linear = pngChunk("gAMA", bigEndian(100_000))
        let brighter = try #require(try color(linear, [55, 55, 55]))
        #expect(PixelColor(128, 128, 128).distance(to: brighter) <= 2)
        #expect(PixelColor(128, 128, 128).distance(to: try color(linear, type: 0, [55])) <= 2)
        #expect(try color(linear + pngChunk("sRGB", [0]), [55, 55, 55]) == PixelColor(55, 55, 55))
    }

    @Test func chromaticitiesCountWithAGammaOnly() throws {
        // Those of sRGB with red and green changed over.
        let points: [UInt32] = [31270, 32900, 30000, 60000, 64000, 33000, 15000, 6000]
        let chunk = pngChunk("cHRM", points.flatMap(bigEndian))
        #expect(try color(chunk) == .fullRed)
        #expect(PixelColor.fullGreen.distance(to: try color(chunk + pngChunk("gAMA", bigEndian(45455)))) <= 3)
    }

    @Test func nonsenseIsPassedOver() throws {
        let zeros = pngChunk("cHRM", [UInt8](repeating: 0, count: 32)) + pngChunk("gAMA", bigEndian(45455))
        let huge = pngChunk("cHRM", [UInt8](repeating: 0xFF, count: 32)) + pngChunk("gAMA", bigEndian(1))
        for chunks in [zeros, huge, pngChunk("gAMA", bigEndian(0)), pngChunk("gAMA", [1]), pngChunk("cHRM", [])] {
            #expect(try color(chunks)?.red == 255)
        }
    }

    @Test("B34 a profile that inflates without end is left out")
    func B34_profileBomb() throws {
        var limits = DecodeLimits()
        limits.maxMetadataByteCount = 587
        let data = try fixture("icc_swapped.png")
        #expect(try PNGCoder().metadata(of: data, limits: limits).colorProfile == nil)
        #expect(
            try PNGCoder().decode(data, options: DecodeOptions(limits: limits)).pixels.color(x: 8, y: 8) == .fullRed)
        limits.maxMetadataByteCount = 588
        #expect(try PNGCoder().metadata(of: data, limits: limits).colorProfile?.count == 588)
    }
}
