import Foundation
import Testing
import WebImageCore
import WebImagePixels
import WebImageWebP

@Suite struct WebPTests {
    @Test func framesAreComposed() throws {
        #expect(try frame(0, of: "webp_ops.webp").colors([(0, 0), (3, 3)]) == [.fullRed, .fullRed])
        let second = try frame(1, of: "webp_ops.webp")
        #expect(second.color(x: 0, y: 0) == .fullRed)
        #expect(PixelColor(127, 0, 128).distance(to: second.color(x: 3, y: 3)) <= 1)
        // The second frame's place was cleared before the third was laid over.
        let third = try frame(2, of: "webp_ops.webp")
        #expect(third.colors([(0, 0), (3, 3), (7, 7)]) == [.fullGreen, .clear, .fullRed])
        #expect(failure { _ = try frame(3, of: "webp_ops.webp") }?.code == .badImageData)
    }

    @Test func aFrameAsAThumbnail() throws {
        let options = DecodeOptions(thumbnailPixelSize: ImageSize(4, 4), frameIndex: 0)
        let image = try decoded("webp_ops.webp", options)
        #expect(image.pixels.allColors == Array(repeating: .fullRed, count: 16))
        #expect(image.attributes.isThumbnail)
        #expect(image.attributes.frameCount == 3)
        #expect(image.attributes.loopCount == 1)
    }

    @Test func aThumbnailHasExactlyTheFittedSize() throws {
        for quality in [0.9, 1] {
            for alpha in [AlphaMode.opaque, .premultiplied] {
                let image = try picture(PixelSize(60, 40), alpha: alpha) { _, _ in PixelColor(200, 100, 50) }
                let data = try WebPCoder().encode(image, to: .webP, options: EncodeOptions(quality: quality))
                let thumbnail = try WebPCoder().decode(data, options: .thumbnail(17, 17))
                #expect(thumbnail.pixelSize == PixelSize(17, 12))
                #expect(PixelColor(200, 100, 50).distance(to: thumbnail.pixels.color(x: 8, y: 6)) <= 6)
            }
        }
    }

    @Test("the filter that was asked for weighs the pixels of a thumbnail", arguments: [ImageFormat.webP, .jpeg, .png])
    func filters(_ format: ImageFormat) throws {
        let image = try picture(PixelSize(64, 64), alpha: .opaque) { x, y in
            (x / 4 + y / 8).isMultiple(of: 2) ? PixelColor(240, 240, 240) : PixelColor(20, 20, 20)
        }
        let data = try coders.encode(image, to: format, options: EncodeOptions(quality: 1))
        let source = try coders.decode(data).pixels
        for filter in ResamplingFilter.allCases {
            var options = DecodeOptions.thumbnail(11, 11)
            options.resampling = Resampling(filter)
            let thumbnail = try coders.decode(data, options: options).pixels
            let expected = try #require(source.resized(to: PixelSize(11, 11), resampling: Resampling(filter)))
            let distance = try #require(thumbnail.distance(to: expected))
            #expect(distance <= (filter == .nearest || format == .png ? 0 : 24), "\(filter): \(distance)")
        }
    }

    @Test("a thumbnail in linear light is that of the whole picture", arguments: [ImageFormat.webP, .jpeg, .png])
    func linearLight(_ format: ImageFormat) throws {
        let image = try picture(PixelSize(64, 64), alpha: .opaque) { x, y in
            (x + y).isMultiple(of: 2) ? .white : PixelColor(0, 0, 0)
        }
        let data = try coders.encode(image, to: format, options: EncodeOptions(quality: 1))
        var options = DecodeOptions.thumbnail(8, 8)
        options.resampling = Resampling(.box, light: .linear)
        let thumbnail = try coders.decode(data, options: options).pixels
        // Half the light is 0.735 encoded; where it is as stored, the mean is 128.
        #expect(PixelColor(188, 188, 188).distance(to: thumbnail.color(x: 4, y: 4)) <= 3)
        let expected = try coders.decode(data).pixels.resized(to: PixelSize(8, 8), resampling: options.resampling)
        #expect(thumbnail.distance(to: try #require(expected)) == 0)
    }

    @Test func whatIsTransparentDoesNotBleedIntoAThumbnail() throws {
        let image = try picture(PixelSize(64, 64), alpha: .straight) { x, _ in
            x < 32 ? PixelColor(255, 0, 0) : PixelColor(0, 255, 0, 0)
        }
        // Lossy coding smears colour itself; half of each would be (127,127).
        for (quality, tolerance) in [(0.95, 40), (1, 10)] {
            let data = try WebPCoder().encode(image, to: .webP, options: EncodeOptions(quality: quality))
            let pixels = try WebPCoder().decode(data, options: .thumbnail(9, 9)).pixels
            for x in 0..<9 {
                let color = try #require(pixels.color(x: x, y: 4))
                let visible = PixelColor(color.red, color.green, color.blue)
                #expect(
                    color.alpha < 8 || PixelColor.fullRed.distance(to: visible) <= tolerance,
                    "\(color) at \(x), quality \(quality)")
            }
        }
    }

    @Test func everyCutIsAnError() throws {
        for name in ["webp_ops.webp", "icc_swapped.webp"] {
            let data = try fixture(name)
            for count in 1..<data.count - 1 {
                let error = failure { _ = try WebPCoder().decode(data.prefix(count), options: DecodeOptions()) }
                #expect(error?.code == .badImageData, "\(count) bytes of \(name)")
            }
        }
    }
}
