import Foundation
import Testing
import WebImageAVIF
import WebImageBMP
import WebImageCore
import WebImageGIF
import WebImageHEIF
import WebImageJPEG
import WebImagePNG
import WebImagePixels
import WebImageWebP

@Suite struct EncodingTests {
    private static func gradient(_ x: Int, _ y: Int) -> PixelColor {
        PixelColor(UInt8(x * 7), UInt8(y * 7), UInt8(255 - x * 7))
    }

    @Test func pngKeepsEveryOpaqueColour() throws {
        let image = try picture(PixelSize(33, 17), alpha: .opaque, Self.gradient)
        let data = try coders.encode(image, to: .png, options: EncodeOptions())
        #expect(try !coders.probe(data).hasAlpha)
        let again = try coders.decode(data, options: DecodeOptions()).pixels
        #expect(again.alpha == .opaque)
        #expect(again.distance(to: image.pixels) == 0)
    }

    @Test func pngKeepsAlpha() throws {
        let image = try picture(PixelSize(16, 16), alpha: .premultiplied) { x, y in
            PixelColor(200, UInt8(y * 15), 255, UInt8(x * 17))
        }
        let data = try coders.encode(image, to: .png, options: EncodeOptions())
        let again = try coders.decode(data, options: DecodeOptions()).pixels
        #expect(again.alpha == .premultiplied)
        // The bytes in memory, not only what they stand for.
        let before = image.pixels.withUnsafeBytes { Array($0) }
        let after = again.withUnsafeBytes { Array($0) }
        #expect(before == after)
    }

    @Test func pngKeepsStraightColour() throws {
        let image = try picture(PixelSize(1, 1), alpha: .straight) { _, _ in PixelColor(201, 103, 7, 3) }
        let data = try [UInt8](coders.encode(image, to: .png, options: EncodeOptions()))
        #expect(data[25] == 6)
        // Premultiplied memory cannot hold it; the file does. Its stored row: filter 0, then the four bytes.
        let again = try coders.decode(Data(data), options: DecodeOptions()).pixels
        #expect(again.color(x: 0, y: 0)?.alpha == 3)
    }

    @Test(arguments: [ImageFormat.jpeg, .webP])
    func lossyFormatsStayClose(_ format: ImageFormat) throws {
        let image = try picture(PixelSize(32, 32), alpha: .opaque, Self.gradient)
        let data = try coders.encode(image, to: format, options: EncodeOptions(quality: 0.95))
        #expect(FormatSniffer.format(of: data) == format)
        let again = try coders.decode(data, options: DecodeOptions()).pixels
        #expect(again.alpha == .opaque)
        #expect(try #require(again.distance(to: image.pixels)) <= 16)
    }

    @Test func losslessWebPIsExact() throws {
        let image = try picture(PixelSize(16, 16), alpha: .premultiplied) { x, y in
            PixelColor(UInt8(x * 16), UInt8(y * 16), 77, UInt8(17 * y))
        }
        let data = try coders.encode(image, to: .webP, options: EncodeOptions(quality: 1))
        let again = try coders.decode(data, options: DecodeOptions()).pixels
        #expect(again.distance(to: image.pixels) == 0)
    }

    @Test("Grey pictures are written with one channel", arguments: [AlphaMode.opaque, .premultiplied])
    func grey(_ alpha: AlphaMode) throws {
        let image = try picture(PixelSize(19, 7), alpha: alpha) { x, y in
            PixelColor(UInt8(x * 13), UInt8(x * 13), UInt8(x * 13), alpha == .opaque ? 255 : UInt8(100 + y * 20))
        }
        let png = try coders.encode(image, to: .png)
        #expect(png[25] == (alpha == .opaque ? 0 : 4))
        #expect(try coders.decode(png).pixels.distance(to: image.pixels) == 0)
        let jpeg = try coders.encode(image, to: .jpeg, options: EncodeOptions(quality: 1))
        #expect(componentCount(jpeg) == 1)
        if alpha == .opaque {
            #expect(try #require(coders.decode(jpeg).pixels.distance(to: image.pixels)) <= 2)
        } else {
            let onRed = EncodeOptions(backgroundColor: PixelColor(255, 0, 0))
            #expect(try componentCount(coders.encode(image, to: .jpeg, options: onRed)) == 3)
        }
    }

    @Test("One other pixel, the last, and there is colour")
    func almostGrey() throws {
        let image = try picture(PixelSize(5, 5), alpha: .opaque) { x, y in PixelColor(9, 9, x * y == 16 ? 8 : 9) }
        let png = try coders.encode(image, to: .png)
        #expect(png[25] == 2)
        #expect(try coders.decode(png).pixels.distance(to: image.pixels) == 0)
        #expect(try componentCount(coders.encode(image, to: .jpeg)) == 3)
    }

    @Test("A profile stands beside channels that it describes only", arguments: ["GRAY", "RGB ", "CMYK"])
    func profiles(_ space: String) throws {
        var options = EncodeOptions()
        options.metadata.colorProfile = profileHeader(of: space)
        for isGrey in [true, false] {
            let image = try picture(PixelSize(4, 4), alpha: .opaque) { x, _ in
                PixelColor(UInt8(x), UInt8(x), isGrey ? UInt8(x) : 200)
            }
            let isWrittenGrey = isGrey && space != "RGB "
            let isKept = space == "RGB " || isGrey && space == "GRAY"
            for format in [ImageFormat.png, .jpeg] {
                let file = try coders.encode(image, to: format, options: options)
                #expect((format == .png ? file[25] == 0 : componentCount(file) == 1) == isWrittenGrey)
                #expect(try (coders.metadata(of: file).colorProfile != nil) == isKept)
            }
        }
    }

    private func profileHeader(of space: String) -> Data {
        var header = Data(count: 132)
        header[3] = 132
        header[8] = 4
        header.replaceSubrange(12..<16, with: Data("mntr".utf8))
        header.replaceSubrange(16..<20, with: Data(space.utf8))
        header.replaceSubrange(36..<40, with: Data("acsp".utf8))
        return header
    }

    /// Of the baseline or progressive frame header.
    private func componentCount(_ jpeg: Data) -> Int? {
        let frame = jpeg.indices.dropLast(9).first { jpeg[$0] == 0xFF && [0xC0, 0xC1, 0xC2].contains(jpeg[$0 + 1]) }
        return frame.map { Int(jpeg[$0 + 9]) }
    }

    @Test func lossyWebPKeepsAlpha() throws {
        let image = try picture(PixelSize(16, 16), alpha: .premultiplied) { x, _ in
            PixelColor(90, 90, 90, UInt8(17 * x))
        }
        let data = try coders.encode(image, to: .webP, options: EncodeOptions(quality: 0.8))
        let again = try coders.decode(data, options: DecodeOptions()).pixels
        for x in 0..<16 {
            #expect(again.color(x: x, y: 8)?.alpha == UInt8(17 * x))
        }
    }

    @Test func aPictureThatIsNoSRGBIsNotWritten() throws {
        let half = try #require(PixelBuffer(size: PixelSize(1, 1), layout: .init(format: .rgbaHalf)))
        for format in [ImageFormat.jpeg, .png, .webP] {
            let error = failure {
                _ = try coders.encode(DecodedImage(pixels: half), to: format, options: EncodeOptions())
            }
            #expect(error?.code == .encodingFailed)
            #expect(error?.message.contains(format.rawValue) == true)
        }
    }

    /// libavif refused the whole picture for EXIF that it cannot read, libwebpmux for a block of nothing.
    @Test(arguments: [ImageFormat.jpeg, .png, .gif, .webP, .bmp, .avif, .heic], [0, 1, 9, 70_000])
    func blocksThatAreNoMetadataSpoilNoPicture(_ format: ImageFormat, _ byteCount: Int) throws {
        let image = try picture(PixelSize(9, 5), alpha: .premultiplied, Self.gradient)
        let noise = Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 1) })
        var options = EncodeOptions()
        (options.metadata.exif, options.metadata.xmp) = (noise, noise)
        (options.metadata.iptc, options.metadata.colorProfile) = (noise, noise)
        let every = CodersManager([.heif, .avif, .bmp, .gif, .webP, .png, .jpeg])
        let data = try every.encode(image, to: format, options: options)
        #expect(try every.decode(data, options: DecodeOptions()).pixelSize == PixelSize(9, 5))
    }

    @Test func webPRefusesLongSides() throws {
        let image = try picture(PixelSize(16_384, 1), alpha: .opaque) { _, _ in .fullRed }
        #expect(failure { _ = try coders.encode(image, to: .webP, options: EncodeOptions()) }?.code == .encodingFailed)
    }
}
