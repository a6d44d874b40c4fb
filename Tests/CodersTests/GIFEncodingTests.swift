import Foundation
import Synchronization
import Testing
import WebImageCore
import WebImageGIF
import WebImagePixels

@Suite struct GIFEncodingTests {
    private func again(_ data: Data) throws -> any FrameSource {
        try GIFCoder().frames(of: data, options: DecodeOptions())
    }

    @Test("few colours are kept as they are", arguments: [1, 2, 3, 4, 16, 17, 128, 129, 255, 256])
    func fewColours(_ count: Int) throws {
        let image = try picture(PixelSize(16, 16), alpha: .opaque) { x, y in
            PixelColor(UInt8((y * 16 + x) % count), 100, UInt8((y * 16 + x) % count / 2))
        }
        let data = try GIFCoder().encode(image, to: .gif, options: EncodeOptions())
        let pixels = try GIFCoder().decode(data).pixels
        #expect(pixels.alpha == .opaque)
        #expect(pixels.distance(to: image.pixels) == 0)
    }

    @Test func alphaIsAllOrNothing() throws {
        let image = try picture(PixelSize(256, 1), alpha: .straight) { x, _ in PixelColor(9, 8, 7, UInt8(x)) }
        let data = try GIFCoder().encode(image, to: .gif, options: EncodeOptions())
        let pixels = try GIFCoder().decode(data).pixels
        for x in 0..<256 {
            #expect(pixels.color(x: x, y: 0) == (x < 128 ? .clear : PixelColor(9, 8, 7)))
        }
    }

    @Test func anEmptyPictureIsTransparent() throws {
        let image = try picture(PixelSize(3, 2), alpha: .straight) { _, _ in .clear }
        let data = try GIFCoder().encode(image, to: .gif, options: EncodeOptions())
        #expect(try GIFCoder().decode(data).pixels.allColors == Array(repeating: .clear, count: 6))
    }

    @Test func manyColoursStayCloseAndDoNotDrift() throws {
        let image = try picture(PixelSize(64, 64), alpha: .opaque) { x, y in
            PixelColor(UInt8(x * 4), UInt8(y * 4), UInt8(255 - x * 2 - y * 2))
        }
        let data = try GIFCoder().encode(image, to: .gif, options: EncodeOptions())
        let pixels = try GIFCoder().decode(data).pixels
        #expect(try #require(pixels.distance(to: image.pixels)) <= 40)
        // Dithering keeps the mean of any part.
        for corner in [(0, 0), (32, 0), (0, 32), (48, 48)] {
            for channel in [\PixelColor.red, \.green, \.blue] {
                let places = (0..<256).map { (x: corner.0 + $0 % 16, y: corner.1 + $0 / 16) }
                let sums = [pixels, image.pixels].map { buffer in
                    places.reduce(0) { $0 + Int(buffer.color(x: $1.x, y: $1.y)?[keyPath: channel] ?? 0) }
                }
                #expect(abs(sums[0] - sums[1]) <= 256 * 3)
            }
        }
    }

    @Test("CO-27 an animation is written from its frames, and keeps times and passes", arguments: [0, 1, 2, 7, 65_536])
    func CO_27_animation(_ loopCount: Int) throws {
        var source = PaintedFrames(count: 7) { frame, x, y in
            x == frame ? .fullRed : y == 0 ? PixelColor(UInt8(frame), 0, 0) : PixelColor(0, 0, UInt8(x * 9))
        }
        source.loopCount = loopCount
        let data = try GIFCoder().encode(source, to: .gif, options: EncodeOptions())
        let frames = try again(data)
        #expect(frames.frameCount == 7)
        #expect(frames.durations == source.durations)
        #expect(frames.loopCount == loopCount)
        for index in 0..<7 {
            #expect(try frames.frame(at: index).pixels.distance(to: source.frame(at: index).pixels) == 0)
        }
    }

    @Test func pixelsThatGoAwayGoAway() throws {
        // A dot that moves over nothing, is still once, and is gone at the end.
        let source = PaintedFrames(count: 9) { frame, x, y in
            frame < 8 && x == (frame == 3 ? 2 : frame) && y == 2 ? .fullGreen : .clear
        }
        let frames = try again(GIFCoder().encode(source, to: .gif, options: EncodeOptions()))
        #expect(frames.frameCount == 9)
        for index in 0..<9 {
            #expect(try frames.frame(at: index).pixels.distance(to: source.frame(at: index).pixels) == 0)
        }
    }

    @Test func anUnchangedFrameCostsLittle() throws {
        let source = PaintedFrames(count: 50) { _, x, y in PixelColor(UInt8(x * 20), UInt8(y * 20), 0) }
        let data = try GIFCoder().encode(source, to: .gif, options: EncodeOptions())
        #expect(data.count < 50 * 60)
        #expect(try again(data).frameCount == 50)
    }

    @Test func theSumOfTimesStaysRight() throws {
        var source = PaintedFrames(count: 30) { frame, _, _ in PixelColor(UInt8(frame), 0, 0) }
        source.durations = Array(repeating: .microseconds(33_333), count: 30)
        let durations = try again(GIFCoder().encode(source, to: .gif, options: EncodeOptions())).durations
        #expect(durations.reduce(.zero, +) == .seconds(1))
        // A time that is played as it is does not become one that is played as 100 ms.
        source.durations = Array(repeating: .milliseconds(12), count: 30)
        let short = try again(GIFCoder().encode(source, to: .gif, options: EncodeOptions())).durations
        #expect(short.allSatisfy { $0 == .milliseconds(20) })
    }

    @Test func anAnimationBecomesTheSameAnimation() throws {
        for name in ["gif_first_small_prev.gif", "gif_bg_region.gif", "gif_prev_chain.gif", "gif_delays_loop0.gif"] {
            let frames = try again(fixture(name))
            let copy = try again(GIFCoder().encode(frames, to: .gif, options: EncodeOptions()))
            #expect(copy.frameCount == frames.frameCount)
            #expect(copy.durations == frames.durations)
            #expect(copy.loopCount == frames.loopCount)
            for (mine, theirs) in try zip(frames.all(), copy.all()) { #expect(mine.distance(to: theirs) == 0) }
        }
    }

    @Test func onlyTheFirstFrameOnRequest() throws {
        var options = EncodeOptions()
        options.firstFrameOnly = true
        let data = try GIFCoder().encode(again(fixture("gif_prev_chain.gif")), to: .gif, options: options)
        #expect(try again(data).frameCount == 1)
    }

    @Test("CC-10 no larger than asked for, with its passes")
    func CC_10_maxPixelSize() throws {
        var source = PaintedFrames(count: 3) { frame, x, _ in PixelColor(UInt8(frame * 50), UInt8(x), 0) }
        source.size = PixelSize(100, 60)
        source.loopCount = 4
        var options = EncodeOptions()
        options.maxPixelSize = ImageSize(50, 50)
        let frames = try again(GIFCoder().encode(source, to: .gif, options: options))
        #expect(try frames.frame(at: 2).pixelSize == PixelSize(50, 30))
        #expect(frames.loopCount == 4)
    }

    @Test func noMoreBytesThanAskedFor() throws {
        let image = try picture(PixelSize(64, 64), alpha: .opaque) { x, y in
            PixelColor(UInt8(x * 37 & 255), UInt8(y * 91 & 255), UInt8(x * y & 255))
        }
        var options = EncodeOptions()
        let full = try GIFCoder().encode(image, to: .gif, options: options).count
        options.maxByteCount = full / 4
        let data = try GIFCoder().encode(image, to: .gif, options: options)
        #expect(data.count <= full / 4)
        #expect(data.count > full / 20)
        options.maxByteCount = 10
        #expect(failure { _ = try GIFCoder().encode(image, to: .gif, options: options) }?.code == .encodingFailed)
    }

    @Test func metadataAreWritten() throws {
        let image = try picture(PixelSize(2, 2), alpha: .opaque) { _, _ in .fullRed }
        var options = EncodeOptions()
        options.metadata.xmp = Data(String(repeating: "<x:xmpmeta>é</x:xmpmeta>", count: 40).utf8)
        options.metadata.colorProfile = try fixture("swapped_rg.icc")
        let data = try GIFCoder().encode(image, to: .gif, options: options)
        let metadata = try GIFCoder().metadata(of: data, limits: DecodeLimits())
        #expect(metadata.xmp == options.metadata.xmp)
        #expect(metadata.colorProfile == options.metadata.colorProfile)
        #expect(try GIFCoder().probe(data).profileName == "sRGB built-in")
        var limits = DecodeLimits()
        limits.maxMetadataByteCount = 600
        #expect(try GIFCoder().metadata(of: data, limits: limits).xmp == nil)
    }

    @Test func framesOfTwoSizesAreNotWritten() throws {
        struct Odd: FrameSource {
            let frameCount = 2
            let loopCount = 0
            let durations: [Duration] = [.zero, .zero]
            func frame(at index: Int) throws(ImageError) -> DecodedImage {
                try PaintedFrames(count: 1, size: PixelSize(2 + index, 2)).frame(at: 0)
            }
        }
        #expect(failure { _ = try GIFCoder().encode(Odd(), to: .gif, options: .init()) }?.code == .encodingFailed)
    }

    @Test func framesArePulledOneByOne() throws {
        let source = CountingFrames()
        _ = try GIFCoder().encode(source, to: .gif, options: EncodeOptions())
        #expect(source.asked.withLock { $0 } == Array(0..<5))
    }
}
