import Foundation
import Testing
import WebImageCore
import WebImageJXL
import WebImagePixels

/// What is known of a JPEG XL file before libjxl sees a frame of it.
@Suite struct JXLHeadersTests {
    private typealias Frame = JXLBitFile.Frame
    private let coder = JPEGXLCoder()

    /// A picture of some frames, the last of which is shown.
    private func file(
        _ frames: [Frame], width: Int = 40, height: Int = 30, extraChannelCount: Int = 0, isAnimated: Bool = false
    ) -> Data {
        var file = JXLBitFile(
            width: width, height: height, isAnimated: isAnimated, extraChannelCount: extraChannelCount)
        for frame in frames { file.add(frame) }
        file.add(Frame(isLast: true))
        return file.data
    }

    /// The error, which must be the same however the bytes come.
    private func refusal(_ data: Data, _ options: DecodeOptions = DecodeOptions()) -> ImageError? {
        let error = failure { _ = try coder.decode(data, options: options) }
        #expect(failure { _ = try coder.frames(of: data, options: options) }?.message == error?.message)
        #expect(failure { _ = try coder.fed(data, options) }?.message == error?.message)
        return error
    }

    // MARK: Rightful files

    @Test(arguments: [0, 1, 60])
    func hiddenFramesAreNoFault(_ count: Int) throws {
        let hidden = (0..<count).map { index in
            Frame(
                kind: index % 3 == 0 ? .lowFrequency : .referenceOnly,
                size: index % 3 == 0 ? nil : (index + 1, 500), reference: index % 4, hasOrder: index % 2 == 0)
        }
        let data = file(hidden)
        for image in [try coder.decode(data), try coder.fed(data)] {
            #expect(image.pixelSize == PixelSize(40, 30))
            #expect(image.pixels.allColors.allSatisfy { $0 == PixelColor(0, 0, 0, 255) })
        }
    }

    @Test func framesOfAnAnimationAreCountedWithoutTheHiddenOnes() throws {
        let data = file(
            [Frame(duration: 5), Frame(kind: .referenceOnly, size: (7, 7)), Frame(reference: 1), Frame(duration: 9)],
            isAnimated: true)
        let frames = try coder.frames(of: data, options: DecodeOptions())
        #expect(frames.durations.prefix(2) == [.milliseconds(50), .milliseconds(90)])
        #expect(frames.frameCount == 3)
        for index in [2, 0, 1] { #expect(try frames.frame(at: index).pixelSize == PixelSize(40, 30)) }
    }

    @Test func manyExtraChannels() throws {
        #expect(try coder.decode(file([], extraChannelCount: 9)).pixelSize == PixelSize(40, 30))
    }

    @Test(
        "What is hidden in a picture crosses no limit that the picture keeps",
        arguments: [
            "quarters.jxl", "faded.jxl", "premultiplied.jxl", "progressive.jxl", "animation.jxl", "metadata.jxl",
            "ordered.jxl", "profile.jxl",
        ])
    func limitsThatJustHoldThePicture(_ name: String) throws {
        let data = try modernFixture(name)
        let size = try coder.probe(data).size
        let sides = [size.width, size.height]
        let limits = DecodeLimits(maxPixelCount: sides[0] * sides[1], maxDimension: sides.max() ?? 0)
        let whole = try coder.decode(data, options: DecodeOptions(limits: limits))
        #expect(whole.pixelSize == size)
        #expect(try coder.fed(data, DecodeOptions(limits: limits)).pixels.distance(to: whole.pixels) == 0)
    }

    // MARK: Frames that are too large

    @Test(arguments: [(1 << 29, 1), (1, 1 << 29), (30_000, 30_000)])
    func aHiddenFrameOverTheLimit(_ width: Int, _ height: Int) throws {
        let error = try #require(
            refusal(
                file([
                    Frame(kind: .referenceOnly, size: (3, 3)),
                    Frame(
                        kind: .referenceOnly, size: (width, height)),
                ])))
        #expect(error.code == .limitExceeded)
        #expect(error.message.contains("frame 1,") && error.message.contains("byte "))
    }

    @Test func aFrameIsRefusedBeforeTheRestOfItComes() throws {
        let data = file([Frame(kind: .referenceOnly, size: (30_000, 30_000), sectionSizes: [])])
        #expect(failure { _ = try coder.decode(data.prefix(24)) }?.code == .limitExceeded)
    }

    @Test func anEighthOfAPictureOverTheLimit() {
        #expect(refusal(file([Frame(kind: .lowFrequency)], width: 60_000, height: 60_000))?.code == .limitExceeded)
    }

    @Test func whatIsKeptCountsTogether() throws {
        let kept = [0, 1, 2, 3, 0].map {
            Frame(kind: .referenceOnly, size: (4096, 4096), reference: $0, sectionSizes: [Int](repeating: 0, count: 19))
        }
        var options = DecodeOptions()
        options.limits.maxPixelCount = 1 << 24
        // The same place time and again holds one of them.
        let once = kept.map { frame in
            var frame = frame
            frame.reference = 2
            return frame
        }
        #expect(try coder.frames(of: file(once), options: options).frameCount == 1)
        #expect(try coder.frames(of: file(Array(kept.prefix(4))), options: options).frameCount == 1)
        let error = failure { _ = try coder.frames(of: file(kept), options: options) }
        #expect(error?.code == .limitExceeded)
    }

    @Test func channelsThatNoBudgetHolds() {
        // A picture of one pixel took nineteen gigabytes.
        #expect(refusal(file([], width: 1, height: 1, extraChannelCount: 4095))?.code == .limitExceeded)
        #expect(refusal(file([], width: 1, height: 1, extraChannelCount: 60), .small)?.code == .limitExceeded)
    }

    @Test func pixelsForOneShownFrame() {
        var options = DecodeOptions()
        options.limits.maxPixelCount = 1200
        let hidden = [Frame](repeating: Frame(kind: .referenceOnly, size: (40, 30)), count: 40)
        #expect(refusal(file(hidden), options)?.code == .limitExceeded)
        #expect(failure { _ = try coder.decode(file(Array(hidden.prefix(14))), options: options) } == nil)
    }

    // MARK: Too many

    @Test func thousandsOfHiddenFrames() {
        let hidden = [Frame](repeating: Frame(kind: .referenceOnly, size: (1, 1)), count: 3000)
        var options = DecodeOptions()
        options.limits.maxFrameCount = 100
        #expect(refusal(file(hidden), options)?.code == .limitExceeded)
    }

    @Test func moreShownFramesThanTheLimit() {
        var options = DecodeOptions()
        options.limits.maxFrameCount = 2
        let data = file([Frame(duration: 1), Frame(duration: 1)], isAnimated: true)
        #expect(refusal(data, options)?.code == .limitExceeded)
    }

    @Test func moreSectionsThanLibjxlTakes() {
        let frame = Frame(kind: .regular, passCount: 11, groupShift: 0, sectionSizes: [])
        #expect(refusal(file([frame], width: 131_072, height: 1024))?.code == .limitExceeded)
    }

    @Test func sectionsThatAreNotThere() {
        let frame = Frame(kind: .referenceOnly, size: (1, 1), sectionSizes: [1023])
        #expect(refusal(file([frame]))?.code == .badImageData)
    }

    // MARK: Profiles

    private func profiled(_ profile: @escaping (inout JXLBitFile) -> Void) -> Data {
        JXLBitFile(width: 8, height: 8, profile: profile).data
    }

    @Test func aProfileOverTheLimit() {
        let data = profiled { file in
            // 2^28 bytes.
            file.write(3, 2)
            file.write(0, 12)
            for _ in 0..<2 { file.write(1, 9) }
            file.write(0b1_1, 2)
            file.write(0, 200)
        }
        #expect(refusal(data)?.code == .limitExceeded)
    }

    @Test func aProfileOfNothing() throws {
        // A million bytes that take no bits at all.
        let data = profiled { file in
            file.write(3, 2)
            file.write(0, 12)
            file.write(0b1111_0000_1, 9)
            file.write(0, 1)
            file.writeZeros(contextCount: 41)
            file.write(0, 64)
        }
        #expect(refusal(data)?.code == .badImageData)
        let error = failure { _ = try coder.metadata(of: data, limits: DecodeLimits()) }
        #expect(error?.code == .badImageData)
    }

    // MARK: Containers

    private func box(_ name: String, _ content: Data) -> Data {
        let count = UInt32(content.count + 8)
        return Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }) + Data(name.utf8) + content
    }

    private var start: Data {
        box("JXL ", Data([0x0D, 0x0A, 0x87, 0x0A])) + box("ftyp", Data("jxl \0\0\0\0jxl ".utf8))
    }

    @Test func aCodestreamInParts() throws {
        let bare = try modernFixture("progressive.jxl")
        let whole = try coder.decode(bare)
        var data = start
        for (index, cut) in stride(from: 0, to: bare.count, by: 700).enumerated() {
            let isLast = cut + 700 >= bare.count
            let part = bare.dropFirst(cut).prefix(700)
            data += box("jxlp", Data([isLast ? 0x80 : 0, 0, 0, UInt8(index)]) + part) + box("free", Data([1, 2, 3]))
        }
        #expect(try coder.decode(data).pixels.distance(to: whole.pixels) == 0)
        #expect(try coder.fed(data).pixels.distance(to: whole.pixels) == 0)
        #expect(try coder.probe(data).size == whole.pixelSize)
    }

    @Test func aContainerOfTwoCodestreams() {
        let bare = file([])
        #expect(refusal(start + box("jxlc", bare) + box("jxlc", bare)) == nil)
        #expect(refusal(start + box("jxlc", bare.prefix(9)) + box("jxlc", bare))?.code == .badImageData)
        #expect(refusal(start + box("jxlp", Data([0x80, 0])) + bare)?.code == .badImageData)
        #expect(refusal(start)?.code == .badImageData)
    }
}
