import Foundation
import Testing
import WebImageCore
import WebImageGIF
import WebImagePixels

@Suite struct GIFFramesTests {
    private func frames(_ name: String, _ options: DecodeOptions = DecodeOptions()) throws -> any FrameSource {
        try GIFCoder().frames(of: fixture(name), options: options)
    }

    @Test("B22 all frames, one after the other", arguments: ["", "_noflag"])
    func B22_allFrames(_ tag: String) throws {
        let small = try frames("gif_first_small_prev\(tag).gif").all().map { $0.colors(GIFTests.places) }
        #expect(small[0] == [.clear, .fullRed, .fullRed, .clear, .clear])
        #expect(small[1] == [.fullBlue, .fullBlue, .clear, .clear, .clear])
        #expect(small[2] == [.clear, .clear, .clear, .fullGreen, .clear])
        let region = try frames("gif_bg_region\(tag).gif").all().map { $0.colors(GIFTests.places) }
        #expect(region[1] == [.fullRed, .fullBlue, .fullBlue, .fullRed, .fullRed])
        #expect(region[2] == [.white, .clear, .clear, .fullRed, .fullRed])
        let chain = try frames("gif_prev_chain\(tag).gif").all().map { $0.colors(GIFTests.places) }
        #expect(chain[1] == [.fullRed, .fullBlue, .fullBlue, .fullRed, .fullRed])
        #expect(chain[2] == [.fullRed, .fullRed, .white, .white, .fullRed])
        #expect(chain[3] == [.fullGreen, .fullRed, .fullRed, .fullRed, .fullRed])
    }

    @Test(
        "B22 CC frames in any order, from any thread",
        arguments: [
            "gif_first_small_prev.gif", "gif_bg_region.gif", "gif_prev_chain.gif", "gif_prev_chain_noflag.gif",
            "gif_delays.gif",
        ])
    func anyOrder(_ name: String) async throws {
        try await expectRandomAccess(GIFCoder(), fixture(name))
    }

    @Test func anyOrderOfManyKindsOfFrames() async throws {
        // Opaque and full, cleared in full, undone, small: every way to begin in the middle.
        var files: [GIFPieces.Frame] = []
        for index in 0..<24 {
            let isFull = index % 3 != 2
            let size = isFull ? PixelSize(4, 4) : PixelSize(2, 3)
            let indices = (0..<size.width * size.height).map { UInt8(($0 + index) % 4) }
            files.append(
                GIFPieces.Frame(
                    origin: isFull ? (0, 0) : (index % 3, 1), size: size, indices: indices,
                    disposal: UInt8([1, 2, 3, 1, 3][index % 5]), transparentIndex: index % 4 == 1 ? 2 : nil))
        }
        try await expectRandomAccess(GIFCoder(), GIFPieces.file(PixelSize(4, 4), files))
    }

    @Test("B23 delays to be played and passes")
    func B23_timing() throws {
        let delays = try frames("gif_delays.gif")
        #expect(delays.durations == [100, 100, 20, 100].map { .milliseconds($0) })
        #expect(delays.loopCount == 1)
        #expect(try frames("gif_delays_loop0.gif").loopCount == 0)
        // The file says to repeat twice: three passes, as in browsers. The number in the file stays with the probe.
        #expect(try frames("gif_loop2.gif").loopCount == 3)
        #expect(try GIFCoder().probe(fixture("gif_loop2.gif")).loopCount == 2)
        #expect(try decoded("gif_loop2.gif").attributes.loopCount == 3)
    }

    @Test("CO-12b without a loop extension it plays once")
    func CO_12b_playsOnce() throws {
        #expect(try decoded("gif_delays.gif").attributes.loopCount == 1)
    }

    @Test("B34 two passes over two thousand frames")
    func B34_twoPasses() throws {
        let frames = try frames("gif_2000_frames.gif")
        #expect(frames.frameCount == 2000)
        for pass in 0..<2 {
            for index in 0..<2000 {
                let picture = try frames.frame(at: index)
                guard index == 1999 else { continue }
                let colors = picture.pixels.colors([(999, 0), (0, 0), (5, 0), (0, 1)])
                #expect(colors == [.white, .fullRed, .fullGreen, .clear], "pass \(pass)")
            }
        }
    }

    @Test("B34 a frame that is let go costs no copy of the canvas")
    func B34_sharedCanvas() throws {
        let frames = try frames("gif_2000_frames.gif")
        let first = try frames.frame(at: 0).pixels.withUnsafeBytes { $0.baseAddress }
        let second = try frames.frame(at: 1).pixels.withUnsafeBytes { $0.baseAddress }
        #expect(first == second)
        // One that is kept stays as it is.
        let kept = try frames.frame(at: 2)
        _ = try frames.frame(at: 3)
        #expect(kept.pixels.color(x: 2, y: 0) == .fullBlue)
        #expect(kept.pixels.color(x: 3, y: 0) == .clear)
    }

    @Test("B34 the limit of frames")
    func B34_frameLimit() throws {
        var options = DecodeOptions()
        options.limits.maxFrameCount = 1999
        let data = try fixture("gif_2000_frames.gif")
        for error in [
            failure { _ = try GIFCoder().frames(of: data, options: options) },
            failure { _ = try GIFCoder().decode(data, options: options) },
            failure { _ = try IncrementalRun(GIFCoder(), data, pieces: 1000, options) },
        ] {
            #expect(error?.code == .limitExceeded)
            #expect(error?.message.contains("maxFrameCount") == true)
        }
        options.limits.maxFrameCount = 2000
        #expect(try GIFCoder().frames(of: data, options: options).frameCount == 2000)
    }

    @Test("S3 every frame of an animation, at a smaller size, keeps its time")
    func S3_allFrames() throws {
        let frames = try frames("gif_prev_chain.gif", .thumbnail(2, 2))
        #expect(frames.frameCount == 4)
        #expect(frames.durations == Array(repeating: .milliseconds(100), count: 4))
        #expect(try frames.all().map(\.size) == Array(repeating: PixelSize(2, 2), count: 4))
    }

    @Test("S4 frames are composed first, then made smaller")
    func S4_composedFirst() throws {
        for name in ["gif_bg_region.gif", "gif_prev_chain.gif", "gif_first_small_prev.gif"] {
            let full = try frames(name).all()
            let small = try frames(name, .thumbnail(2, 2)).all()
            for (full, small) in zip(full, small) {
                let expected = try #require(full.resized(to: PixelSize(2, 2)))
                #expect(small.distance(to: expected) == 0)
            }
        }
    }

    @Test func aFrameThatIsNotThereIsAnError() throws {
        let frames = try frames("gif_loop2.gif")
        for index in [-1, 2, .max] {
            let error = failure { _ = try frames.frame(at: index) }
            #expect(error?.code == .badImageData)
            #expect(error?.message.contains("2 frame(s)") == true)
        }
    }

    @Test func aDamagedFrameSpoilsOnlyWhatIsLaidOverIt() throws {
        let whole = GIFPieces.Frame(size: PixelSize(2, 1), indices: [0, 1])
        let small = GIFPieces.Frame(size: PixelSize(1, 1), indices: [2])
        // A code far beyond the table.
        let damaged = GIFPieces.frame(small).dropLast(7) + [8, 2, 0xFF, 0xFF, 0]
        var bytes = GIFPieces.header(PixelSize(2, 1))
        for frame in [whole, small] { bytes += GIFPieces.frame(frame) }
        bytes += damaged
        for frame in [small, whole] { bytes += GIFPieces.frame(frame) }
        let data = Data(bytes + [0x3B])
        let frames = try GIFCoder().frames(of: data, options: DecodeOptions())
        #expect(frames.frameCount == 5)
        for _ in 0..<2 {
            #expect(try frames.frame(at: 1).pixels.allColors == [.fullBlue, .fullGreen])
            for index in 2...3 {
                let error = failure { _ = try frames.frame(at: index) }
                #expect(error?.code == .badImageData)
                #expect(error?.message.contains("frame 2") == true)
                #expect(error?.message.contains("byte") == true)
            }
            #expect(try frames.frame(at: 4).pixels.allColors == [.fullRed, .fullGreen])
        }
    }

    @Test func aStillPictureIsOneFrame() throws {
        let data = GIFPieces.file(PixelSize(1, 1), [GIFPieces.Frame(size: PixelSize(1, 1), indices: [1])])
        let frames = try GIFCoder().frames(of: data, options: DecodeOptions())
        #expect(frames.frameCount == 1)
        #expect(frames.loopCount == 1)
        #expect(try frames.frame(at: 0).pixels.allColors == [.fullGreen])
    }

    @Test("codes of every size", arguments: 2...11)
    func everyCodeSize(_ size: Int) throws {
        // A clear code before each pixel, so that the codes stay as wide as they begin.
        let last = min(255, 1 << size - 1)
        let codes = [0, 1, last].flatMap { [1 << size, $0] } + [1 << size + 1]
        let palette = (0..<256).map { PixelColor(UInt8($0), 1, 2) }
        let frame = GIFPieces.Frame(size: PixelSize(3, 1), palette: palette, indices: [])
        let start = GIFPieces.header(PixelSize(3, 1)) + GIFPieces.frame(frame).dropLast(5)
        let data = Data(start + [UInt8(size)] + GIFPieces.blocks(GIFPieces.codes(codes, width: size + 1)) + [0x3B])
        let colors = try GIFCoder().decode(data).pixels.allColors
        #expect(colors == [0, 1, last].map { PixelColor(UInt8($0), 1, 2) })
    }

    @Test("code sizes that are none", arguments: [0, 12, 255])
    func noCodeSize(_ size: UInt8) throws {
        let frame = GIFPieces.Frame(size: PixelSize(1, 1), indices: [])
        let start = GIFPieces.header(PixelSize(1, 1)) + GIFPieces.frame(frame).dropLast(5)
        let error = failure { _ = try GIFCoder().decode(Data(start + [size, 2, 0, 0, 0, 0x3B])) }
        #expect(error?.code == .badImageData)
        #expect(error?.message.contains("code size") == true)
    }

    @Test func framesHonourTheirLimits() throws {
        var options = DecodeOptions()
        options.limits.maxSeconds = 1e-9
        let frames = try GIFCoder().frames(of: fixture("gif_loop2.gif"), options: options)
        #expect(failure { _ = try frames.frame(at: 0) }?.code == .limitExceeded)
        options.limits = DecodeLimits(maxPixelCount: 3)
        let error = failure { _ = try GIFCoder().frames(of: fixture("gif_loop2.gif"), options: options) }
        #expect(error?.code == .limitExceeded)
    }

    @Test func aCancelledDecodeEnds() throws {
        let monitor = DecodeMonitor(limits: DecodeLimits()) { true }
        let error = failure {
            _ = try GIFCoder().decode(fixture("gif_loop2.gif"), options: DecodeOptions(), monitor: monitor)
        }
        #expect(error?.isCancelled == true)
    }

    @Test func aProfileIsAppliedToThePalette() throws {
        let profile = [UInt8](try fixture("swapped_rg.icc"))
        let block = [0x21, 0xFF, 11] + Array("ICCRGBG1012".utf8) + GIFPieces.blocks(profile)
        let frame = GIFPieces.frame(GIFPieces.Frame(size: PixelSize(1, 1), indices: [0]))
        let data = Data(GIFPieces.header(PixelSize(1, 1)) + block + frame + [0x3B])
        let color = try GIFCoder().decode(data).pixels.color(x: 0, y: 0)
        #expect(PixelColor.fullGreen.distance(to: color) <= 3)
        var options = DecodeOptions()
        options.colorConversion = .none
        #expect(try GIFCoder().decode(data, options: options).pixels.allColors == [.fullRed])
        #expect(try GIFCoder().metadata(of: data, limits: DecodeLimits()).colorProfile == Data(profile))
        try expectDripFeed(GIFCoder(), data)
    }
}
