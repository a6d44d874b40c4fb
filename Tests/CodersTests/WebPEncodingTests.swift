import Foundation
import Synchronization
import Testing
import WebImageCore
import WebImagePixels
import WebImageWebP

@Suite struct WebPEncodingTests {
    /// A TIFF structure with one entry.
    static func exif(orientation: UInt8) -> Data {
        Data(Array("II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0])
    }

    private func again(_ data: Data) throws -> any FrameSource {
        try WebPCoder().frames(of: data, options: DecodeOptions())
    }

    @Test("CO-27 an animation is written from its frames, and keeps times and passes", arguments: [0, 1, 5])
    func CO_27_animation(_ loopCount: Int) throws {
        var source = PaintedFrames(count: 7) { frame, x, y in
            x == frame ? .fullRed : y == 0 ? PixelColor(UInt8(frame * 30), 0, 0) : PixelColor(0, 0, 90, UInt8(x * 30))
        }
        source.loopCount = loopCount
        for (quality, tolerance) in [(1, 0), (0.9, 90)] {
            let data = try WebPCoder().encode(source, to: .webP, options: EncodeOptions(quality: quality))
            let frames = try again(data)
            #expect(frames.frameCount == 7)
            #expect(frames.durations == source.durations)
            #expect(frames.loopCount == loopCount)
            #expect(try WebPCoder().probe(data).loopCount == loopCount)
            for index in 0..<7 {
                let pair = try (frames.frame(at: index).pixels, source.frame(at: index).pixels)
                #expect(try #require(meanDistance(pair.0, pair.1)) <= tolerance / 4, "frame \(index)")
            }
        }
    }

    @Test func equalFramesBecomeOne() throws {
        let source = PaintedFrames(count: 4) { frame, x, _ in PixelColor(UInt8(frame / 2 * 100), UInt8(x), 0) }
        let frames = try again(WebPCoder().encode(source, to: .webP, options: EncodeOptions(quality: 1)))
        #expect(frames.frameCount == 2)
        #expect(frames.durations == [.milliseconds(110), .milliseconds(150)])
    }

    @Test("straight alpha goes through a lossless file unchanged")
    func straightAlphaIsExact() throws {
        let image = try picture(PixelSize(64, 16), alpha: .straight) { x, y in
            PixelColor(UInt8(x * 4), UInt8(y * 16), 77, UInt8(x * 3 + y))
        }
        let data = try WebPCoder().encode(image, to: .webP, options: EncodeOptions(quality: 1))
        var options = DecodeOptions()
        options.alpha = .straight
        #expect(try WebPCoder().decode(data, options: options).pixels.hasSameBytes(as: image.pixels))
        #expect(try IncrementalRun(WebPCoder(), data, pieces: 9, options).final.pixels.hasSameBytes(as: image.pixels))
    }

    @Test("metadata are written and read", arguments: [0.5, 1])
    func metadata(_ quality: Double) throws {
        var options = EncodeOptions(quality: quality)
        options.metadata.exif = Self.exif(orientation: 6)
        options.metadata.xmp = Data("<x:xmpmeta/>".utf8)
        options.metadata.colorProfile = try fixture("swapped_rg.icc")
        let image = try picture(PixelSize(6, 4), alpha: .opaque) { _, _ in .fullRed }
        let still = try WebPCoder().encode(image, to: .webP, options: options)
        let animation = try WebPCoder().encode(
            PaintedFrames(count: 2) { frame, _, _ in
                frame == 0 ? .fullRed : .fullBlue
            }, to: .webP, options: options)
        for data in [still, animation] {
            #expect(try WebPCoder().metadata(of: data, limits: DecodeLimits()) == options.metadata)
            let probe = try WebPCoder().probe(data)
            #expect(probe.orientation.rawValue == 6)
            #expect(probe.profileName == "sRGB built-in")
        }
        #expect(try WebPCoder().decode(still).pixelSize == PixelSize(4, 6))
        #expect(try again(animation).frameCount == 2)
        var limits = DecodeLimits()
        limits.maxMetadataByteCount = 600
        let rest = try WebPCoder().metadata(of: still, limits: limits)
        #expect(rest.colorProfile != nil && rest.xmp != nil && rest.exif == nil)
    }

    @Test func thePrefixOfJPEGIsTakenOff() throws {
        let image = try picture(PixelSize(1, 1), alpha: .opaque) { _, _ in .fullRed }
        let plain = try WebPCoder().encode(image, to: .webP, options: EncodeOptions(quality: 1))
        let exif = Self.exif(orientation: 1)
        let block = Array("Exif\0\0".utf8) + exif
        let data = webP(plain, canvas: PixelSize(1, 1), chunk: "EXIF", block, flag: 0x08)
        #expect(try WebPCoder().metadata(of: data, limits: DecodeLimits()).exif == exif)
    }

    @Test("CC-10 no larger than asked for")
    func CC_10_maxPixelSize() throws {
        var source = PaintedFrames(count: 3) { frame, x, _ in PixelColor(UInt8(frame * 50), UInt8(x), 0) }
        source.size = PixelSize(100, 60)
        source.loopCount = 4
        var options = EncodeOptions()
        options.maxPixelSize = ImageSize(50, 50)
        let frames = try again(WebPCoder().encode(source, to: .webP, options: options))
        #expect(try frames.frame(at: 2).pixelSize == PixelSize(50, 30))
        #expect(frames.loopCount == 4)
        let still = try WebPCoder().encode(source.frame(at: 0), to: .webP, options: options)
        #expect(try WebPCoder().probe(still).size == PixelSize(50, 30))
    }

    @Test("CO-09 no more bytes than asked for: less quality, then smaller")
    func CO_09_maxByteCount() throws {
        let image = try picture(PixelSize(96, 96), alpha: .opaque) { x, y in
            PixelColor(UInt8(x * 37 & 255), UInt8(y * 91 & 255), UInt8(x * y & 255))
        }
        func encoded(_ quality: Double, _ limit: Int? = nil) throws -> Data {
            var options = EncodeOptions(quality: quality)
            options.maxByteCount = limit
            return try WebPCoder().encode(image, to: .webP, options: options)
        }
        let (least, most) = try (encoded(0.1).count, encoded(0.95).count)
        let limit = (least + most) / 2
        let data = try encoded(0.95, limit)
        #expect(data.count <= limit && data.count > least)
        #expect(try WebPCoder().probe(data).size == PixelSize(96, 96))
        let small = try encoded(0.95, least / 3)
        #expect(small.count <= least / 3)
        #expect(try WebPCoder().probe(small).size.width < 96)
        #expect(failure { _ = try encoded(0.5, 5) }?.code == .encodingFailed)
    }

    @Test func framesArePulledOneByOne() throws {
        let source = CountingFrames()
        _ = try WebPCoder().encode(source, to: .webP, options: EncodeOptions())
        #expect(source.asked.withLock { $0 } == Array(0..<5))
    }

    /// The mean difference of all channels of all pixels, premultiplied.
    private func meanDistance(_ first: PixelBuffer, _ second: PixelBuffer) -> Int? {
        guard first.size == second.size else { return nil }
        let bytes = [first, second].map { buffer in
            buffer.withAlpha(.premultiplied).withUnsafeBytes { Array($0) }
        }
        return zip(bytes[0], bytes[1]).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) } / bytes[0].count
    }
}
