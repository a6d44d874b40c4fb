import Foundation
import Testing
import WebImageCore
import WebImagePixels
import WebImageTesting

@MainActor
@Suite("Placeholders of views")
struct ImagePlaceholderTests {
    @Test("Hashes give a picture, and what is none gives nothing; the first of several that shows something")
    func hashes() throws {
        let cache = FakeCache()
        let blur = try #require(ImagePlaceholder.blurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj").image(from: cache))
        #expect(blur.pixelSize == PixelSize(32, 32))
        let thumb = ThumbHash(of: PixelBuffer(size: PixelSize(8, 4))!)
        let image = try #require(ImagePlaceholder.thumbHash(Data(thumb.bytes)).image(from: cache))
        #expect(image.pixelSize == PixelSize(32, 16) || image.pixelSize.width == 32)
        #expect(ImagePlaceholder.blurHash("no").image(from: cache) == nil)
        #expect(ImagePlaceholder.thumbHash(Data([1])).image(from: cache) == nil)
        let several = ImagePlaceholder.firstOf([.blurHash("no"), .cached(CacheKey("small")), .image(blur)])
        #expect(several.image(from: cache) === blur)
    }

    @Test("The picture of another key, if memory has it")
    func cached() {
        let cache = FakeCache()
        let image = DecodedImage(pixels: PixelBuffer(size: PixelSize(1, 1))!)
        #expect(ImagePlaceholder.cached(CacheKey("small")).image(from: cache) == nil)
        cache.storeInMemory(image, for: CacheKey("small"))
        #expect(ImagePlaceholder.cached(CacheKey("small")).image(from: cache) === image)
    }
}
