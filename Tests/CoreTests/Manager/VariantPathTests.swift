import Foundation
import Testing
import WebImageCore
import WebImagePixels
import WebImageTesting

@Suite("The path: variants and their originals")
struct VariantPathTests {
    private func variantKey(_ harness: ManagerHarness, _ transformer: any ImageTransformer) -> CacheKey {
        harness.key.appending(transformer.key)
    }

    @Test("MA-12 original on disk only, transformed picture in memory only")
    func separateTypes() async throws {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        let transformer = CountingTransformer()
        let result = try await harness.manager.image(
            for: harness.request([.waitStoreCache]) { context in
                context.transformer = transformer
                context.originalStoreCacheType = .disk
                context.storeCacheType = .memory
            })
        #expect(result.image.attributes.isTransformed && result.data == nil)
        #expect(harness.cache.disk.keys.map(\.text) == [harness.key.text])
        #expect(harness.cache.disk[harness.key]?.data == ManagerHarness.bytes)
        #expect(Array(harness.cache.memory.keys) == [variantKey(harness, transformer)])
    }

    @Test("MA-14 the cache and the loader of the request are used, and the store was waited for")
    func ownParts() async throws {
        let harness = ManagerHarness()
        let cache = FakeCache()
        cache.scriptAllMissing()
        let loader = FakeLoader()
        loader.script(harness.url, .data(ManagerHarness.bytes))
        _ = try await harness.manager.image(
            for: harness.request([.waitStoreCache]) { context in
                context.imageCache = cache
                context.imageLoader = loader
            })
        #expect(cache.disk[harness.key] != nil && loader.requests.count == 1)
        #expect(harness.loader.requests.isEmpty && harness.cache.memory.isEmpty)
    }

    @Test("MA-15a fromCacheOnly misses where it may not look and finds where it may")
    func fromCacheOnly() async throws {
        let harness = ManagerHarness()
        harness.cache.disk[harness.key] = CachedData(data: ManagerHarness.bytes)
        await #expect {
            try await harness.manager.image(for: harness.request([.fromCacheOnly]) { $0.queryCacheType = .memory })
        } throws: {
            ($0 as? ImageError)?.code == .notInCache
        }
        let found = try await harness.manager.image(
            for: harness.request([.fromCacheOnly]) { $0.queryCacheType = .disk })
        #expect(found.source == .disk)
    }

    @Test("MA-15b an original kept in memory makes the transformed picture again without a download")
    func originalInMemory() async throws {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        let transformer = CountingTransformer()
        _ = try await harness.manager.image(
            for: harness.request([.waitStoreCache]) { context in
                context.transformer = transformer
                context.originalStoreCacheType = .all
            })
        #expect(harness.cache.memory[harness.key]?.pixelSize == PixelSize(102, 102))
        await harness.cache.remove(variantKey(harness, transformer))
        await harness.cache.clear(.disk)
        let again = try await harness.manager.image(
            for: harness.request([.fromCacheOnly, .waitStoreCache]) { context in
                context.transformer = transformer
                context.originalQueryCacheType = .all
            })
        #expect(again.image.pixelSize == PixelSize(10, 10) && again.source == .memory)
        #expect(transformer.count == 2 && harness.loader.requests.count == 1)
    }

    @Test("MA-16 separate caches for the original and the transformed picture hold only their own")
    func separateCaches() async throws {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        let originals = FakeCache()
        originals.scriptAllMissing()
        let transformer = CountingTransformer()
        let result = try await harness.manager.image(
            for: harness.request([.waitStoreCache]) { context in
                context.transformer = transformer
                context.originalImageCache = originals
            })
        #expect(result.data == nil)
        #expect(Array(originals.disk.keys) == [harness.key] && originals.memory.isEmpty)
        #expect(Array(harness.cache.disk.keys) == [variantKey(harness, transformer)])
        #expect(Array(harness.cache.memory.keys) == [variantKey(harness, transformer)])
    }

    @Test("MA-18 MA-21 a thumbnail is made of the original on disk, and stored beside it")
    func thumbnailFromOriginal() async throws {
        let harness = ManagerHarness()
        harness.cache.scriptAllMissing()
        harness.cache.disk[harness.key] = CachedData(data: ManagerHarness.bytes)
        let request = harness.request([.waitStoreCache]) { $0.thumbnailPixelSize = ImageSize(50, 50) }
        let result = try await harness.manager.image(for: request)
        let thumbnailKey = try #require(harness.manager.cacheKey(for: request))
        #expect(thumbnailKey.text == "https://h/a.png-Thumbnail({50.0,50.0},1)")
        #expect(result.source == .disk && result.data == nil)
        #expect(result.image.pixelSize == PixelSize(50, 50) && result.image.attributes.isThumbnail)
        #expect(harness.cache.disk[harness.key]?.data == ManagerHarness.bytes)
        #expect(harness.cache.disk[thumbnailKey] != nil && harness.cache.memory[thumbnailKey] != nil)
        #expect(harness.cache.memory[harness.key] == nil && harness.loader.requests.isEmpty)
    }

    @Test("MA-17 a stored thumbnail is not shrunk again")
    func storedThumbnail() async throws {
        let harness = ManagerHarness()
        let request = harness.request { $0.thumbnailPixelSize = ImageSize(50, 50) }
        let key = try #require(harness.manager.cacheKey(for: request))
        harness.cache.disk[key] = CachedData(data: ManagerHarness.bytes)
        let result = try await harness.manager.image(for: request)
        #expect(result.source == .disk && harness.coder.decodes.first?.thumbnailPixelSize == nil)
    }

    @Test("A part, its quality and its filter are in the key, and a stored part is not cut again")
    func storedPart() async throws {
        let harness = ManagerHarness()
        let request = harness.request {
            $0.decodeOptions.cropRect = PixelRect(x: 1, y: 2, width: 60, height: 70)
            $0.thumbnailPixelSize = ImageSize(50, 50)
            $0.decodeOptions.thumbnailQuality = .fast
            $0.decodeOptions.resampling = .box
        }
        let key = try #require(harness.manager.cacheKey(for: request))
        #expect(
            key.text == "https://h/a.png-Region({1,2},{60,70})-Thumbnail({50.0,50.0},1)-ThumbnailQuality(fast)"
                + "-Resampling(box)")
        let inLight = harness.request {
            $0.thumbnailPixelSize = ImageSize(50, 50)
            $0.decodeOptions.resampling.light = .linear
        }
        #expect(
            harness.manager.cacheKey(for: inLight)?.text
                == "https://h/a.png-Thumbnail({50.0,50.0},1)-Resampling(lanczos3,linear)")
        harness.cache.disk[key] = CachedData(data: ManagerHarness.bytes)
        _ = try await harness.manager.image(for: request)
        let options = try #require(harness.coder.decodes.first)
        #expect(options.cropRect == nil && options.thumbnailPixelSize == nil)
    }
}
