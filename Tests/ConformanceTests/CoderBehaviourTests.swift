import Foundation
import Testing
import WebImageAllFormats

/// What SDWebImage's coder tests assert of force-decoding, laziness and missing abilities, as far as it means something
/// where every picture is decoded when it is returned.
@Suite("What coders do and do not")
struct CoderBehaviourTests {
    private let coders = CodersManager(CodersManager.allFormats)

    @Test("CO-02 a JPEG comes decoded, of the size that its header tells")
    func CO_02_decoded() throws {
        let data = try fixture("base.jpg")
        let image = try coders.decode(data)
        #expect(try coders.probe(data).size == image.pixelSize)
        #expect(image.pixels.byteCount == image.pixelSize.width * image.pixelSize.height * 4)
        #expect(image.pixels.withUnsafeBytes { $0.contains { $0 != 0 } })
    }

    @Test("CO-03 decoding an animation gives its first frame and takes nothing from it")
    func CO_03_animation() throws {
        for name in ["gif_prev_chain.gif", "apng_hidden.png", "webp_ops.webp"] {
            let data = try fixture(name)
            let image = try coders.decode(data)
            let frames = try coders.frames(of: data, options: DecodeOptions())
            #expect(image.isAnimated && image.attributes.frameCount == frames.frameCount)
            #expect(try image.pixels.allBytes == frames.frame(at: 0).pixels.allBytes)
            #expect(try coders.decode(data).pixels.allBytes == image.pixels.allBytes)
        }
    }

    @Test("CO-10 frames are counted without a pixel decoded, and decoded when they are asked for")
    func CO_10_frames() throws {
        var data = try fixture("apng_hidden.png")
        let last = try #require(data.lastRange(of: Data("fdAT".utf8))?.upperBound)
        // Behind the sequence number stand the pixels.
        data[last + 8] ^= 0xFF
        let frames = try coders.frames(of: data, options: DecodeOptions())
        #expect(frames.frameCount == 2 && frames.durations.count == 2)
        #expect(try !frames.frame(at: 0).pixels.allBytes.isEmpty)
        #expect { try frames.frame(at: 1) } throws: { ($0 as? ImageError)?.code == .badImageData }
    }

    @Test("PDF is not read, and the error names it")
    func pdf() {
        let file = Data("%PDF-1.7\n1 0 obj << /MediaBox [0 0 612 792] >> endobj".utf8)
        #expect(!coders.canDecode(file) && !coders.canEncode(to: .pdf))
        #expect { try coders.decode(file) } throws: { error in
            (error as? ImageError)?.code == .unknownFormat && "\(error)".contains("pdf")
        }
    }

    @Test("CO-20 a coder without an ability says so in one error")
    func CO_20_abilities() throws {
        let image = try coders.decode(fixture("base.jpg"))
        let reading = ReadingCoder()
        #expect(!reading.canEncode(to: .gif) && !reading.canEncodeAnimation(to: .gif))
        let frames = try coders.frames(of: fixture("gif_prev_chain.gif"), options: DecodeOptions())
        #expect { _ = try reading.encode(image, to: .gif, options: EncodeOptions()) } throws: {
            ($0 as? ImageError)?.code == .encodingFailed
        }
        #expect { _ = try reading.encode(frames, to: .gif, options: EncodeOptions()) } throws: {
            ($0 as? ImageError)?.code == .encodingFailed
        }
    }
}

/// Takes what the protocols give.
private struct ReadingCoder: AnimatedImageCoder {
    func canDecode(_ data: Data) -> Bool { false }

    func probe(_ data: Data) throws(ImageError) -> ImageProbe { throw .cancelled(.decode) }

    func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage { throw .cancelled(.decode) }

    func frames(of data: Data, options: DecodeOptions) throws(ImageError) -> any FrameSource {
        throw .cancelled(.decode)
    }
}

extension PixelBuffer {
    fileprivate var allBytes: [UInt8] { withUnsafeBytes { [UInt8]($0) } }
}
