import Foundation
import Testing
import WebImageCore
import WebImageGIF
import WebImagePixels

@Suite struct GIFProgressTests {
    @Test(
        "drip feed",
        arguments: [
            "gif_first_small_prev.gif", "gif_bg_region_noflag.gif", "gif_loop2.gif", "gif_delays.gif",
        ])
    func dripFeed(_ name: String) throws {
        try expectDripFeed(GIFCoder(), fixture(name))
        try expectDripFeed(GIFCoder(), fixture(name), .thumbnail(1, 1))
        try expectDripFeed(GIFCoder(), fixture(name), DecodeOptions(frameIndex: 1, scaleFactor: 2))
    }

    @Test("drip feed of a picture of many blocks", arguments: [false, true])
    func dripFeedOfRows(_ isInterlaced: Bool) throws {
        let data = Self.rows(isInterlaced: isInterlaced)
        try expectDripFeed(GIFCoder(), data)
        try expectDripFeed(GIFCoder(), data, .thumbnail(16, 16))
    }

    @Test func rowsShowAsTheyCome() throws {
        let dripped = try IncrementalRun(GIFCoder(), Self.rows(isInterlaced: false), pieces: 10)
        #expect(dripped.partials.count > 2)
        for (partial, next) in zip(dripped.partials, dripped.partials.dropFirst()) {
            #expect(Self.rowCount(partial, like: dripped.final) < Self.rowCount(next, like: dripped.final))
        }
        let first = try #require(dripped.partials.first)
        #expect(first.pixels.color(x: 0, y: 63) == .clear)
        #expect(first.pixels.alpha == .premultiplied)
        let last = try #require(dripped.partials.last)
        #expect(Self.rowCount(last, like: dripped.final) >= 40)
    }

    @Test func passesOfAnInterlacedPictureFillItEarly() throws {
        let dripped = try IncrementalRun(GIFCoder(), Self.rows(isInterlaced: true), pieces: 10)
        // The first pass is an eighth of the bytes, and covers the whole picture.
        let early = try #require(dripped.partials.first)
        #expect(early.pixels.color(x: 5, y: 60)?.alpha == 255)
        #expect(Self.rowCount(early, like: dripped.final) < 32)
    }

    @Test func laterFramesDoNotChangeThePicture() throws {
        let data = try fixture("gif_prev_chain.gif")
        let dripped = try IncrementalRun(GIFCoder(), data, pieces: 1)
        #expect(dripped.partials.allSatisfy { $0.pixels.allColors == Array(repeating: .fullRed, count: 16) })
        #expect(dripped.final.pixels.allColors == Array(repeating: .fullRed, count: 16))
        #expect(dripped.final.attributes.frameCount == 4)
    }

    @Test(
        "a prefix is an error at its end, unless it is of whole frames",
        arguments: ["gif_first_small_prev.gif", "rows"])
    func everyPrefix(_ name: String) throws {
        let data = name == "rows" ? Self.rows(isInterlaced: true) : try fixture(name)
        // Without the trailer it is whole.
        for count in stride(from: 0, to: data.count - 1, by: name == "rows" ? 233 : 1) {
            let decoder = GIFCoder().incrementalDecoder(options: DecodeOptions())
            try data.prefix(count).withUnsafeBytes { try decoder.append($0) }
            _ = try decoder.partialImage()
            let error = failure { _ = try decoder.finish() }
            let expected = failure { _ = try GIFCoder().decode(data.prefix(count)) }
            #expect(error?.code == expected?.code, "\(count) bytes")
            #expect(count > data.count / 2 || error?.code == .badImageData, "\(count) bytes")
            #expect(failure { _ = try decoder.finish() }?.message == error?.message)
            #expect(failure { _ = try decoder.partialImage() }?.message == error?.message)
        }
    }

    @Test func limitsAreKeptAsSoonAsTheHeaderIsThere() throws {
        let data = try fixture("gif_canvas_65535.gif")
        let decoder = GIFCoder().incrementalDecoder(options: DecodeOptions())
        let error = failure { try data.dropLast(3).withUnsafeBytes { try decoder.append($0) } }
        #expect(error?.code == .limitExceeded)
        var options = DecodeOptions()
        options.limits.maxByteCount = 20
        #expect(failure { _ = try IncrementalRun(GIFCoder(), data, pieces: 7, options) }?.code == .limitExceeded)
    }

    @Test func bytesThatAreNoGIF() throws {
        let decoder = GIFCoder().incrementalDecoder(options: DecodeOptions())
        let rubbish = Array(String(repeating: "this is no picture at all ", count: 4).utf8)
        #expect(failure { try rubbish.withUnsafeBytes { try decoder.append($0) } }?.code == .badImageData)
    }

    @Test("every flipped bit, whole and in pieces", arguments: ["gif_prev_chain.gif", "gif_bg_region.gif"])
    func everyFlippedBit(_ name: String) throws {
        var data = try fixture(name)
        var options = DecodeOptions()
        options.limits = HostileBytesTests.limits
        // The palette's bits only make other colours.
        for index in data.indices where index < 16 || index >= 13 + 384 {
            for bit in 0..<8 {
                data[index] ^= 1 << bit
                defer { data[index] ^= 1 << bit }
                let whole = Result { try GIFCoder().decode(data, options: options).pixels }
                let dripped = Result { try IncrementalRun(GIFCoder(), data, pieces: 50, options).final.pixels }
                switch (whole, dripped) {
                case (.success(let whole), .success(let dripped)): #expect(whole.hasSameBytes(as: dripped))
                case (.failure, .failure): break
                default: Issue.record("bit \(bit) of byte \(index): \(whole) but \(dripped)")
                }
                guard let frames = try? GIFCoder().frames(of: data, options: options) else { continue }
                for frame in 0..<min(5, frames.frameCount) { _ = try? frames.frame(at: frame) }
            }
        }
    }

    /// 1920×64, each row of its own colour.
    private static func rows(isInterlaced: Bool) -> Data {
        let size = PixelSize(1920, 64)
        let palette = (0..<64).map { PixelColor(UInt8($0 * 4), UInt8(255 - $0), 7) }
        let passes = isInterlaced ? [(0, 8), (4, 8), (2, 4), (1, 2)] : [(0, 1)]
        let order = passes.flatMap { Array(stride(from: $0.0, to: 64, by: $0.1)) }
        let indices = order.flatMap { Array(repeating: UInt8($0), count: 1920) }
        return GIFPieces.file(
            size, [GIFPieces.Frame(size: size, palette: palette, indices: indices, isInterlaced: isInterlaced)])
    }

    /// How many rows are as they will be.
    private static func rowCount(_ partial: DecodedImage, like last: DecodedImage) -> Int {
        (0..<last.pixels.height).count { partial.pixels.color(x: 3, y: $0) == last.pixels.color(x: 3, y: $0) }
    }
}
