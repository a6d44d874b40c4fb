import Testing
import WebImageCore
import WebImagePixels

@Suite("Animations through a transformer")
struct TransformedFramesTests {
    private func frames(_ name: String, _ transformer: any ImageTransformer) throws -> TransformedFrames {
        TransformedFrames(try coders.frames(of: fixture(name), options: DecodeOptions()), by: transformer)
    }

    @Test(
        "S3 a cropped animation keeps its frames, delays and loops, also when written",
        arguments: [ImageFormat.gif, .png, .webP])
    func S3_croppedAnimation(_ format: ImageFormat) throws {
        let crop = CroppingTransformer(rect: ImageRect(x: 1, y: 1, width: 2, height: 2))
        let source = try coders.frames(of: fixture("gif_prev_chain.gif"), options: DecodeOptions())
        let cropped = try frames("gif_prev_chain.gif", crop)
        #expect(cropped.frameCount == source.frameCount && cropped.frameCount > 1)
        #expect(cropped.durations == source.durations && cropped.loopCount == source.loopCount)
        let file = try coders.encode(cropped, to: format, options: EncodeOptions())
        let written = try coders.frames(of: file, options: DecodeOptions())
        #expect(written.frameCount == source.frameCount && written.durations == source.durations)
        for index in 0..<written.frameCount {
            #expect(try written.frame(at: index).pixelSize == PixelSize(2, 2))
            #expect(try cropped.frame(at: index).attributes.frameCount == source.frameCount)
        }
    }

    @Test("S4 frames are composed before they are made smaller")
    func S4_noGhosts() throws {
        let source = try coders.frames(of: fixture("gif_bg_region.gif"), options: DecodeOptions())
        let smaller = try frames("gif_bg_region.gif", .resizing(to: ImageSize(2, 2)))
        for index in 0..<source.frameCount {
            let expected = try #require(source.frame(at: index).pixels.resized(to: PixelSize(2, 2)))
            #expect(try smaller.frame(at: index).pixels.distance(to: expected) == 0)
        }
    }

    @Test("B06 a rounded animation keeps its frames, delays and transparent corners on its way through a file")
    func B06_roundedAnimation() throws {
        let source = PaintedFrames(count: 3, size: PixelSize(16, 16))
        let rounded = TransformedFrames(source, by: .roundCorner(8))
        let file = try coders.encode(rounded, to: .png, options: EncodeOptions())
        let written = try coders.frames(of: file, options: DecodeOptions())
        #expect(written.frameCount == 3 && written.durations == source.durations)
        for index in 0..<written.frameCount {
            let pixels = try written.frame(at: index).pixels
            #expect(pixels.color(x: 0, y: 0)?.alpha == 0 && pixels.color(x: 8, y: 8) == .fullBlue)
        }
    }

    @Test("A frame that is not there, and a transformer that fails, are one error each")
    func failures() throws {
        let frames = try frames("gif_delays.gif", .flipping(.vertical))
        #expect(throws: ImageError.self) { try frames.frame(at: -1) }
        #expect(throws: ImageError.self) { try frames.frame(at: frames.frameCount) }
        let failing = try self.frames("gif_delays.gif", .cropping(to: ImageRect(x: 999, y: 0, width: 1, height: 1)))
        #expect { try failing.frame(at: 0) } throws: { ($0 as? ImageError)?.code == .transformFailed }
    }
}
