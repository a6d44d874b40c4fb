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
        let image = try picture(PixelSize(300, 300), alpha: .opaque) { x, y in
            var noise = UInt32(y * 300 + x)
            for _ in 0..<2 { noise = (noise ^ noise >> 16) &* 0x45D9_F3B }
            return PixelColor(
                UInt8(noise >> 24), UInt8(truncatingIfNeeded: noise >> 15), UInt8(truncatingIfNeeded: noise >> 6))
        }
        let data = try WebPCoder().encode(image, to: .webP, options: EncodeOptions(quality: 1))
        #expect(data.count > 3 << 16)
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
