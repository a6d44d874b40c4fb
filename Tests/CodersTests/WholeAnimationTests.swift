import Foundation
import Synchronization
import Testing
import WebImageCore
import WebImageGIF
import WebImagePixels

/// Animations that become other ones, frame by frame.
@Suite struct WholeAnimationTests {
    static let formats: [ImageFormat] = [.gif, .webP, .png]

    private func converted(
        _ frames: any FrameSource, to format: ImageFormat, _ options: DecodeOptions = DecodeOptions()
    ) throws -> any FrameSource {
        let data = try coders.encode(frames, to: format, options: EncodeOptions(quality: 1))
        #expect(FormatSniffer.format(of: data) == format)
        return try coders.frames(of: data, options: options)
    }

    private func expectSame(_ result: any FrameSource, as source: any FrameSource) throws {
        #expect(result.frameCount == source.frameCount)
        #expect(result.durations == source.durations)
        #expect(result.loopCount == source.loopCount)
        for (result, source) in try zip(result.all(), source.all()) { #expect(result.distance(to: source) == 0) }
    }

    @Test("S3 the middle of an animation has as many frames, and their times", arguments: formats)
    func S3_crop(_ format: ImageFormat) throws {
        var options = DecodeOptions()
        options.cropRect = PixelRect(x: 1, y: 1, width: 2, height: 2)
        let frames = try coders.frames(of: fixture("gif_bg_region.gif"), options: options)
        let result = try converted(frames, to: format)
        #expect(result.frameCount == 3)
        #expect(try result.frame(at: 2).pixelSize == PixelSize(2, 2))
        try expectSame(result, as: frames)
        #expect(try result.frame(at: 1).pixels.color(x: 1, y: 1) == .fullBlue)
    }

    @Test("Fewer durations than frames are an error, whoever is asked to write", arguments: formats)
    func missingDurations(_ format: ImageFormat) throws {
        var frames = PaintedFrames(count: 3, size: PixelSize(2, 2))
        frames.durations.removeLast()
        let writers = coders.coders.compactMap { $0 as? any AnimatedImageCoder }
        let writer = try #require(writers.first { $0.canEncodeAnimation(to: format) })
        for coder in [writer, coders] {
            let error = failure { _ = try coder.encode(frames, to: format, options: EncodeOptions()) }
            #expect(error?.code == .encodingFailed)
        }
    }

    @Test("S4 frames are composed, then made smaller, then written", arguments: formats)
    func S4_shrink(_ format: ImageFormat) throws {
        let data = try fixture("gif_bg_region.gif")
        let small = try coders.frames(of: data, options: .thumbnail(2, 2))
        let whole = try coders.frames(of: data, options: DecodeOptions())
        let result = try converted(small, to: format)
        for index in 0..<3 {
            let expected = try #require(whole.frame(at: index).pixels.resized(to: PixelSize(2, 2)))
            let pixels = try result.frame(at: index).pixels
            // The one format without half-transparent pixels.
            if format == .gif { continue }
            #expect(try #require(pixels.distance(to: expected)) <= 2)
        }
        #expect(try result.frame(at: 0).pixels.allColors == Array(repeating: .fullRed, count: 4))
    }

    @Test("a transformed animation keeps frames, times and passes", arguments: formats)
    func transformed(_ format: ImageFormat) throws {
        let frames = try coders.frames(of: fixture("gif_prev_chain.gif"), options: DecodeOptions())
        let larger = TransformedFrames(frames, by: .resizing(to: ImageSize(9, 7)))
        try expectSame(converted(larger, to: format), as: larger)
    }

    @Test("from each format to each other, and times and passes stay", arguments: formats)
    func formatToFormat(_ format: ImageFormat) throws {
        for name in ["gif_delays.gif", "gif_loop2.gif", "webp_zero_ms.webp", "apng_hidden.png"] {
            let frames = try coders.frames(of: fixture(name), options: DecodeOptions())
            try expectSame(converted(frames, to: format), as: frames)
        }
    }

    @Test("two thousand frames are never in memory at once", arguments: formats)
    func B34_boundedMemory(_ format: ImageFormat) throws {
        let frames = LedgerFrames(count: 2000)
        let data = try coders.encode(frames, to: format, options: EncodeOptions(quality: 1))
        #expect(try coders.probe(data).frameCount == 2000)
        let ledger = frames.ledger.withLock { $0 }
        #expect(ledger.mostAlive <= 4)
        // Once for its size, and once or, where alpha turns up late, twice for its pixels.
        #expect(ledger.askedCount <= 2 * 2000 + 1)
    }

    @Test("what is cancelled half-way asks for no more frames", arguments: formats)
    func cancelledHalfWay(_ format: ImageFormat) throws {
        let frames = LedgerFrames(count: 50)
        let monitor = DecodeMonitor(limits: DecodeLimits()) { frames.ledger.withLock { $0.askedCount >= 20 } }
        let error = failure { _ = try coders.encode(frames.watched(by: monitor), to: format, options: EncodeOptions()) }
        #expect(error?.isCancelled == true)
        #expect(frames.ledger.withLock { $0.askedCount } == 20)
    }

    @Test("the time for a whole animation is a limit too")
    func limitedTime() throws {
        var limits = DecodeLimits()
        limits.maxSeconds = 1e-9
        let frames = LedgerFrames(count: 5).watched(by: DecodeMonitor(limits: limits))
        #expect(frames.frameCount == 5 && frames.durations.count == 5 && frames.loopCount == 3)
        #expect(failure { _ = try converted(frames, to: .gif) }?.code == .limitExceeded)
    }

    @Test("a damaged frame in the middle is an error that names it", arguments: formats)
    func damagedFrame(_ format: ImageFormat) throws {
        let good = GIFPieces.frame(GIFPieces.Frame(size: PixelSize(2, 1), indices: [0, 1]))
        let other = GIFPieces.frame(GIFPieces.Frame(size: PixelSize(2, 1), indices: [1, 0]))
        let bad = other.dropLast(7) + [8, 2, 0xFF, 0xFF, 0]
        let data = Data(GIFPieces.header(PixelSize(2, 1)) + good + other + bad + good + [0x3B])
        let frames = try coders.frames(of: data, options: DecodeOptions())
        let error = failure { _ = try coders.encode(frames, to: format, options: EncodeOptions()) }
        #expect(error?.code == .badImageData)
        #expect(error?.message.hasPrefix("frame 2: ") == true)
    }
}

/// Frames that keep a list of what was asked for, and of what is still in use.
private final class LedgerFrames: FrameSource {
    struct Ledger {
        var askedCount = 0
        var mostAlive = 0
        var given: [Given] = []
    }

    struct Given {
        weak var image: DecodedImage?
    }

    let frameCount: Int
    let loopCount = 3
    let durations: [Duration]
    let ledger = Mutex(Ledger())

    init(count: Int) {
        frameCount = count
        durations = Array(repeating: .milliseconds(40), count: count)
    }

    func frame(at index: Int) throws(ImageError) -> DecodedImage {
        let frames = PaintedFrames(count: frameCount) { frame, x, y in
            PixelColor(UInt8(truncatingIfNeeded: frame), UInt8(frame >> 8), UInt8(x * y))
        }
        let image = try frames.frame(at: index)
        ledger.withLock { ledger in
            ledger.askedCount += 1
            ledger.given.removeAll { $0.image == nil }
            ledger.given.append(Given(image: image))
            ledger.mostAlive = max(ledger.mostAlive, ledger.given.count)
        }
        return image
    }
}
