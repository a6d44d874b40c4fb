import Foundation
import Testing
import WebImagePixels
import WebImageTesting

@testable import WebImageCore

@Suite("What is made of an original in memory")
struct OriginalInMemoryTests {
    private func harness(_ original: (DecodedImage) -> DecodedImage = { $0 }) -> ManagerHarness {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        harness.cache.storeInMemory(original(harness.image), for: harness.key)
        return harness
    }

    private func load(
        _ harness: ManagerHarness, _ change: (inout DecodeOptions) -> Void
    ) async throws -> LoadResult {
        try await harness.manager.image(
            for: harness.request([.waitStoreCache]) {
                change(&$0.decodeOptions)
                $0.originalQueryCacheType = .all
            })
    }

    @Test("A part of an original in memory is cut out of it; one outside is an error")
    func partOfOriginalInMemory() async throws {
        let harness = ManagerHarness()
        harness.cache.scriptAllMissing()
        harness.cache.storeInMemory(harness.image, for: harness.key)
        let request = harness.request {
            $0.decodeOptions.cropRect = PixelRect(x: 100, y: 0, width: 60, height: 3)
            $0.originalQueryCacheType = .all
        }
        let result = try await harness.manager.image(for: request)
        #expect(result.image.pixelSize == PixelSize(2, 3) && result.image.attributes.isThumbnail)
        let outside = harness.request {
            $0.decodeOptions.cropRect = PixelRect(x: 200, y: 0, width: 60, height: 3)
            $0.originalQueryCacheType = .all
        }
        await #expect { try await harness.manager.image(for: outside) } throws: {
            ($0 as? ImageError)?.code == .transformFailed
        }
    }

    @Test("A part that is all of it, in a box as large, is the picture itself")
    func wholePart() async throws {
        let harness = harness()
        let result = try await load(harness) {
            $0.cropRect = PixelRect(x: -5, y: -5, width: 500, height: 500)
            $0.thumbnailPixelSize = ImageSize(102, 102)
        }
        #expect(result.image === harness.image && result.source == .memory)
        let part = try await load(harness) {
            $0.cropRect = PixelRect(x: 1, y: 0, width: 500, height: 500)
            $0.thumbnailPixelSize = ImageSize(102, 102)
        }
        #expect(part.image.pixelSize == PixelSize(101, 102) && part.source == .memory)
    }

    @Test("What only the file's bytes tell is not made of it")
    func fileIsNeeded() async throws {
        let changes: [(inout DecodeOptions) -> Void] = [
            { $0.frameIndex = 1 }, { $0.alpha = .straight }, { $0.colorConversion = .none },
        ]
        for change in changes {
            let harness = harness()
            let result = try await load(harness, change)
            #expect(result.source == .network && harness.coder.decodes.count == 1)
            var decoded = try #require(harness.coder.decodes.first)
            let options = decoded
            change(&decoded)
            #expect(decoded == options)
        }
    }

    @Test("Shapes are drawn anew, and of an animation the file is taken, but not for its first frame alone")
    func otherForms() async throws {
        let smaller: (inout DecodeOptions) -> Void = { $0.thumbnailPixelSize = ImageSize(10, 10) }
        let vector = harness { image in
            var attributes = image.attributes
            attributes.isVector = true
            return image.with(attributes)
        }
        #expect(try await load(vector, smaller).source == .network)
        func animated(_ image: DecodedImage) -> DecodedImage {
            var attributes = image.attributes
            attributes.frameCount = 3
            return image.with(attributes)
        }
        #expect(try await load(harness(animated), smaller).source == .network)
        let first = try await load(harness(animated)) {
            smaller(&$0)
            $0.firstFrameOnly = true
        }
        #expect(first.source == .memory && !first.image.isAnimated && first.image.pixelSize == PixelSize(10, 10))
    }

    @Test("Of one that was not decoded yet, damage is an error and no transparent thumbnail")
    func lazyOriginal() async throws {
        let damage = ImageError(.badImageData, .decode, "damaged")
        let harness = harness { image in
            DecodedImage(
                deferring: DeferredPixels(size: image.pixelSize, fileByteCount: 1) { .failure(damage) },
                attributes: image.attributes)
        }
        await #expect {
            try await load(harness) { $0.thumbnailPixelSize = ImageSize(10, 10) }
        } throws: {
            ($0 as? ImageError)?.code == .badImageData
        }
        #expect(harness.cache.disk.isEmpty)
    }
}
