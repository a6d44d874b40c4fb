import Foundation
import Testing
import WebImageCore
import WebImagePixels

@Suite struct BombTests {
    static let names = [
        "bomb_50000.png", "bomb_32768x32769_rgba.png", "bomb_30000_1bit.png", "gif_canvas_65535.gif",
    ]

    @Test("B34 a picture over the limits is an error that names the limit", arguments: names)
    func B34_overTheLimits(_ name: String) {
        for options in [DecodeOptions(), .thumbnail(100, 100)] {
            let error = failure { _ = try decoded(name, options) }
            #expect(error?.code == .limitExceeded)
            #expect(error?.message.contains("raise DecodeLimits.maxPixelCount") == true)
        }
    }

    @Test("B34 the header of a bomb can be read", arguments: names)
    func B34_probed(_ name: String) throws {
        let size = try coders.probe(fixture(name)).size
        #expect(size.width >= 30_000)
    }

    @Test("B34 the limits are those of the options")
    func B34_limitsAreOptions() throws {
        var options = DecodeOptions(limits: DecodeLimits(maxPixelCount: 63))
        #expect(failure { _ = try decoded("square_8.png", options) }?.code == .limitExceeded)
        options.limits.maxPixelCount = 64
        #expect(try decoded("square_8.png", options).pixelSize == PixelSize(8, 8))
        options.limits.maxDimension = 7
        let error = failure { _ = try decoded("square_8.png", options) }
        #expect(error?.message.contains("DecodeLimits.maxDimension") == true)
    }

    @Test("B34 a frame far larger than its canvas is an error")
    func B34_largeFrameOnSmallCanvas() throws {
        var data = [UInt8](try fixture("gif_canvas_65535.gif"))
        let image = try #require(data.indices.dropFirst(13 + 384).first { data[$0] == 0x2C })
        data.replaceSubrange(6..<10, with: [4, 0, 4, 0])
        data.replaceSubrange(image + 5..<image + 9, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(failure { _ = try coders.decode(Data(data), options: DecodeOptions()) }?.code == .limitExceeded)
    }
}
