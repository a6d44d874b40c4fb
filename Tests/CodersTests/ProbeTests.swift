import Foundation
import Testing
import WebImageCore
import WebImagePixels

@Suite struct ProbeTests {
    struct Animation: Sendable {
        let name: String
        let durations: [Int]
        let loopCount: Int?
        /// What a decoded picture says, which always knows.
        let decodedLoopCount: Int
    }

    static let animations = [
        Animation(name: "gif_delays.gif", durations: [0, 10, 20, 100], loopCount: nil, decodedLoopCount: 1),
        Animation(name: "gif_delays_loop0.gif", durations: [0, 10, 20, 100], loopCount: 0, decodedLoopCount: 0),
        Animation(name: "gif_loop2.gif", durations: [30, 30], loopCount: 2, decodedLoopCount: 3),
        Animation(name: "gif_prev_chain.gif", durations: [100, 100, 100, 100], loopCount: 0, decodedLoopCount: 0),
        Animation(name: "webp_ops.webp", durations: [100, 100, 100], loopCount: 1, decodedLoopCount: 1),
        Animation(name: "webp_zero_ms.webp", durations: [0, 0], loopCount: 0, decodedLoopCount: 0),
        Animation(name: "apng_hidden.png", durations: [100, 100], loopCount: 3, decodedLoopCount: 3),
    ]

    @Test(arguments: animations)
    func timesAndPasses(_ animation: Animation) throws {
        let data = try fixture(animation.name)
        let probe = try coders.probe(data)
        #expect(probe.durations == animation.durations)
        #expect(probe.frameCount == animation.durations.count)
        #expect(probe.loopCount == animation.loopCount)
        let attributes = try coders.decode(data, options: DecodeOptions(scaleFactor: 2)).attributes
        #expect(attributes.frameCount == animation.durations.count)
        #expect(attributes.loopCount == animation.decodedLoopCount)
        #expect(attributes.scale == 2)
        #expect(attributes.format == probe.format)
    }

    @Test func stillPictures() throws {
        let still = try coders.probe(fixture("halo_16.png"))
        #expect(still == ImageProbe(format: .png, size: PixelSize(16, 16), hasAlpha: true))
        #expect(try coders.probe(fixture("s5250x3450.png")).size == PixelSize(5250, 3450))
        #expect(try coders.probe(fixture("base.jpg")) == ImageProbe(format: .jpeg, size: PixelSize(64, 64)))
    }

    @Test func twoThousandFrames() throws {
        let probe = try coders.probe(fixture("gif_2000_frames.gif"))
        #expect(probe.frameCount == 2000)
        #expect(probe.durations == Array(repeating: 20, count: 2000))
        #expect(probe.hasAlpha)
    }

    @Test func alpha() throws {
        // Transparent indices, a first frame that leaves canvas bare, and neither.
        #expect(try coders.probe(fixture("gif_first_small_prev.gif")).hasAlpha)
        #expect(try coders.probe(fixture("gif_first_small_prev_noflag.gif")).hasAlpha)
        #expect(try !coders.probe(fixture("gif_delays.gif")).hasAlpha)
        #expect(try decoded("gif_delays.gif").pixels.alpha == .opaque)
        #expect(try decoded("gif_prev_chain.gif").pixels.alpha == .premultiplied)
    }

    @Test("the profile's name", arguments: ["icc_swapped.png", "icc_swapped.jpg", "icc_swapped.webp"])
    func profileName(_ name: String) throws {
        #expect(try coders.probe(fixture(name)).profileName == "sRGB built-in")
    }

    @Test func noProfile() throws {
        #expect(try coders.probe(fixture("base.jpg")).profileName == nil)
        #expect(try coders.probe(fixture("bad_iccp.png")).profileName == nil)
    }

    @Test func profileTexts() throws {
        let version2 = profile(Array("desc".utf8) + bigEndian(0) + bigEndian(4) + Array("Abc\0".utf8))
        #expect(ICCProfileName.name(of: version2) == "Abc")
        let text = "Grün".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        let record = Array("deDE".utf8) + bigEndian(UInt32(text.count)) + bigEndian(28)
        let version4 = profile(Array("mluc".utf8) + bigEndian(0) + bigEndian(1) + bigEndian(12) + record + text)
        #expect(ICCProfileName.name(of: version4) == "Grün")
        for count in 0..<version4.count {
            #expect(ICCProfileName.name(of: version4.prefix(count)) == nil)
        }
        let endless = profile(Array("mluc".utf8) + bigEndian(0) + bigEndian(.max) + bigEndian(12))
        #expect(ICCProfileName.name(of: endless) == nil)
    }

    /// A profile with one tag.
    private func profile(_ tag: [UInt8]) -> Data {
        Data(
            [UInt8](repeating: 0, count: 128) + bigEndian(1) + Array("desc".utf8) + bigEndian(144)
                + bigEndian(UInt32(tag.count)) + tag)
    }
}
