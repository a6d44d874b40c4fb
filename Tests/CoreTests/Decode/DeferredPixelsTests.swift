import Synchronization
import Testing
import WebImagePixels

@testable import WebImageCore

@Suite("Pixels decoded lazily")
struct DeferredPixelsTests {
    private final class File: Sendable {}

    @Test("The file is held until they are decoded and no longer; it counts where it is the larger")
    func file() throws {
        weak var file: File?
        let pixels = {
            let held = File()
            file = held
            return DeferredPixels(size: PixelSize(2, 3), fileByteCount: 1000) {
                withExtendedLifetime(held) { .success(PixelBuffer(size: PixelSize(2, 3))!) }
            }
        }()
        let image = DecodedImage(deferring: pixels, attributes: DecodedImage.Attributes())
        #expect(file != nil && !pixels.isDecoded && image.memoryCost == 1000)
        #expect(try pixels.decode().size == PixelSize(2, 3))
        #expect(file == nil && pixels.isDecoded)
        let small = DeferredPixels(size: PixelSize(20, 30), fileByteCount: 1000) { .failure(.cancelled(.decode)) }
        #expect(small.byteCount == 20 * 30 * 4)
    }

    @Test("Decoded once, though it failed")
    func failure() {
        let count = Mutex(0)
        let pixels = DeferredPixels(size: PixelSize(1, 1), fileByteCount: 1) {
            count.withLock { $0 += 1 }
            return .failure(ImageError(.badImageData, .decode, "damaged"))
        }
        for _ in 0..<3 { #expect(throws: ImageError.self) { try pixels.decode() } }
        #expect(count.withLock { $0 } == 1)
    }
}
