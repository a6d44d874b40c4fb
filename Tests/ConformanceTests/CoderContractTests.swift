import Foundation
import Testing
import WebImageAllFormats
import WebImageTesting

/// SDWebImage's `verifyCoder`, and what its coder tests assert beside it.
@Suite("The contract that every coder keeps")
struct CoderContractTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let id: String
        let file: String
        let format: ImageFormat
        var frameCount = 1
        var isEncodable = false
        var isVector = false

        var testDescription: String { "\(id) \(file)" }
    }

    private static let samples = [
        Sample(id: "CO-11", file: "cases/apng_hidden.png", format: .png, frameCount: 2, isEncodable: true),
        Sample(id: "CO-12a", file: "cases/gif_prev_chain.gif", format: .gif, frameCount: 4, isEncodable: true),
        Sample(id: "CO-18", file: "cases/icc_swapped.webp", format: .webP, isEncodable: true),
        Sample(id: "CO-19", file: "cases/webp_ops.webp", format: .webP, frameCount: 3, isEncodable: true),
        Sample(id: "CO-05", file: "cases/base.jpg", format: .jpeg, isEncodable: true),
        Sample(id: "CO-04", file: "cases/halo_16.png", format: .png, isEncodable: true),
        Sample(id: "CC", file: "cases/avif_plain.avif", format: .avif, isEncodable: true),
        Sample(id: "CC", file: "modern/sequence.avif", format: .avif, frameCount: 4, isEncodable: true),
        Sample(id: "CO-13", file: "modern/quarters.heic", format: .heic, isEncodable: true),
        Sample(id: "CO-14", file: "modern/faded.heic", format: .heic, isEncodable: true),
        Sample(id: "CC", file: "modern/animation.jxl", format: .jpegXL, frameCount: 4),
        Sample(id: "CC", file: "rarer/rgb_deflate.tiff", format: .tiff),
        Sample(id: "CO-25", file: "rarer/rgb24.bmp", format: .bmp, isEncodable: true),
        Sample(id: "CC", file: "rarer/icon.ico", format: .ico),
    ]

    private let coders = CodersManager(CodersManager.allFormats)

    private func data(_ sample: Sample) throws -> Data { try fixture("../\(sample.file)") }

    @Test("CO-11 CO-13 CO-14 CC-1 CC-2 CC-3 CC-4 CC-6 CC-7 CC-8 CC-9 CC-10 hold for each format", arguments: samples)
    func contract(_ sample: Sample) throws {
        let data = try data(sample)
        #expect(FormatSniffer.format(of: data) == sample.format)
        #expect(coders.canDecode(data))
        let image = try coders.decode(data)
        #expect(!image.pixelSize.isEmpty && image.attributes.format == sample.format)
        #expect(image.attributes.isVector == sample.isVector)
        try checkFrames(sample, data, image)
        try checkThumbnails(data, image)
        #expect(coders.canEncode(to: sample.format) == sample.isEncodable)
        if sample.isEncodable { try checkEncoding(sample, data, image) }
    }

    /// CC-4: every frame has the picture's size.
    private func checkFrames(_ sample: Sample, _ data: Data, _ image: DecodedImage) throws {
        let frames = try coders.frames(of: data, options: DecodeOptions())
        #expect(frames.frameCount == sample.frameCount && image.isAnimated == (sample.frameCount > 1))
        for index in 0..<frames.frameCount {
            #expect(try frames.frame(at: index).pixelSize == image.pixelSize)
        }
    }

    /// CC-6 and CC-7: exactly the size without the ratio, within a pixel of the ideal with it; never enlarged.
    private func checkThumbnails(_ data: Data, _ image: DecodedImage) throws {
        let side = 5
        var options = DecodeOptions(thumbnailPixelSize: ImageSize(Double(side), Double(side)))
        let kept = try coders.decode(data, options: options).pixelSize
        let scale = min(1, Double(side) / Double(max(image.pixelSize.width, image.pixelSize.height)))
        #expect(abs(Double(kept.width) - Double(image.pixelSize.width) * scale) <= 1)
        #expect(abs(Double(kept.height) - Double(image.pixelSize.height) * scale) <= 1)
        options.preservesAspectRatio = false
        let stretched = try coders.decode(data, options: options).pixelSize
        #expect(stretched == PixelSize(min(side, image.pixelSize.width), min(side, image.pixelSize.height)))
    }

    /// CC-9 and CC-10: size and loop count survive, and the size can be bounded.
    private func checkEncoding(_ sample: Sample, _ data: Data, _ image: DecodedImage) throws {
        let frames = try coders.frames(of: data, options: DecodeOptions())
        var options = EncodeOptions()
        let isAnimated = sample.frameCount > 1 && coders.canEncodeAnimation(to: sample.format)
        let encoded =
            isAnimated
            ? try coders.encode(frames, to: sample.format, options: options)
            : try coders.encode(image, to: sample.format, options: options)
        let again = try coders.frames(of: encoded, options: DecodeOptions())
        #expect(again.frameCount == (isAnimated ? sample.frameCount : 1))
        if isAnimated { #expect(again.loopCount == frames.loopCount) }
        #expect(try coders.decode(encoded).pixelSize == image.pixelSize)

        options.maxPixelSize = ImageSize(5, 5)
        let small = try coders.decode(coders.encode(image, to: sample.format, options: options)).pixelSize
        #expect(small == image.pixelSize.fitted(in: ImageSize(5, 5)))
    }

    @Test("CO-06 CO-07a CO-07b a byte budget makes a picture smaller, down to one pixel, and never larger")
    func byteBudget() throws {
        let data = try fixture("s5250x3450.png")
        var options = DecodeOptions()
        options.limits.maxSeconds = .infinity
        options.scaleDownByteLimit = 1 << 20
        let scaled = try coders.decode(data, options: options).pixelSize
        #expect(scaled.width * scaled.height <= (1 << 20) / 4 && scaled.width > 600)
        options.scaleDownByteLimit = 1
        #expect(try coders.decode(data, options: options).pixelSize == PixelSize(1, 1))
        let base = try fixture("base.jpg")
        options.scaleDownByteLimit = 1 << 30
        #expect(try coders.decode(base, options: options).pixelSize == PixelSize(64, 64))
        #expect(PixelSize(5250, 3450).fitted(inByteCount: 60 << 20).width < 5250)
    }

    @Test("CO-07c a scaled picture has no missing edge")
    func noMissingEdge() throws {
        var pixels = try #require(PixelBuffer(size: PixelSize(1029, 1029), layout: .init(alpha: .opaque)))
        pixels.withUnsafeMutableBytes { bytes in
            for offset in stride(from: 3, to: bytes.count, by: 4) { bytes[offset] = 255 }
        }
        let black = try coders.encode(DecodedImage(pixels: pixels), to: .png, options: EncodeOptions())
        var options = DecodeOptions()
        options.scaleDownByteLimit = 1 << 20
        let scaled = try coders.decode(black, options: options).pixels
        for y in [scaled.height - 1, scaled.height - 9] {
            #expect(scaled.color(x: scaled.width / 2, y: y) == PixelColor(0, 0, 0))
        }
    }

    @Test("CO-08 alpha over a black background in a format without alpha")
    func background() throws {
        let clear = try #require(PixelBuffer(size: PixelSize(16, 16)))
        let options = EncodeOptions(backgroundColor: PixelColor(0, 0, 0))
        let encoded = try coders.encode(DecodedImage(pixels: clear), to: .jpeg, options: options)
        let result = try coders.decode(encoded)
        #expect(result.pixelSize == PixelSize(16, 16) && result.pixels.color(x: 1, y: 1) == PixelColor(0, 0, 0))
    }

    @Test("CO-15 no bytes and unknown formats are one error each")
    func nothing() {
        #expect(!coders.canDecode(Data()))
        #expect { try coders.decode(Data()) } throws: { ($0 as? ImageError)?.code == .badImageData }
        let image = DecodedImage(pixels: PixelBuffer(size: PixelSize(1, 1))!)
        #expect { try coders.encode(image, to: .pdf, options: EncodeOptions()) } throws: {
            ($0 as? ImageError)?.code == .encodingFailed
        }
    }

    @Test("CO-22 CO-23 a thumbnail of 400×300 of 5250×3450, and an encode no larger than 4000 pixels")
    func thumbnailSizes() throws {
        var options = DecodeOptions(thumbnailPixelSize: ImageSize(400, 300))
        options.limits.maxSeconds = .infinity
        let thumbnail = try coders.decode(fixture("s5250x3450.png"), options: options)
        #expect(thumbnail.pixelSize == PixelSize(400, 263) && thumbnail.attributes.isThumbnail)
        #expect(PixelSize(5250, 3450).fitted(in: ImageSize(4000, 4000)) == PixelSize(4000, 2629))
    }

    @Test("CO-29 an EXIF orientation is applied once, not twice")
    func orientationOnce() throws {
        let image = try coders.decode(fixture("exif_3.jpg"))
        let again = try coders.decode(coders.encode(image, to: .jpeg, options: EncodeOptions(quality: 1)))
        for (x, y) in [(2, 2), (29, 2), (2, 13), (29, 13)] {
            let first = try #require(image.pixels.color(x: x, y: y))
            let second = try #require(again.pixels.color(x: x, y: y))
            #expect(abs(Int(first.red) - Int(second.red)) <= 8 && abs(Int(first.blue) - Int(second.blue)) <= 8)
        }
        #expect(try coders.probe(coders.encode(image, to: .jpeg, options: EncodeOptions())).orientation == .up)
    }
}
