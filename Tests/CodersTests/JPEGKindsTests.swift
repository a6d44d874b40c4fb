import Foundation
import Testing
import WebImageCore
import WebImageJPEG
import WebImagePixels

/// The pictures of `Tests/Fixtures/recipes/make_jpegs.sh`.
func jpegFixture(_ name: String, _ file: String = #filePath) throws -> Data {
    let tests = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
    return try Data(contentsOf: tests.appendingPathComponent("Fixtures/jpeg/\(name).jpg"))
}

@Suite struct JPEGKindsTests {
    static let names = ["gray", "rgb", "cmyk", "ycck", "arithmetic", "own_scans"]

    private func pixels(_ name: String) throws -> PixelBuffer {
        try JPEGCoder().decode(jpegFixture(name), options: DecodeOptions()).pixels
    }

    @Test func gray() throws {
        #expect(PixelColor.white.distance(to: try pixels("gray").color(x: 3, y: 8)) <= 2)
        #expect(PixelColor.black.distance(to: try pixels("gray").color(x: 28, y: 8)) <= 2)
    }

    @Test(arguments: ["rgb", "arithmetic", "own_scans"])
    func threeComponents(_ name: String) throws {
        let pixels = try pixels(name)
        #expect(PixelColor(255, 200, 255 - 64).distance(to: pixels.color(x: 3, y: 8)) <= 4)
        #expect(PixelColor(0, 200, 255 - 192).distance(to: pixels.color(x: 28, y: 24)) <= 4)
    }

    @Test("B35 ink without a profile is taken by the plain formula", arguments: ["cmyk", "ycck"])
    func B35_plainInk(_ name: String) throws {
        // Adobe stores what ink leaves of the light: 255 × light, 200 × light, 200 × light.
        let pixels = try pixels(name)
        #expect(PixelColor(191, 150, 150).distance(to: pixels.color(x: 3, y: 8)) <= 4)
        #expect(PixelColor(0, 49, 49).distance(to: pixels.color(x: 28, y: 24)) <= 4)
    }

    @Test("B35 an embedded profile is applied")
    func B35_profile() throws {
        let data = try fixture("icc_swapped.jpg")
        let converted = try JPEGCoder().decode(data, options: DecodeOptions()).pixels
        #expect(PixelColor.fullGreen.distance(to: converted.color(x: 8, y: 8)) <= 3)
        var options = DecodeOptions()
        options.colorConversion = .none
        let samples = try JPEGCoder().decode(data, options: options).pixels
        #expect(PixelColor.fullRed.distance(to: samples.color(x: 8, y: 8)) <= 3)
        #expect(try JPEGCoder().metadata(of: data, limits: DecodeLimits()).colorProfile == fixture("swapped_rg.icc"))
    }

    @Test("B35 a profile for other channels is passed over")
    func B35_foreignProfile() throws {
        for name in ["gray", "cmyk"] {
            let plain = try jpegFixture(name)
            let profile = try fixture("swapped_rg.icc")
            let body = Data("ICC_PROFILE\0".utf8) + [1, 1] + profile
            let count = body.count + 2
            let segment = Data([0xFF, 0xE2, UInt8(count >> 8), UInt8(count & 0xFF)]) + body
            let data = plain.prefix(2) + segment + plain.dropFirst(2)
            let pixels = try JPEGCoder().decode(data, options: DecodeOptions()).pixels
            #expect(try pixels.distance(to: self.pixels(name)) == 0)
        }
    }

    @Test("B31 every kind comes in pieces too", arguments: names)
    func B31_howeverCut(_ name: String) throws {
        try expectSameHoweverCut(JPEGCoder(), jpegFixture(name))
        try expectSameOfEveryPrefix(JPEGCoder(), jpegFixture(name), DecodeOptions())
    }

    @Test func otherKindsAreRefusedWithAReason() throws {
        let data = try fixture("base.jpg")
        let frame = try #require(data.indices.first { data[$0] == 0xFF && data[$0 + 1] == 0xC0 })
        var twelveBits = data
        twelveBits[frame + 4] = 12
        var lossless = data
        lossless[frame + 1] = 0xC3
        for (data, word) in [(twelveBits, "precision 12"), (lossless, "SOF type 0xc3")] {
            let error = failure { _ = try JPEGCoder().decode(data, options: DecodeOptions()) }
            #expect(error?.code == .badImageData)
            #expect(error?.message.contains("a jpeg of this kind is not read") == true)
            #expect(error?.message.contains(word) == true)
        }
    }

    @Test func aCancelledDecodeOfManyScansEnds() throws {
        let monitor = DecodeMonitor(limits: DecodeLimits()) { true }
        for data in try [fixture("progressive.jpg"), fixture("base.jpg")] {
            let error = failure { _ = try JPEGCoder().decode(data, options: DecodeOptions(), monitor: monitor) }
            #expect(error?.code == .cancelled)
        }
    }

    @Test("CO-08 transparency written as JPEG shows the background")
    func CO_08_background() throws {
        let image = try picture(PixelSize(20, 10), alpha: .premultiplied) { x, _ in x < 10 ? .clear : .fullRed }
        let options = EncodeOptions(quality: 1, backgroundColor: .black)
        let data = try JPEGCoder().encode(image, to: .jpeg, options: options)
        let pixels = try JPEGCoder().decode(data, options: DecodeOptions()).pixels
        #expect(pixels.size == image.pixelSize)
        #expect(PixelColor.black.distance(to: pixels.color(x: 1, y: 1)) <= 1)
    }

    @Test("CO-29 an orientation is applied once")
    func CO_29_orientation() throws {
        let data = try fixture("exif_3.jpg")
        let image = try JPEGCoder().decode(data, options: DecodeOptions())
        #expect(PixelColor.white.distance(to: image.pixels.color(x: 1, y: 1)) <= 3)
        // What is written stands upright and says nothing else.
        let again = try JPEGCoder().encode(image, to: .jpeg, options: EncodeOptions(quality: 1))
        #expect(try JPEGCoder().probe(again).orientation == .up)
        let pixels = try JPEGCoder().decode(again, options: DecodeOptions()).pixels
        #expect(PixelColor.white.distance(to: pixels.color(x: 1, y: 1)) <= 3)
    }

    @Test("B34 a picture that claims to be huge costs nothing")
    func B34_huge() throws {
        for name in ["base", "progressive"] {
            var data = try fixture("\(name).jpg")
            let frame = try #require(data.indices.first { data[$0] == 0xFF && [0xC0, 0xC2].contains(data[$0 + 1]) })
            data.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xDC, 0xFF, 0xDC])
            #expect(try JPEGCoder().probe(data).size == PixelSize(65_500, 65_500))
            for options in [DecodeOptions(), .thumbnail(10, 10)] {
                #expect(failure { _ = try JPEGCoder().decode(data, options: options) }?.code == .limitExceeded)
            }
        }
    }

    @Test("B34 the limit of time holds")
    func B34_time() throws {
        var options = DecodeOptions()
        options.limits.maxSeconds = 1e-9
        for data in try [fixture("progressive.jpg"), fixture("base.jpg")] {
            let error = failure { _ = try JPEGCoder().decode(data, options: options) }
            #expect(error?.code == .limitExceeded)
            #expect(error?.message.contains("maxSeconds") == true)
        }
    }
}
