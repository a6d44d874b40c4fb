import Foundation
import Testing
import WebImageCore
import WebImagePNG
import WebImagePixels

/// Frames drawn from a rule.
private struct DrawnFrames: FrameSource {
    let pictures: [DecodedImage]
    var loopCount = 0
    var durations: [Duration]

    init(_ pictures: [DecodedImage], durations: [Duration]? = nil, loopCount: Int = 0) {
        self.pictures = pictures
        self.loopCount = loopCount
        self.durations = durations ?? pictures.map { _ in .milliseconds(100) }
    }

    var frameCount: Int { pictures.count }

    func frame(at index: Int) throws(ImageError) -> DecodedImage { pictures[index] }
}

@Suite struct APNGEncodingTests {
    private func pictures(_ alpha: AlphaMode) throws -> [DecodedImage] {
        try (0..<4).map { frame in
            try picture(PixelSize(20, 10), alpha: alpha) { x, y in
                guard x / 5 == frame, y > 2 else { return PixelColor(7, 8, 9) }
                return PixelColor(UInt8(x * 10), UInt8(y * 20), 100, alpha == .opaque ? 255 : UInt8(frame * 50))
            }
        }
    }

    private func encoded(_ frames: some FrameSource, _ options: EncodeOptions = EncodeOptions()) throws -> Data {
        try PNGCoder().encode(frames, to: .png, options: options)
    }

    private func frames(_ data: Data) throws -> any FrameSource {
        try PNGCoder().frames(of: data, options: DecodeOptions())
    }

    @Test(
        "CC-8 CC-9 CO-27 what is written is read: frames, delays, plays", arguments: [AlphaMode.opaque, .premultiplied])
    func CC_9_roundTrip(_ alpha: AlphaMode) throws {
        #expect(PNGCoder().canEncodeAnimation(to: .png))
        #expect(!PNGCoder().canEncodeAnimation(to: .gif))
        let pictures = try pictures(alpha)
        let durations: [Duration] = [.milliseconds(40), .seconds(1), .seconds(100), .milliseconds(33)]
        let data = try encoded(DrawnFrames(pictures, durations: durations, loopCount: 3))
        let again = try frames(data)
        #expect(again.frameCount == 4)
        #expect(again.loopCount == 3)
        #expect(again.durations == durations)
        for (index, picture) in pictures.enumerated() {
            let frame = try again.frame(at: index)
            #expect(frame.pixels.allBytes == picture.pixels.allBytes, "frame \(index)")
            #expect(frame.pixels.alpha == alpha)
        }
        #expect(try PNGCoder().decode(data, options: DecodeOptions()).pixels.allBytes == pictures[0].pixels.allBytes)
    }

    @Test func onlyWhatChangedIsWritten() throws {
        let base = try picture(PixelSize(100, 100), alpha: .opaque) { x, y in
            PixelColor(UInt8(x * y % 251), UInt8(x * 3 % 256), UInt8(y * 5 % 256))
        }
        let dot = try picture(PixelSize(100, 100), alpha: .opaque) { x, y in
            x == 50 && y == 60 ? .fullRed : PixelColor(UInt8(x * y % 251), UInt8(x * 3 % 256), UInt8(y * 5 % 256))
        }
        let still = try PNGCoder().encode(base, to: .png, options: EncodeOptions())
        let data = try encoded(DrawnFrames([base, dot, dot, base]))
        #expect(data.count < still.count + 500)
        for (index, picture) in [base, dot, dot, base].enumerated() {
            #expect(try frames(data).frame(at: index).pixels.allBytes == picture.pixels.allBytes)
        }
    }

    @Test func transparencyInALaterFrameIsKept() throws {
        let opaque = try picture(PixelSize(4, 4), alpha: .opaque) { _, _ in .fullRed }
        let clear = try picture(PixelSize(4, 4), alpha: .premultiplied) { x, _ in x == 1 ? .clear : .fullBlue }
        let data = try encoded(DrawnFrames([opaque, clear]))
        #expect(try frames(data).frame(at: 1).pixels.allBytes == clear.pixels.allBytes)
    }

    @Test func optionsCount() throws {
        let source = DrawnFrames(try pictures(.opaque), loopCount: 3)
        var options = EncodeOptions()
        options.loopCount = 9
        options.metadata.exif = Data("II*\0".utf8) + [8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        let data = try encoded(source, options)
        #expect(try frames(data).loopCount == 9)
        #expect(try PNGCoder().metadata(of: data, limits: DecodeLimits()) == options.metadata)
        options.firstFrameOnly = true
        #expect(try PNGCoder().probe(encoded(source, options)).loopCount == nil)
        #expect(try PNGCoder().probe(encoded(DrawnFrames([source.pictures[0]]))).frameCount == 1)
    }

    @Test("CC-10 no larger than asked, plays kept")
    func CC_10_maxPixelSize() throws {
        var options = EncodeOptions()
        options.maxPixelSize = ImageSize(10, 10)
        let probe = try PNGCoder().probe(encoded(DrawnFrames(pictures(.premultiplied), loopCount: 2), options))
        #expect(probe.size == PixelSize(10, 5))
        #expect(probe.loopCount == 2)
        #expect(probe.frameCount == 4)
    }

    @Test func framesOfDifferentSizesAreAnError() throws {
        let odd = try picture(PixelSize(3, 3), alpha: .opaque) { _, _ in .fullRed }
        let error = failure { _ = try encoded(DrawnFrames([try pictures(.opaque)[0], odd])) }
        #expect(error?.code == .encodingFailed)
    }
}
