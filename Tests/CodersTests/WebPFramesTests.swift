import Foundation
import Synchronization
import Testing
import WebImageCore
import WebImagePixels
import WebImageWebP

@Suite struct WebPFramesTests {
    private func frames(_ name: String, _ options: DecodeOptions = DecodeOptions()) throws -> any FrameSource {
        try WebPCoder().frames(of: fixture(name), options: options)
    }

    @Test("B23 times and passes")
    func B23_timing() throws {
        let operations = try frames("webp_ops.webp")
        #expect(operations.frameCount == 3)
        #expect(operations.loopCount == 1)
        #expect(operations.durations == Array(repeating: .milliseconds(100), count: 3))
        // No time at all would keep a player busy.
        let hurried = try frames("webp_zero_ms.webp")
        #expect(hurried.durations == [.milliseconds(100), .milliseconds(100)])
        #expect(hurried.loopCount == 0)
    }

    @Test func framesAreComposed() throws {
        let pictures = try frames("webp_ops.webp").all()
        #expect(pictures[0].colors([(0, 0), (3, 3)]) == [.fullRed, .fullRed])
        #expect(PixelColor(127, 0, 128).distance(to: pictures[1].color(x: 3, y: 3)) <= 1)
        #expect(pictures[2].colors([(0, 0), (3, 3), (7, 7)]) == [.fullGreen, .clear, .fullRed])
    }

    @Test("frames in any order, from any thread", arguments: ["webp_ops.webp", "webp_zero_ms.webp"])
    func anyOrder(_ name: String) async throws {
        try await expectRandomAccess(WebPCoder(), fixture(name))
        try await expectRandomAccess(WebPCoder(), fixture(name), options: .thumbnail(2, 2))
    }

    @Test("S4 frames are composed first, then made smaller")
    func S4_composedFirst() throws {
        for (full, small) in try zip(frames("webp_ops.webp").all(), frames("webp_ops.webp", .thumbnail(4, 4)).all()) {
            let expected = try #require(full.resized(to: PixelSize(4, 4)))
            #expect(small.distance(to: expected) == 0)
        }
    }

    @Test func manyFramesForwardAndBack() throws {
        let source = PaintedFrames(count: 300) { index, _, _ in PixelColor(UInt8(index % 256), UInt8(index / 256), 9) }
        let data = try WebPCoder().encode(source, to: .webP, options: EncodeOptions(quality: 1))
        let frames = try WebPCoder().frames(of: data, options: DecodeOptions())
        #expect(frames.frameCount == 300)
        for index in 0..<300 {
            #expect(try frames.frame(at: index).pixels.color(x: 1, y: 1) == source.color(index, 1, 1))
        }
        #expect(try frames.frame(at: 7).pixels.color(x: 1, y: 1) == PixelColor(7, 0, 9))
    }

    @Test("blended or not, cleared or not, small or full: as composed by hand, in any order")
    func everyKindOfFrame() async throws {
        var pieces = WebPPieces(size: PixelSize(8, 6), frames: [])
        for index in 0..<30 {
            let isFull = index % 3 != 2
            pieces.frames.append(
                WebPPieces.Frame(
                    origin: isFull ? (0, 0) : (index % 4 / 2 * 2, 2),
                    size: isFull ? pieces.size : PixelSize(3 + index % 3, 4), isBlended: index % 5 < 3,
                    isCleared: index % 7 < 3
                ) { x, y in
                    let isHole = index % 4 != 0 && (x + y + index) % 3 == 0
                    return isHole ? .clear : PixelColor(UInt8(index * 8), UInt8(x * 30), UInt8(y * 40))
                })
        }
        let data = try pieces.file()
        let frames = try WebPCoder().frames(of: data, options: DecodeOptions())
        #expect(frames.frameCount == 30)
        for (index, expected) in pieces.composed.enumerated() {
            #expect(try frames.frame(at: index).pixels.allColors == expected, "frame \(index)")
        }
        try await expectRandomAccess(WebPCoder(), data)
    }

    @Test("a frame that is let go costs no copy of the canvas, and one that is kept stays as it is")
    func sharedCanvas() throws {
        let source = PaintedFrames(count: 4) { index, _, _ in PixelColor(UInt8(index * 50), 0, 0) }
        let data = try WebPCoder().encode(source, to: .webP, options: EncodeOptions(quality: 0.9))
        let frames = try WebPCoder().frames(of: data, options: DecodeOptions())
        let first = try frames.frame(at: 0).pixels.withUnsafeBytes { $0.baseAddress }
        let second = try frames.frame(at: 1).pixels.withUnsafeBytes { $0.baseAddress }
        #expect(first == second)
        let kept = try frames.frame(at: 2)
        let color = kept.pixels.color(x: 4, y: 3)
        _ = try frames.frame(at: 3)
        #expect(kept.pixels.color(x: 4, y: 3) == color)
    }

    @Test("the first frame shows, once, as soon as it is whole")
    func firstFrameShows() throws {
        let source = PaintedFrames(count: 60) { index, x, y in PixelColor(UInt8(x * 31), UInt8(y * 42), UInt8(index)) }
        let data = try WebPCoder().encode(source, to: .webP, options: EncodeOptions(quality: 1))
        let run = try IncrementalRun(WebPCoder(), data, pieces: 10)
        #expect(run.partials.count == 1)
        let first = try #require(run.partials.first)
        #expect(first.pixels.distance(to: try source.frame(at: 0).pixels) == 0)
        try expectDripFeed(WebPCoder(), data)
    }

    @Test("a frame that lies outside of the canvas, or is of another size than it says, is an error")
    func wrongFrames() throws {
        let pieces = WebPPieces(
            size: PixelSize(8, 6),
            frames: [
                WebPPieces.Frame(size: PixelSize(4, 4), isBlended: false, isCleared: false) { _, _ in .fullRed },
                WebPPieces.Frame(size: PixelSize(4, 4), isBlended: true, isCleared: false) { _, _ in .fullBlue },
            ])
        let data = try pieces.file()
        let second = try #require(data.range(of: Data("ANMF".utf8), options: .backwards)).lowerBound + 8
        // x beyond the canvas; a width that is not the picture's.
        for (offset, value) in [(0, UInt8(3)), (3, 200), (6, 1), (6, 7)] {
            var damaged = data
            damaged[second + offset] = value
            let error = failure {
                let frames = try WebPCoder().frames(of: damaged, options: DecodeOptions())
                _ = try frames.frame(at: 1)
            }
            #expect(error?.code == .badImageData, "\(offset)")
        }
    }

    @Test func aStillPictureIsOneFrame() throws {
        let frames = try frames("icc_swapped.webp")
        #expect(frames.frameCount == 1)
        #expect(frames.loopCount == 1)
        let still = try decoded("icc_swapped.webp")
        #expect(try frames.frame(at: 0).pixels.hasSameBytes(as: still.pixels))
        #expect(failure { _ = try frames.frame(at: 1) }?.code == .badImageData)
    }

    @Test func theLimitsOfFrames() throws {
        var options = DecodeOptions()
        options.limits.maxFrameCount = 2
        let error = failure { _ = try frames("webp_ops.webp", options) }
        #expect(error?.code == .limitExceeded)
        options.limits = DecodeLimits(maxPixelCount: 63)
        #expect(failure { _ = try frames("webp_ops.webp", options) }?.code == .limitExceeded)
        options.limits = DecodeLimits()
        options.limits.maxSeconds = 1e-9
        let late = try frames("webp_ops.webp", options)
        #expect(failure { _ = try late.frame(at: 0) }?.code == .limitExceeded)
    }

    @Test("a cancelled decode ends, also in the middle of a picture", arguments: [0, 2])
    func cancelled(_ after: Int) throws {
        let image = try picture(PixelSize(460, 460), alpha: .opaque) { x, y in
            var noise = UInt32(y * 460 + x)
            for _ in 0..<2 { noise = (noise ^ noise >> 16) &* 0x45D9_F3B }
            return PixelColor(
                UInt8(noise >> 24), UInt8(truncatingIfNeeded: noise >> 15), UInt8(truncatingIfNeeded: noise >> 6))
        }
        let data = try WebPCoder().encode(image, to: .webP, options: EncodeOptions(quality: 1))
        #expect(data.count > 1 << 19)
        let calls = Mutex(0)
        let monitor = DecodeMonitor(limits: DecodeLimits()) {
            calls.withLock { calls in
                calls += 1
                return calls > after
            }
        }
        let error = failure { _ = try WebPCoder().decode(data, options: DecodeOptions(), monitor: monitor) }
        #expect(error?.isCancelled == true)
        #expect(try WebPCoder().decode(data).pixels.distance(to: image.pixels) == 0)
        try expectDripFeed(WebPCoder(), data)
    }

    @Test("every flipped bit of an animation", arguments: ["webp_ops.webp", "webp_zero_ms.webp"])
    func everyFlippedBit(_ name: String) throws {
        var data = try fixture(name)
        var options = DecodeOptions()
        options.limits = HostileBytesTests.limits
        for index in data.indices {
            for bit in 0..<8 {
                data[index] ^= 1 << bit
                defer { data[index] ^= 1 << bit }
                guard let frames = try? WebPCoder().frames(of: data, options: options) else { continue }
                for frame in 0..<min(5, frames.frameCount) { _ = try? frames.frame(at: frame) }
            }
        }
    }

    @Test("B35 the profile of a file is applied")
    func B35_profile() throws {
        #expect(PixelColor.fullGreen.distance(to: try decoded("icc_swapped.webp").pixels.color(x: 8, y: 8)) <= 3)
        var options = DecodeOptions()
        options.colorConversion = .none
        #expect(try decoded("icc_swapped.webp", options).pixels.color(x: 8, y: 8) == .fullRed)
    }

    @Test("S2 samples of alpha that do not count are opaque")
    func S2_idleAlpha() throws {
        let image = try picture(PixelSize(4, 4), alpha: .straight) { x, y in
            PixelColor(UInt8(x * 60), UInt8(y * 60), 9, UInt8(x * 80))
        }
        var data = try WebPCoder().encode(image, to: .webP, options: EncodeOptions(quality: 1))
        #expect(try WebPCoder().probe(data).hasAlpha)
        data[0x18] &= ~0x10
        for options in [DecodeOptions(), .thumbnail(2, 2)] {
            let pixels = try WebPCoder().decode(data, options: options).pixels
            #expect(pixels.alpha == .opaque)
            #expect(pixels.allColors.allSatisfy { $0?.alpha == 255 })
            try expectDripFeed(WebPCoder(), data, options)
        }
    }
}
