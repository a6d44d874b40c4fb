import Foundation
import Testing
import WebImageCore
import WebImageJPEG
import WebImagePixels

@Suite struct JPEGProgressiveTests {
    static let names = ["base", "restart", "progressive", "no_eoi", "exif_6", "icc_swapped"]

    @Test("B31 however the bytes are cut, the last picture is that of the whole file", arguments: names)
    func B31_howeverCut(_ name: String) throws {
        let data = try fixture("\(name).jpg")
        try expectSameHoweverCut(JPEGCoder(), data)
        try expectSameHoweverCut(JPEGCoder(), data, .thumbnail(9, 9))
    }

    @Test("B31 at most one preview per piece, none after the last, each closer to the end")
    func B31_previews() throws {
        for data in try [jpegFixture("sampling_420_progressive"), Self.rows()] {
            let whole = try JPEGCoder().decode(data, options: DecodeOptions()).pixels
            let run = try IncrementalRun(JPEGCoder(), data, pieces: 100)
            #expect(!run.partials.isEmpty)
            #expect(run.partials.count <= (data.count + 99) / 100)
            #expect(run.latePartialCount == 0)
            #expect(run.final.pixels.allBytes == whole.allBytes)
        }
    }

    @Test func rowsThatCameAreTheLastOnesAndTheRestIsTransparent() throws {
        let data = try Self.rows()
        let whole = try JPEGCoder().decode(data, options: DecodeOptions()).pixels
        let run = try IncrementalRun(JPEGCoder(), data, pieces: 100)
        let partial = try #require(run.partials.first).pixels
        #expect(partial.color(x: 5, y: 0) == whole.color(x: 5, y: 0))
        #expect(partial.color(x: 5, y: 239)?.alpha == 0)
        #expect(run.partials.count >= 2)
    }

    /// A picture in one scan, large enough to be seen coming.
    private static func rows() throws -> Data {
        let image = try picture(PixelSize(360, 240), alpha: .opaque) { x, y in
            let noise = UInt32(x + y * 360) &* 0x9E37_79B1
            return PixelColor(UInt8((x * 7 + y * 3) & 255), UInt8(noise >> 24), UInt8(y))
        }
        return try JPEGCoder().encode(image, to: .jpeg, options: EncodeOptions(quality: 0.95))
    }

    @Test("A picture of a packet or two has no previews, since they would cost as much as it does")
    func tiny() throws {
        for name in ["base.jpg", "progressive.jpg"] {
            #expect(try IncrementalRun(JPEGCoder(), fixture(name), pieces: 50).partials.isEmpty)
        }
    }

    @Test func aPreviewOfScansSaysWhetherRowsAreMissing() throws {
        let run = try IncrementalRun(JPEGCoder(), jpegFixture("sampling_420_progressive"), pieces: 64)
        #expect(!run.partials.isEmpty)
        for partial in run.partials.map(\.pixels) {
            #expect((partial.alpha == .opaque) == (partial.color(x: 5, y: 116)?.alpha == 255))
            #expect(partial.color(x: 5, y: 0)?.alpha == 255)
            #expect(partial.distance(to: run.final.pixels) ?? 0 > 0)
        }
    }

    @Test("B30 previews are upright", arguments: 1...8)
    func B30_previews(_ orientation: Int) throws {
        let data = try turned(Self.rows(), UInt8(orientation))
        let whole = try JPEGCoder().decode(data, options: DecodeOptions())
        let decoder = JPEGCoder().incrementalDecoder(options: DecodeOptions())
        var partials: [DecodedImage] = []
        for start in stride(from: 0, to: data.count, by: 10) {
            try decoder.append(data.dropFirst(start).prefix(10))
            if let partial = try decoder.partialImage() { partials.append(partial) }
        }
        #expect(try decoder.finish().pixels.allBytes == whole.pixels.allBytes)
        #expect(!partials.isEmpty && partials.allSatisfy { $0.pixelSize == whole.pixelSize })
        for partial in partials.map(\.pixels) {
            let seen = stride(from: 0, to: partial.height, by: 5)
                .flatMap { y in stride(from: 0, to: partial.width, by: 5).map { (x: $0, y: y) } }
                .filter { partial.color(x: $0.x, y: $0.y)?.alpha == 255 }
            #expect(!seen.isEmpty)
            #expect(seen.allSatisfy { partial.color(x: $0.x, y: $0.y) == whole.pixels.color(x: $0.x, y: $0.y) })
        }
    }

    @Test("B31 every prefix says what a whole decode of it says", arguments: ["progressive", "exif_6"])
    func B31_everyPrefix(_ name: String) throws {
        try expectSameOfEveryPrefix(JPEGCoder(), fixture("\(name).jpg"), DecodeOptions())
    }

    @Test("B10 a cut file is an error at its end, and on every call after")
    func B10_stickyError() throws {
        let decoder = JPEGCoder().incrementalDecoder(options: DecodeOptions())
        try decoder.append(fixture("cut60.jpg"))
        #expect(failure { _ = try decoder.finish() }?.code == .badImageData)
        #expect(failure { _ = try decoder.finish() }?.code == .badImageData)
        #expect(failure { _ = try decoder.partialImage() }?.code == .badImageData)
        #expect(failure { try decoder.append(Data(count: 100)) }?.code == .badImageData)
    }

    @Test("B34 limits hold as soon as the header is known")
    func B34_limits() throws {
        var options = DecodeOptions(limits: DecodeLimits(maxPixelCount: 63))
        var decoder = JPEGCoder().incrementalDecoder(options: options)
        #expect(failure { try decoder.append(fixture("base.jpg").prefix(1200)) }?.code == .limitExceeded)
        options = DecodeOptions(limits: DecodeLimits(maxByteCount: 1000))
        decoder = JPEGCoder().incrementalDecoder(options: options)
        #expect(failure { try decoder.append(fixture("base.jpg")) }?.message.contains("maxByteCount") == true)
    }

    @Test func noBytesAreAnError() {
        let decoder = JPEGCoder().incrementalDecoder(options: DecodeOptions())
        #expect(failure { _ = try decoder.finish() }?.message == "the jpeg has no bytes")
    }

    @Test func everyFlippedBitGivesAPictureOrOneError() throws {
        var data = try fixture("progressive.jpg").prefix(1500)
        let options = DecodeOptions(limits: DecodeLimits(maxPixelCount: 1 << 14, maxDimension: 1 << 13))
        for index in stride(from: data.startIndex, to: data.endIndex, by: 3) {
            data[index] ^= 1 << (index % 8)
            if let error = failure(of: { _ = try IncrementalRun(JPEGCoder(), data, pieces: 300, options) }) {
                #expect(error.message.contains("jpeg"))
            }
            data[index] ^= 1 << (index % 8)
        }
    }
}
