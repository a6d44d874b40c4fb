import Foundation
import Testing
import WebImageCore
import WebImagePixels
import WebImageWebP

@Suite struct WebPProgressTests {
    private static func smooth(_ x: Int, _ y: Int) -> PixelColor {
        PixelColor(UInt8(x * 3), UInt8(y * 2), UInt8(128 + x - y), UInt8(255 - x * 2))
    }

    private static func file(
        _ quality: Double, _ alpha: AlphaMode, _ metadata: ImageMetadata = ImageMetadata()
    ) throws -> Data {
        let image = try picture(PixelSize(80, 96), alpha: alpha, smooth)
        var options = EncodeOptions(quality: quality)
        options.metadata = metadata
        return try WebPCoder().encode(image, to: .webP, options: options)
    }

    @Test("drip feed", arguments: [0.5, 1], [AlphaMode.opaque, .straight])
    func dripFeed(_ quality: Double, _ alpha: AlphaMode) throws {
        let data = try Self.file(quality, alpha)
        try expectDripFeed(WebPCoder(), data)
        try expectDripFeed(WebPCoder(), data, .thumbnail(20, 20))
        var straight = DecodeOptions(scaleFactor: 2)
        straight.alpha = .straight
        try expectDripFeed(WebPCoder(), data, straight)
    }

    @Test("drip feed of fixtures", arguments: ["icc_swapped.webp", "webp_ops.webp", "webp_zero_ms.webp"])
    func dripFeedOfFixtures(_ name: String) throws {
        try expectDripFeed(WebPCoder(), fixture(name))
    }

    @Test("drip feed of a file that is turned upright", arguments: [1, 3, 6])
    func dripFeedTurned(_ orientation: UInt8) throws {
        var metadata = ImageMetadata()
        metadata.exif = WebPEncodingTests.exif(orientation: orientation)
        let data = try Self.file(0.5, .opaque, metadata)
        #expect(try WebPCoder().probe(data).orientation.rawValue == orientation)
        // Those before the last lie as they are stored: the orientation stands behind the pixels.
        for options in [DecodeOptions(), .thumbnail(33, 20)] {
            let whole = try WebPCoder().decode(data, options: options)
            for size in [data.count, data.count / 2, 1] {
                let last = try IncrementalRun(WebPCoder(), data, pieces: size, options).final
                #expect(last.pixels.hasSameBytes(as: whole.pixels))
                #expect(last.attributes == whole.attributes)
            }
        }
    }

    @Test func rowsShowAsTheyCome() throws {
        // Large enough to be seen coming.
        let image = try picture(PixelSize(320, 384), alpha: .opaque) { x, y in
            PixelColor(UInt8((x * 7 + y * 3) & 255), UInt8((x ^ y) & 255), UInt8(y & 255))
        }
        let data = try WebPCoder().encode(image, to: .webP, options: EncodeOptions(quality: 0.9))
        let dripped = try IncrementalRun(WebPCoder(), data, pieces: 20)
        #expect(dripped.partials.count > 2)
        let first = try #require(dripped.partials.first)
        #expect(first.pixelSize == PixelSize(320, 384))
        #expect(first.pixels.color(x: 0, y: 0) == dripped.final.pixels.color(x: 0, y: 0))
    }

    @Test("every prefix is an error at its end, and never before", arguments: [0.3, 1])
    func everyPrefix(_ quality: Double) throws {
        let data = try Self.file(quality, .straight)
        for count in 0..<data.count - 1 {
            let decoder = WebPCoder().incrementalDecoder(options: DecodeOptions())
            try data.prefix(count).withUnsafeBytes { try decoder.append($0) }
            _ = try decoder.partialImage()
            let error = failure { _ = try decoder.finish() }
            #expect(error?.code == .badImageData, "\(count) bytes")
            #expect(failure { _ = try decoder.finish() }?.message == error?.message)
        }
    }

    @Test("every flipped bit, whole and in pieces", arguments: ["icc_swapped.webp", "webp_zero_ms.webp"])
    func everyFlippedBit(_ name: String) throws {
        var data = try fixture(name)
        var options = DecodeOptions()
        options.limits = HostileBytesTests.limits
        options.colorConversion = .none
        for index in data.indices {
            for bit in 0..<8 {
                data[index] ^= 1 << bit
                defer { data[index] ^= 1 << bit }
                let whole = Result { try WebPCoder().decode(data, options: options).pixels }
                let dripped = Result { try IncrementalRun(WebPCoder(), data, pieces: 50, options).final.pixels }
                switch (whole, dripped) {
                case (.success(let whole), .success(let dripped)): #expect(whole.hasSameBytes(as: dripped))
                case (.failure, .failure): break
                default: Issue.record("bit \(bit) of byte \(index): \(whole) but \(dripped)")
                }
            }
        }
    }

    @Test func limitsAreKeptAsSoonAsTheHeaderIsThere() throws {
        let data = try Self.file(0.5, .straight)
        var options = DecodeOptions(limits: DecodeLimits(maxPixelCount: 80 * 96 - 1))
        let decoder = WebPCoder().incrementalDecoder(options: options)
        let error = failure { try data.prefix(100).withUnsafeBytes { try decoder.append($0) } }
        #expect(error?.code == .limitExceeded)
        options.limits = DecodeLimits(maxByteCount: 100)
        #expect(failure { _ = try IncrementalRun(WebPCoder(), data, pieces: 30, options) }?.code == .limitExceeded)
    }
}
