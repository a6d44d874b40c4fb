import Foundation
import Testing
import WebImageCore
import WebImageHEIF
import WebImagePixels

@Suite struct HEIFEncodingTests {
    private let coder = HEIFCoder()

    /// Colours that change slowly, as half of their samples go.
    private func drawn(_ size: PixelSize = PixelSize(37, 21), _ alpha: AlphaMode = .opaque) throws -> DecodedImage {
        try picture(size, alpha: alpha) { x, y in
            PixelColor(
                UInt8(200 - x % 100), UInt8(50 + y % 100), 90, alpha == .opaque ? 255 : UInt8(255 - x * 5 % 200))
        }
    }

    @Test(
        "CO-13 what is written is HEIC and comes back, whatever its size",
        arguments: [PixelSize(1, 1), PixelSize(2, 1), PixelSize(3, 5), PixelSize(37, 21), PixelSize(64, 64)])
    func CO_13_sizes(_ size: PixelSize) throws {
        #expect(coder.canEncode(to: .heic) && !coder.canEncode(to: .avif))
        for alpha in [AlphaMode.opaque, .straight] {
            let drawn = try drawn(size, alpha)
            let data = try coder.encode(drawn, to: .heic, options: EncodeOptions())
            #expect(FormatSniffer.format(of: data) == .heic)
            let probe = try coder.probe(data)
            #expect(probe.size == size && probe.hasAlpha == (alpha == .straight) && probe.profileName == nil)
            #expect(try coder.decode(data, options: .straight).pixels.distance(to: drawn.pixels) ?? 255 <= 8)
        }
    }

    @Test func premultipliedPixelsAreWrittenStraight() throws {
        let drawn = try drawn(PixelSize(37, 21), .straight)
        let premultiplied = DecodedImage(pixels: drawn.pixels.withAlpha(.premultiplied))
        let data = try coder.encode(premultiplied, to: .heic, options: EncodeOptions())
        #expect(try coder.decode(data, options: .straight).pixels.distance(to: drawn.pixels) ?? 255 <= 12)
    }

    @Test func lessQualityIsFewerBytes() throws {
        let noise = try picture(PixelSize(64, 48), alpha: .opaque) { x, y in
            PixelColor(UInt8(truncatingIfNeeded: (x * 7919 ^ y * 104_729) >> 4), UInt8(x * 4), UInt8(y * 5))
        }
        let counts = try [-1, 0.3, 0.8, 1, .nan].map { quality in
            try coder.encode(noise, to: .heic, options: EncodeOptions(quality: quality)).count
        }
        #expect(counts[0] < counts[1] && counts[1] < counts[2] && counts[2] < counts[3] && counts[3] == counts[4])
    }

    @Test func blocksAreWrittenAndTheOrientationAmongThemTurnsNothing() throws {
        var blocks = try coder.metadata(of: modernFixture("metadata.heic"), limits: DecodeLimits())
        blocks.colorProfile = try coders.metadata(of: fixture("icc_swapped.jpg")).colorProfile
        blocks.xmp = Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
        #expect(blocks.exif != nil && blocks.colorProfile != nil)
        var options = EncodeOptions()
        #expect(
            try coder.metadata(of: coder.encode(drawn(), to: .heic, options: options), limits: DecodeLimits())
                == ImageMetadata())
        options.metadata = blocks
        let data = try coder.encode(drawn(), to: .heic, options: options)
        #expect(try coder.metadata(of: data, limits: DecodeLimits()) == blocks)
        #expect(try coder.probe(data).size == PixelSize(37, 21))
        // The samples are the same, whatever is said of their colour.
        var unconverted = DecodeOptions.straight
        unconverted.colorConversion = .none
        #expect(try coder.decode(data, options: unconverted).pixels.distance(to: drawn().pixels) ?? 255 <= 8)
    }

    @Test func whatCannotBeWritten() throws {
        let long = try picture(PixelSize(8193, 1), alpha: .opaque) { _, _ in .white }
        let error = failure { _ = try coder.encode(long, to: .heic, options: EncodeOptions()) }
        #expect(error?.code == .encodingFailed && error?.message.contains("at most 8192") == true)
        // x265 takes no picture that is so long and thin.
        let thin = try picture(PixelSize(8000, 1), alpha: .opaque) { _, _ in .white }
        let refused = failure { _ = try coder.encode(thin, to: .heic, options: EncodeOptions()) }
        #expect(refused?.code == .encodingFailed && refused?.message.contains("heic cannot be written") == true)
    }
}
