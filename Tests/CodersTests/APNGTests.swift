import Foundation
import Testing
import WebImageCore
import WebImagePNG
import WebImagePixels

@Suite struct APNGTests {
    private let red: [UInt8] = [255, 0, 0, 255]
    private let green: [UInt8] = [0, 255, 0, 255]
    private let blue: [UInt8] = [0, 0, 255, 255]
    private let clear: [UInt8] = [0, 0, 0, 0]

    private func frames(_ data: Data, limits: DecodeLimits = DecodeLimits()) throws -> any FrameSource {
        try PNGCoder().frames(of: data, options: DecodeOptions(limits: limits))
    }

    /// The four colours of each frame, row by row.
    private func colors(_ data: Data) throws -> [[PixelColor?]] {
        let frames = try frames(data)
        return try (0..<frames.frameCount).map { try frames.frame(at: $0).pixels.allColors }
    }

    // MARK: Frames

    @Test("B25 CO-11 a hidden default picture is not part of the animation")
    func B25_hidden() throws {
        let data = try fixture("apng_hidden.png")
        let probe = try PNGCoder().probe(data)
        #expect(probe.frameCount == 2)
        #expect(probe.loopCount == 3)
        #expect(probe.durations == [100, 100])
        let colors = try colors(data)
        #expect(colors[0][0] == .fullGreen)
        #expect(colors[1][0] == .fullBlue)
        #expect(try frames(data).loopCount == 3)
        // Asked for a still, the first frame is shown.
        let still = try PNGCoder().decode(data, options: DecodeOptions())
        #expect(still.pixels.color(x: 0, y: 0) == .fullGreen)
        #expect(still.attributes.frameCount == 2)
        let last = try PNGCoder().decode(data, options: DecodeOptions(frameIndex: 1))
        #expect(last.pixels.color(x: 0, y: 0) == .fullBlue)
        #expect(failure { _ = try PNGCoder().decode(data, options: DecodeOptions(frameIndex: 2)) } != nil)
    }

    @Test func disposals() throws {
        let dot = APNGPart(x: 1, y: 0, width: 1, height: 1, color: blue)
        var cleared = dot
        cleared.disposal = .background
        var takenBack = dot
        takenBack.disposal = .previous
        let last = APNGPart(x: 0, y: 1, width: 1, height: 1, color: green)
        func third(_ second: APNGPart) throws -> [PixelColor?] {
            try colors(apng([APNGPart(color: red), second, last]))[2]
        }
        #expect(try third(dot) == [.fullRed, .fullBlue, .fullGreen, .fullRed])
        #expect(try third(cleared) == [.fullRed, .clear, .fullGreen, .fullRed])
        #expect(try third(takenBack) == [.fullRed, .fullRed, .fullGreen, .fullRed])
    }

    @Test func takingBackTheFirstFrameLeavesNothing() throws {
        let first = APNGPart(color: red, disposal: .previous)
        let second = APNGPart(width: 1, height: 1, color: green)
        #expect(try colors(apng([first, second]))[1] == [.fullGreen, .clear, .clear, .clear])
        #expect(try colors(apng([first, second], hidden: blue))[1] == [.fullGreen, .clear, .clear, .clear])
    }

    @Test func blendings() throws {
        let half: [UInt8] = [0, 0, 255, 128]
        for (blending, color, expected) in [
            (APNGPart.Blending.source, half, PixelColor(0, 0, 255, 128)), (.over, half, PixelColor(127, 0, 128)),
            (.source, clear, .clear), (.over, clear, .fullRed),
        ] {
            let data = apng([APNGPart(color: red), APNGPart(color: color, blending: blending)])
            var options = DecodeOptions()
            options.alpha = .straight
            let frame = try PNGCoder().frames(of: data, options: options).frame(at: 1)
            #expect(frame.pixels.color(x: 0, y: 0) == expected)
        }
    }

    @Test("S6 delays are the same however often they are read")
    func S6_delays() throws {
        let parts = [(3, 0), (1, 2), (0, 7), (1, 100)].map { APNGPart(color: red, delay: $0) }
        let data = apng(parts)
        #expect(try PNGCoder().probe(data).durations == [30, 500, 0, 10])
        let frames = try frames(data)
        for _ in 0..<3 {
            #expect(frames.durations == [30, 500, 100, 100].map { .milliseconds($0) })
            _ = try frames.frame(at: 3)
        }
    }

    @Test("Delays that no number of milliseconds is are kept")
    func exactDelays() throws {
        let delays: [(UInt8, UInt8)] = [(1, 3), (1, 60), (11, 17), (2, 200), (3, 255)]
        let source = try frames(apng(delays.map { APNGPart(color: red, delay: $0) }))
        let expected: [Duration] = [
            Duration.seconds(1) / 3, Duration.seconds(1) / 60, Duration.seconds(11) / 17, .milliseconds(100),
            Duration.seconds(3) / 255,
        ]
        #expect(source.durations == expected)
        let written = try PNGCoder().encode(source, to: .png, options: EncodeOptions())
        #expect(try frames(written).durations == expected)
        #expect(try PNGCoder().probe(written).durations == [333, 17, 647, 100, 12])
    }

    // MARK: Order

    private var mixed: Data {
        apng(
            [
                APNGPart(x: 1, width: 1, color: red, disposal: .background),
                APNGPart(color: [9, 8, 7, 100], disposal: .previous, blending: .over),
                APNGPart(x: 0, y: 1, width: 2, height: 1, color: blue, disposal: .previous),
                APNGPart(color: green), APNGPart(color: [1, 2, 3, 50], disposal: .previous),
                APNGPart(x: 1, y: 1, width: 1, height: 1, color: [50, 60, 70, 80], blending: .over),
                APNGPart(color: [1, 2, 3, 50], disposal: .background), APNGPart(width: 1, color: [200, 0, 0, 7]),
            ], hidden: clear)
    }

    @Test("CC-4 any order, any thread: the same pixels")
    func CC_4_anyOrder() async throws {
        let data = mixed
        let expected = try colors(data)
        #expect(expected.count == 8)
        let shared = try frames(data)
        for seed in 1...20 {
            let index = seed * 5 % 8
            #expect(try shared.frame(at: index).pixels.allColors == expected[index])
            #expect(try frames(data).frame(at: index).pixels.allColors == expected[index])
            var options = DecodeOptions()
            options.frameIndex = index
            #expect(try PNGCoder().decode(data, options: options).pixels.allColors == expected[index])
        }
        let mistakes = await withTaskGroup(of: Bool.self) { group in
            for seed in 0..<64 {
                group.addTask {
                    let index = seed * 3 % 8
                    return (try? shared.frame(at: index).pixels.allColors) != expected[index]
                }
            }
            return await group.reduce(into: 0) { if $1 { $0 += 1 } }
        }
        #expect(mistakes == 0)
    }

    @Test("CC-4 CC-6 CC-7 every frame has the picture's size, scale and thumbnail")
    func CC_6_thumbnails() throws {
        for keepsAspect in [true, false] {
            var options = DecodeOptions(
                thumbnailPixelSize: ImageSize(1, 2), preservesAspectRatio: keepsAspect, scaleFactor: 2)
            options.frameIndex = 3
            let frames = try PNGCoder().frames(of: mixed, options: options)
            for index in 0..<8 {
                let image = try frames.frame(at: index)
                #expect(image.pixelSize == (keepsAspect ? PixelSize(1, 1) : PixelSize(1, 2)))
                #expect(image.attributes.scale == 2)
                #expect(image.isAnimated)
            }
        }
    }

    @Test func aStillIsAnAnimationOfOneFrame() throws {
        let frames = try frames(fixture("halo_16.png"))
        #expect(frames.frameCount == 1)
        #expect(try frames.frame(at: 0).pixels.allBytes == decoded("halo_16.png").pixels.allBytes)
        #expect(failure { _ = try frames.frame(at: 1) }?.code == .badImageData)
        #expect(failure { _ = try frames.frame(at: -1) }?.code == .badImageData)
    }

    // MARK: Faults

    @Test func framesOutOfOrderAndWhatBuildsOnThemAreErrors() throws {
        var bytes = [UInt8](apng([red, green, blue].map { APNGPart(width: 1, color: $0) }, hidden: clear))
        let place = try #require(
            bytes.indices.filter { bytes[$0...].starts(with: Array("fdAT".utf8)) }.dropFirst().first)
        bytes[place + 7] = 77
        let frames = try frames(Data(bytes))
        #expect(frames.frameCount == 3)
        #expect(try frames.frame(at: 0).pixels.color(x: 0, y: 0) == .fullRed)
        for index in 1...2 {
            let error = failure { _ = try frames.frame(at: index) }
            #expect(error?.code == .badImageData)
            #expect(error?.message.contains("sequence number") == true)
        }
        #expect(try frames.frame(at: 0).pixels.color(x: 0, y: 0) == .fullRed)
    }

    @Test func aFrameOutsideTheCanvasOrWithoutPixelsIsAnError() throws {
        let good = APNGPart(color: red)
        for bad in [
            APNGPart(x: 1, color: blue), APNGPart(y: 1, color: blue), APNGPart(x: -1, width: 1, color: blue),
            APNGPart(width: 0, color: blue), APNGPart(width: -1, color: blue),
        ] where bad.width >= 0 {
            let frames = try frames(apng([good, bad, APNGPart(color: green)]))
            #expect(frames.frameCount == 3)
            #expect(failure { _ = try frames.frame(at: 1) }?.message.contains("breaks the rules") == true)
            #expect(try frames.frame(at: 0).pixels.color(x: 0, y: 0) == .fullRed)
        }
        var bytes = [UInt8](apng([good, good]))
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("fdAT".utf8)) })
        bytes.replaceSubrange(place..<place + 4, with: Array("tEXt".utf8))
        let frames = try frames(Data(bytes))
        #expect(frames.frameCount == 2)
        #expect(failure { _ = try frames.frame(at: 1) }?.message.contains("no pixels") == true)
    }

    @Test func rulesBrokenBeforeThePixelsLeaveAStill() throws {
        let small = apng([APNGPart(width: 1, color: red)], announced: 2)
        #expect(failure { _ = try PNGCoder().decode(small, options: DecodeOptions()) } != nil)
        #expect(try PNGCoder().probe(small).frameCount == 1)
        let none = png(1, type: 0, [[1]], chunks: pngChunk("acTL", bigEndian(5) + bigEndian(0)))
        #expect(try PNGCoder().probe(none).loopCount == nil)
        let zero = png(1, type: 0, [[1]], chunks: pngChunk("acTL", bigEndian(0) + bigEndian(0)))
        #expect(try PNGCoder().probe(zero).frameCount == 1)
        let late = png(1, type: 0, [[1]], after: pngChunk("acTL", bigEndian(5) + bigEndian(0)))
        #expect(try PNGCoder().probe(late).frameCount == 1)
    }

    @Test func noMoreFramesThanAnnouncedAndNoMoreThanThereAre() throws {
        let parts = [red, green, blue].map { APNGPart(color: $0) }
        #expect(try PNGCoder().probe(apng(parts, announced: 2)).frameCount == 2)
        #expect(try PNGCoder().probe(apng(parts, announced: 0xFFFF_FFFF)).frameCount == 3)
    }

    @Test("B34 the limit of frames holds")
    func B34_frameLimit() throws {
        var limits = DecodeLimits()
        limits.maxFrameCount = 7
        #expect(failure { _ = try frames(mixed, limits: limits) }?.code == .limitExceeded)
        #expect(
            failure { _ = try PNGCoder().decode(mixed, options: DecodeOptions(limits: limits)) }?.code == .limitExceeded
        )
        limits.maxFrameCount = 8
        #expect(try frames(mixed, limits: limits).frameCount == 8)
    }

    @Test func aCancelledDecodeEnds() {
        let monitor = DecodeMonitor(limits: DecodeLimits()) { true }
        let options = DecodeOptions(frameIndex: 2)
        #expect(failure { _ = try PNGCoder().decode(mixed, options: options, monitor: monitor) }?.code == .cancelled)
    }

    @Test func everyPrefixAndEveryFlippedBitGiveFramesOrErrors() throws {
        let data = mixed
        for count in 0..<data.count { expectFramesOrError(data.prefix(count)) }
        var flipped = data
        for index in flipped.indices {
            flipped[index] ^= 1 << (index % 8)
            expectFramesOrError(flipped)
            flipped[index] ^= 1 << (index % 8)
        }
    }

    private func expectFramesOrError(_ data: Data) {
        let limits = DecodeLimits(maxPixelCount: 1 << 14, maxDimension: 1 << 13)
        guard let frames = try? frames(data, limits: limits) else { return }
        for index in 0..<frames.frameCount {
            let error = failure { _ = try frames.frame(at: index) }
            #expect(error == nil || error?.message.contains("png") == true)
        }
        _ = failure { _ = try PNGCoder().metadata(of: data, limits: limits) }
    }
}
