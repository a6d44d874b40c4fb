import Foundation
import Testing
import WebImageCore
import WebImageGIF
import WebImagePixels
import WebImageWebP

/// The contract of SDWebImage's format tests (behaviour.md, 2.3.1) for GIF and WebP.
@Suite struct AnimationContractTests {
    static let names = ["gif_prev_chain.gif", "gif_delays.gif", "webp_ops.webp", "icc_swapped.webp"]

    private func coder(_ name: String) -> any AnimatedImageCoder {
        name.hasSuffix("gif") ? GIFCoder() : WebPCoder()
    }

    private func format(_ name: String) -> ImageFormat { name.hasSuffix("gif") ? .gif : .webP }

    @Test("CO-12a CO-18 CO-19 CC-1 CC-2 CC-3 CC-4 frames have the size and scale of the picture", arguments: names)
    func CC_4_frames(_ name: String) throws {
        let data = try fixture(name)
        #expect(FormatSniffer.format(of: data) == format(name))
        #expect(coder(name).canDecode(data))
        let options = DecodeOptions(scaleFactor: 2)
        let image = try coder(name).decode(data, options: options)
        let frames = try coder(name).frames(of: data, options: options)
        #expect(image.isAnimated == (frames.frameCount > 1))
        #expect(frames.durations.count == frames.frameCount)
        for index in 0..<frames.frameCount {
            let frame = try frames.frame(at: index)
            #expect(frame.size == image.size)
            #expect(frame.attributes == image.attributes)
        }
    }

    @Test("CC-6 CC-7 thumbnails, of the picture and of frames", arguments: names)
    func CC_6_thumbnails(_ name: String) throws {
        // The fixtures are small, so that the boxes are.
        let data = try fixture(name)
        for (box, keeps) in [(ImageSize(2, 1), false), (ImageSize(2, 1), true), (ImageSize(50, 50), true)] {
            let options = DecodeOptions(thumbnailPixelSize: box, preservesAspectRatio: keeps)
            let size = try coder(name).probe(data).size
            let expected = size.fitted(in: box, preservesAspectRatio: keeps)
            #expect(try coder(name).decode(data, options: options).pixelSize == expected)
            let frames = try coder(name).frames(of: data, options: options)
            #expect(try frames.frame(at: frames.frameCount - 1).pixelSize == expected)
        }
    }

    @Test("CC-8 CC-9 encoding keeps size, scale and passes", arguments: names)
    func CC_9_encoding(_ name: String) throws {
        #expect(coder(name).canEncode(to: format(name)))
        #expect(coder(name).canEncodeAnimation(to: format(name)))
        let frames = try coder(name).frames(of: fixture(name), options: DecodeOptions())
        let data = try coder(name).encode(frames, to: format(name), options: EncodeOptions(quality: 1))
        let copy = try coder(name).frames(of: data, options: DecodeOptions(scaleFactor: 3))
        #expect(copy.frameCount == frames.frameCount)
        #expect(copy.loopCount == frames.loopCount)
        let (first, again) = try (frames.frame(at: 0), copy.frame(at: 0))
        #expect(again.pixelSize == first.pixelSize)
        #expect(again.attributes.scale == 3)
        for (mine, theirs) in try zip(frames.all(), copy.all()) { #expect(mine.distance(to: theirs) == 0) }
    }

    @Test("CC-10 no larger than asked for", arguments: names)
    func CC_10_maxPixelSize(_ name: String) throws {
        var options = EncodeOptions()
        options.maxPixelSize = ImageSize(2, 2)
        let frames = try coder(name).frames(of: fixture(name), options: DecodeOptions())
        let data = try coder(name).encode(frames, to: format(name), options: options)
        #expect(try coder(name).probe(data).size == PixelSize(2, 2))
        #expect(try coder(name).frames(of: data, options: DecodeOptions()).loopCount == frames.loopCount)
    }

    @Test("CO-27 an animation becomes one of the other format")
    func CO_27_otherFormat() throws {
        for (name, other) in [("gif_prev_chain.gif", ImageFormat.webP), ("webp_zero_ms.webp", .gif)] {
            let frames = try coder(name).frames(of: fixture(name), options: DecodeOptions())
            let writer: any AnimatedImageCoder = other == .gif ? GIFCoder() : WebPCoder()
            let data = try writer.encode(frames, to: other, options: EncodeOptions(quality: 1))
            let copy = try writer.frames(of: data, options: DecodeOptions())
            #expect(copy.frameCount == frames.frameCount)
            #expect(copy.durations == frames.durations)
            #expect(copy.loopCount == 0)
            for (mine, theirs) in try zip(frames.all(), copy.all()) { #expect(mine.distance(to: theirs) == 0) }
        }
    }
}
