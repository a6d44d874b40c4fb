import Foundation
import Testing
import WebImageAllFormats
import WebImageTesting

/// What SDWebImage's coder and category tests assert of single pictures.
@Suite("Pictures in and out")
struct FormTests {
    private let coders = CodersManager(CodersManager.allFormats)

    @Test(
        "CO-04 CO-05 a picture left lazy, with alpha or of grays, is decoded to a new one of its size",
        arguments: ["cases/halo_16.png", "jpeg/gray.jpg"])
    func forceDecode(_ file: String) throws {
        let data = try fixture("../\(file)")
        var options = DecodeOptions()
        options.usesLazyDecoding = true
        let lazy = try coders.decode(data, options: options)
        #expect(!lazy.isDecoded)
        let decoded = try lazy.decoded()
        #expect(decoded !== lazy && decoded.isDecoded && decoded.pixelSize == lazy.pixelSize)
        #expect(try decoded.pixels.color(x: 1, y: 1) == coders.decode(data).pixels.color(x: 1, y: 1))
        #expect(try decoded.decoded() === decoded)
    }

    @Test("CC-5 a picture of shapes has the size that its page has")
    func vector() throws {
        let svg = Data("<svg xmlns='http://www.w3.org/2000/svg' width='40' height='20'/>".utf8)
        let image = try coders.decode(svg)
        #expect(image.attributes.isVector && image.pixelSize == PixelSize(40, 20))
    }

    @Test("CT-02 no bytes are no picture; JPEG and PNG are written; the quality changes the length")
    func encoding() throws {
        #expect { try coders.decode(Data()) } throws: { ($0 as? ImageError)?.code == .badImageData }
        let image = try coders.decode(fixture("base.jpg"))
        let lengths = try [1, 0.5].map {
            try coders.encode(image, to: .jpeg, options: EncodeOptions(quality: $0)).count
        }
        #expect(lengths[0] > lengths[1] && lengths[1] > 0)
        var options = DecodeOptions()
        options.firstFrameOnly = true
        let png = try coders.encode(image, to: .png, options: EncodeOptions())
        #expect(try coders.decode(png, options: options).pixelSize == image.pixelSize)
    }

    @Test("CT-03 a GIF is an animation of all its frames; no bytes are none")
    func gif() throws {
        let data = try fixture("gif_prev_chain.gif")
        #expect(try coders.decode(data).isAnimated && coders.frames(of: data, options: DecodeOptions()).frameCount == 4)
        #expect(throws: ImageError.self) { try coders.frames(of: Data(), options: DecodeOptions()) }
    }
}
