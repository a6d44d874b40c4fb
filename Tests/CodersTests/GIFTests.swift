import Foundation
import Testing
import WebImageCore
import WebImageGIF
import WebImagePixels

@Suite struct GIFTests {
    static let places: [(x: Int, y: Int)] = [(0, 0), (1, 1), (2, 2), (3, 3), (0, 3)]

    private func colors(_ name: String, _ index: Int) throws -> [PixelColor?] {
        try frame(index, of: name).colors(Self.places)
    }

    @Test("B22 undoing the first, small frame leaves the bare canvas", arguments: ["", "_noflag"])
    func B22_firstSmallPrevious(_ tag: String) throws {
        let name = "gif_first_small_prev\(tag).gif"
        #expect(try colors(name, 0) == [.clear, .fullRed, .fullRed, .clear, .clear])
        #expect(try colors(name, 1) == [.fullBlue, .fullBlue, .clear, .clear, .clear])
        #expect(try colors(name, 2) == [.clear, .clear, .clear, .fullGreen, .clear])
    }

    @Test("B22 the last frame adds one pixel")
    func B22_lastFrame() throws {
        #expect(try colors("gif_first_small_prev.gif", 3) == [.clear, .clear, .clear, .fullGreen, .white])
    }

    @Test("B22 only the frame's own place is cleared, to transparent", arguments: ["", "_noflag"])
    func B22_backgroundRegion(_ tag: String) throws {
        #expect(try colors("gif_bg_region\(tag).gif", 2) == [.white, .clear, .clear, .fullRed, .fullRed])
        #expect(try coders.probe(fixture("gif_bg_region\(tag).gif")).hasAlpha)
    }

    @Test("B22 a chain of undone frames", arguments: ["", "_noflag"])
    func B22_previousChain(_ tag: String) throws {
        #expect(try colors("gif_prev_chain\(tag).gif", 2) == [.fullRed, .fullRed, .white, .white, .fullRed])
        #expect(try colors("gif_prev_chain\(tag).gif", 3) == [.fullGreen, .fullRed, .fullRed, .fullRed, .fullRed])
    }

    @Test func theLastOfTwoThousandFrames() throws {
        let last = try frame(1999, of: "gif_2000_frames.gif")
        #expect(last.colors([(999, 0), (0, 0), (5, 0), (0, 1)]) == [.white, .fullRed, .fullGreen, .clear])
    }

    @Test func aFrameThatIsNotThereIsAnError() {
        for index in [-1, 2, .max] {
            let error = failure { _ = try frame(index, of: "gif_loop2.gif") }
            #expect(error?.code == .badImageData)
            #expect(error?.message.contains("2 frame(s)") == true)
        }
    }

    @Test func theTrailerMayBeMissingButNoByteOfAFrame() throws {
        let data = try fixture("gif_bg_region.gif")
        let whole = try GIFCoder().decode(data, options: DecodeOptions(frameIndex: 2)).pixels
        let withoutTrailer = try GIFCoder().decode(data.dropLast(), options: DecodeOptions(frameIndex: 2)).pixels
        #expect(withoutTrailer.distance(to: whole) == 0)
        let error = failure { _ = try GIFCoder().decode(data.dropLast(2), options: DecodeOptions()) }
        #expect(error?.code == .badImageData)
        #expect(error?.message.contains("truncated") == true)
    }

    @Test func framesAreClippedToTheCanvas() throws {
        var data = [UInt8](try fixture("gif_bg_region.gif"))
        // The canvas shrinks to 2×2 under frames made for 4×4.
        data[6] = 2
        data[8] = 2
        let pixels = try GIFCoder().decode(Data(data), options: DecodeOptions(frameIndex: 1)).pixels
        #expect(pixels.allColors == [.fullRed, .fullRed, .fullRed, .fullBlue])
    }

    @Test func interlacedRowsComeInFourPasses() throws {
        var data = [UInt8](try fixture("gif_2000_frames.gif").prefix(13 + 384))
        data.replaceSubrange(6..<10, with: [1, 0, 9, 0])
        // Rows as stored: 0, 8, 4, 2, 6, 1, 3, 5, 7; each holds its colour as an index.
        let indices: [UInt8] = [0, 1, 2, 3, 0, 1, 2, 3, 0]
        data += [0x2C, 0, 0, 0, 0, 1, 0, 9, 0, 0x40, 7, 11, 128] + indices + [129, 0, 0x3B]
        let colors = try GIFCoder().decode(Data(data), options: DecodeOptions()).pixels.allColors
        #expect(colors == [.fullRed, .fullGreen, .white, .fullBlue, .fullBlue, .white, .fullRed, .fullRed, .fullGreen])
    }

    @Test func aLocalPaletteCountsForItsFrameOnly() throws {
        var data = [UInt8](try fixture("gif_2000_frames.gif").prefix(13 + 384))
        data.replaceSubrange(6..<10, with: [2, 0, 1, 0])
        data += [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0x80, 1, 2, 3, 4, 5, 6, 7, 3, 128, 1, 129, 0]
        data += [0x2C, 1, 0, 0, 0, 1, 0, 1, 0, 0, 7, 3, 128, 1, 129, 0, 0x3B]
        let colors = try GIFCoder().decode(Data(data), options: DecodeOptions(frameIndex: 1)).pixels.allColors
        #expect(colors == [PixelColor(4, 5, 6), .fullGreen])
    }

    @Test func anIndexOutsideThePaletteIsBlack() throws {
        // No palette at all, then a local one of two entries; index 3 in both.
        let header = Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0]
        let bare: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 7, 3, 128, 3, 129, 0]
        let short: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0x80, 1, 2, 3, 4, 5, 6, 7, 3, 128, 3, 129, 0]
        let data = Data(header + bare + short + [0x3B])
        for index in 0...1 {
            let pixels = try GIFCoder().decode(data, options: DecodeOptions(frameIndex: index)).pixels
            #expect(pixels.allColors == [.black])
            #expect(pixels.alpha == .opaque)
        }
    }

    @Test func theFirstOfTwoLoopCountsCounts() throws {
        let data = [UInt8](try fixture("gif_loop2.gif"))
        let loop: [UInt8] = Array(data[397..<416])
        var other = loop
        other[16] = 9
        let start = Data(data[..<397])
        #expect(try GIFCoder().probe(start + Data(other + loop) + Data(data[416...])).loopCount == 9)
        #expect(try GIFCoder().probe(start + Data(loop + other) + Data(data[416...])).loopCount == 2)
    }
}
