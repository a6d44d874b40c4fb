import Foundation
import Testing
import WebImageCore
import WebImagePixels

@Suite struct EncodeFittingTests {
    /// Writes as many bytes as a picture has pixels, times the quality, and notes what it was asked.
    struct CountingCoder: AnimatedImageCoder {
        let attempts = Attempts()

        // Used on one thread, that of the test.
        final class Attempts: @unchecked Sendable {
            var options: [EncodeOptions] = []
            var sizes: [PixelSize] = []
        }

        func canDecode(_ data: Data) -> Bool { false }
        func probe(_ data: Data) throws(ImageError) -> ImageProbe { throw ImageError(.badImageData, .decode, "no") }
        func decode(
            _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
        ) throws(ImageError) -> DecodedImage { throw ImageError(.badImageData, .decode, "no") }
        func frames(of data: Data, options: DecodeOptions) throws(ImageError) -> any FrameSource {
            throw ImageError(.badImageData, .decode, "no")
        }
        func canEncode(to format: ImageFormat) -> Bool { format == .jpeg || format == .gif }
        func canEncodeAnimation(to format: ImageFormat) -> Bool { format == .gif }

        func encode(
            _ image: DecodedImage, to format: ImageFormat, options: EncodeOptions, monitor: DecodeMonitor
        ) throws(ImageError) -> Data {
            attempts.options.append(options)
            attempts.sizes.append(image.pixelSize)
            let bytes = Double(image.pixelSize.width * image.pixelSize.height) * (format == .jpeg ? options.quality : 1)
            return Data(count: 10 + Int(bytes))
        }

        func encode(
            _ frames: any FrameSource, to format: ImageFormat, options: EncodeOptions
        ) throws(ImageError) -> Data {
            var data = Data()
            for index in 0..<frames.frameCount {
                data += try encode(frames.frame(at: index), to: format, options: options)
            }
            return data
        }
    }

    struct TwoFrames: FrameSource {
        let frameCount = 2
        let loopCount = 3
        let durations = [Duration.milliseconds(100), .milliseconds(100)]
        let image: DecodedImage

        func frame(at index: Int) throws(ImageError) -> DecodedImage { image }
    }

    private func image(_ size: PixelSize = PixelSize(100, 50)) throws -> DecodedImage {
        let pixels = try #require(PixelBuffer(size: size))
        return DecodedImage(pixels: pixels, attributes: .init(scale: 2, loopCount: 5))
    }

    @Test("CC-10 the largest size, proportions kept, is the manager's work")
    func CC_10_maxPixelSize() throws {
        let coder = CountingCoder()
        var options = EncodeOptions()
        options.maxPixelSize = ImageSize(50, 50)
        _ = try CodersManager([coder]).encode(image(), to: .jpeg, options: options)
        #expect(coder.attempts.sizes == [PixelSize(50, 25)])
        #expect(coder.attempts.options[0].maxPixelSize == nil)
        options.maxPixelSize = ImageSize(4000, 4000)
        _ = try CodersManager([coder]).encode(image(), to: .jpeg, options: options)
        #expect(coder.attempts.sizes.last == PixelSize(100, 50))
    }

    @Test("CO-09 quality is searched for until the file fits")
    func CO_09_maxByteCount() throws {
        let coder = CountingCoder()
        var options = EncodeOptions(quality: 1)
        options.maxByteCount = 2510
        let data = try CodersManager([coder]).encode(image(), to: .jpeg, options: options)
        // Between the file of quality 0.01 and that of quality 1, and close below what is allowed.
        #expect((2300...2510).contains(data.count))
        #expect(coder.attempts.sizes.allSatisfy { $0 == PixelSize(100, 50) })
        #expect(coder.attempts.options.count <= 8)
        options.maxByteCount = 100_000
        #expect(try CodersManager([coder]).encode(image(), to: .jpeg, options: options).count == 5010)
    }

    @Test func smallerWhereQualityDoesNotDo() throws {
        for format in [ImageFormat.jpeg, .gif] {
            let coder = CountingCoder()
            var options = EncodeOptions()
            options.maxByteCount = 200
            let data = try CodersManager([coder]).encode(image(), to: format, options: options)
            #expect(data.count <= 200)
            #expect(coder.attempts.sizes.count < 20)
            let last = try #require(coder.attempts.sizes.last)
            #expect(abs(last.width - 2 * last.height) <= 2)
        }
        var options = EncodeOptions()
        options.maxByteCount = 5
        #expect(throws: ImageError.self) {
            try CodersManager([CountingCoder()]).encode(image(), to: .gif, options: options)
        }
    }

    @Test func animations() throws {
        let coder = CountingCoder()
        let manager = CodersManager([coder])
        let frames = TwoFrames(image: try image())
        var options = EncodeOptions()
        options.maxPixelSize = ImageSize(10, 10)
        #expect(try manager.encode(frames, to: .gif, options: options).count == 2 * (10 + 50))
        options.firstFrameOnly = true
        #expect(try manager.encode(frames, to: .gif, options: options).count == 10 + 50)
        #expect(try manager.encode(frames, to: .jpeg, options: options).count > 0)
        options.firstFrameOnly = false
        #expect(throws: ImageError.self) { try manager.encode(frames, to: .jpeg, options: options) }
        options.maxByteCount = 50
        #expect(try manager.encode(frames, to: .gif, options: options).count <= 50)
        #expect(manager.canEncodeAnimation(to: .gif))
        #expect(!manager.canEncodeAnimation(to: .jpeg))
    }
}
