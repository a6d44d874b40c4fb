import Foundation
import Testing
import WebImage

@Suite("Encoding within limits") struct EncodeFittingTests {
    /// A picture with something to lose.
    private func noise(_ size: PixelSize) throws -> DecodedImage {
        var pixels = try #require(PixelBuffer(size: size, layout: .init(alpha: .opaque)))
        var state: UInt32 = 1
        pixels.withUnsafeMutableBytes { bytes in
            for offset in stride(from: 0, to: bytes.count, by: 4) {
                state = state &* 1_664_525 &+ 1_013_904_223
                let color = UInt32(state >> 24) | (state >> 16 & 0xFF) << 8 | (state >> 8 & 0xFF) << 16 | 0xFF00_0000
                bytes.storeBytes(of: color.littleEndian, toByteOffset: offset, as: UInt32.self)
            }
        }
        return DecodedImage(pixels: pixels, attributes: .init(scale: 2))
    }

    @Test("CO-09 the largest file size is kept to, between the sizes of the worst and the best quality")
    func CO_09_maxByteCount() throws {
        let image = try noise(PixelSize(300, 200))
        let worst = try CodersManager.shared.encode(image, to: .jpeg, options: EncodeOptions(quality: 0.01)).count
        let best = try CodersManager.shared.encode(image, to: .jpeg, options: EncodeOptions(quality: 1)).count
        for limit in [(worst + best) / 4, (worst + best) / 2] {
            var options = EncodeOptions(quality: 1)
            options.maxByteCount = limit
            let data = try CodersManager.shared.encode(image, to: .jpeg, options: options)
            #expect(data.count > worst && data.count < best)
            #expect(data.count <= limit)
            #expect(try CodersManager.shared.probe(data).size == PixelSize(300, 200))
        }
    }

    @Test("CO-09 a lossless format is made smaller", arguments: [ImageFormat.png])
    func CO_09_lossless(_ format: ImageFormat) throws {
        var options = EncodeOptions()
        options.maxByteCount = 20_000
        let data = try CodersManager.shared.encode(noise(PixelSize(300, 200)), to: format, options: options)
        #expect(data.count <= 20_000)
        #expect(data.count > 10_000)
        let size = try CodersManager.shared.probe(data).size
        #expect(abs(size.width * 2 - size.height * 3) <= 3)
    }

    @Test("CC-10 the largest pixel size is kept to", arguments: [ImageFormat.png, .jpeg, .webP])
    func CC_10_maxPixelSize(_ format: ImageFormat) throws {
        var options = EncodeOptions()
        options.maxPixelSize = ImageSize(50, 50)
        let data = try CodersManager.shared.encode(noise(PixelSize(300, 200)), to: format, options: options)
        #expect(try CodersManager.shared.probe(data).size == PixelSize(50, 34))
    }

    @Test("CO-23 5250×3450 within 4000×4000 is 4000×2629") func CO_23_maxPixelSize() throws {
        #expect(PixelSize(5250, 3450).fitted(in: ImageSize(4000, 4000)) == PixelSize(4000, 2629))
        var options = EncodeOptions()
        options.maxPixelSize = ImageSize(40, 40)
        let data = try CodersManager.shared.encode(noise(PixelSize(525, 345)), to: .jpeg, options: options)
        #expect(try CodersManager.shared.probe(data).size == PixelSize(40, 27))
    }
}
