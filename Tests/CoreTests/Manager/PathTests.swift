import Foundation
import Testing
import WebImageCore
import WebImagePixels
import WebImageTesting

@Suite("The path: cache, original, loader, transform, store")
struct PathTests {
    private func variantKey(_ harness: ManagerHarness, _ transformer: any ImageTransformer) -> CacheKey {
        harness.key.appending(transformer.key)
    }

    @Test("A picture from the network is in memory and, as its own bytes, on disk")
    func storesOriginal() async throws {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        _ = try await harness.manager.image(for: harness.request([.waitStoreCache]))
        #expect(harness.cache.memory[harness.key] === harness.image)
        #expect(harness.cache.disk[harness.key]?.data == ManagerHarness.bytes)
        #expect(harness.cache.disk.count == 1 && harness.coder.encodes.isEmpty)
    }

    @Test("A picture on disk is decoded from there and put in memory; the loader is not asked")
    func fromDisk() async throws {
        let harness = ManagerHarness()
        harness.cache.disk[harness.key] = CachedData(data: ManagerHarness.bytes)
        let result = try await harness.manager.image(for: harness.request())
        #expect(result.source == .disk && result.data == ManagerHarness.bytes)
        #expect(harness.cache.memory[harness.key] != nil && harness.loader.requests.isEmpty)
    }

    @Test("S9 bytes on disk that are no picture are removed, and the picture is loaded")
    func damagedEntry() async throws {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        let damaged = Data("damaged".utf8)
        harness.coder.script(damaged, .failure(ImageError(.badImageData, .decode, "damaged")))
        harness.cache.disk[harness.key] = CachedData(data: damaged)
        let result = try await harness.manager.image(for: harness.request([.waitStoreCache]))
        #expect(result.source == .network)
        #expect(harness.cache.disk[harness.key]?.data == ManagerHarness.bytes)
    }

    @Test("MA-09 cache key filter, and a store in memory only")
    func keyFilter() async throws {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        let result = try await harness.manager.image(
            for: harness.request([.waitStoreCache]) { context in
                context.cacheKeyFilter = CacheKeyFilter { $0.absoluteString.replacingOccurrences(of: "h", with: "x") }
                context.storeCacheType = .memory
            })
        #expect(result.source == .network)
        #expect(harness.cache.memory.keys.map(\.text) == ["xttps://x/a.png"])
        #expect(harness.cache.disk.isEmpty)
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

    @Test("A transformer that fails is an error, and nothing is stored under its key")
    func failedTransform() async {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        let transformer = CountingTransformer(failure: ImageError(.transformFailed, .transform, "no"))
        await #expect {
            try await harness.manager.image(
                for: harness.request([.waitStoreCache]) { $0.transformer = transformer })
        } throws: {
            ($0 as? ImageError)?.stage == .transform
        }
        #expect(harness.cache.memory.isEmpty && harness.cache.disk.isEmpty)
    }

    @Test("The manager's transformer is used, and switched off by identity")
    func managerTransformer() async throws {
        var configuration = ImageManager.Configuration()
        configuration.transformer = CountingTransformer()
        let harness = ManagerHarness(configuration: configuration)
        harness.scriptNetwork()
        let transformed = try await harness.manager.image(for: harness.request())
        #expect(transformed.image.pixelSize == PixelSize(10, 10))
        let plain = try await harness.manager.image(for: harness.request { $0.transformer = .identity })
        #expect(plain.image.pixelSize == PixelSize(102, 102))
    }

    @Test("A cache that cannot be written fails the store and never the load")
    func storeFailure() async throws {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        harness.cache.scriptStoreError(ImageError(.storeFailed, .store, "the disk is full"))
        let result = try await harness.manager.image(for: harness.request([.waitStoreCache]))
        #expect(result.image === harness.image && result.storeError?.code == .storeFailed)
        #expect(harness.cache.memory[harness.key] != nil)
    }

    @Test("fromLoaderOnly does not look and still stores")
    func fromLoaderOnly() async throws {
        let harness = ManagerHarness()
        harness.loader.script(harness.url, .data(ManagerHarness.bytes))
        harness.cache.storeInMemory(harness.image, for: harness.key)
        harness.cache.disk[harness.key] = CachedData(data: Data("old".utf8))
        let result = try await harness.manager.image(for: harness.request([.fromLoaderOnly, .waitStoreCache]))
        #expect(result.source == .network && harness.cache.diskQueries.isEmpty)
        #expect(harness.cache.disk[harness.key]?.data == ManagerHarness.bytes)
    }

    @Test("A stable failure blocks its URL until it is retried, removed, or forgotten")
    func failedURL() async throws {
        let harness = ManagerHarness()
        harness.cache.scriptAllMissing()
        harness.loader.block(.badImageData)
        harness.loader.script(harness.url, .failure(ImageError(.badImageData, .load, "empty")))
        await #expect(throws: ImageError.self) { try await harness.manager.image(for: harness.request()) }
        await #expect { try await harness.manager.image(for: harness.request()) } throws: {
            ($0 as? ImageError)?.code == .blackListed
        }
        #expect(harness.loader.requests.count == 1)
        harness.loader.script(harness.url, .data(ManagerHarness.bytes))
        _ = try await harness.manager.image(for: harness.request([.retryFailed, .waitStoreCache]))
        await harness.cache.clear()
        _ = try await harness.manager.image(for: harness.request())
        #expect(harness.loader.requests.count == 3)
    }

    @Test("A local file leaves no copy in the disk cache")
    func localFile() async throws {
        let harness = ManagerHarness()
        harness.cache.scriptAllMissing()
        let file = URL(fileURLWithPath: "/a.png")
        harness.loader.script(file, .data(ManagerHarness.bytes))
        var request = harness.request([.waitStoreCache])
        request.url = file
        _ = try await harness.manager.image(for: request)
        #expect(harness.cache.disk.isEmpty && harness.cache.memory.count == 1)
    }

    @Test("Bytes alone: from disk, else through the loader, kept on disk; no picture, no entry")
    func dataOnly() async throws {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        let first = try await harness.manager.data(for: harness.request([.waitStoreCache]))
        let second = try await harness.manager.data(for: harness.request())
        #expect(first.source == .network && second.source == .disk && second.data == ManagerHarness.bytes)
        #expect(harness.coder.decodes.isEmpty)

        let page = URL(string: "https://h/page")!
        harness.loader.script(page, .data(Data("<html>no</html>".utf8)))
        var request = harness.request([.waitStoreCache])
        request.url = page
        await #expect { try await harness.manager.data(for: request) } throws: {
            ($0 as? ImageError)?.code == .unknownFormat
        }
        #expect(harness.cache.disk.count == 1)
    }

    @Test("B01 two chains whose keys run together have two keys")
    func chains() throws {
        let harness = ManagerHarness()
        func key(_ keys: String...) -> String? {
            let chain = PipelineTransformer(keys.map { CountingTransformer($0) })
            return harness.manager.cacheKey(for: harness.request { $0.transformer = chain })?.text
        }
        #expect(key("a-", "bc") != key("a-b", "c"))
        #expect(key("Blur(1.0)") != key("Blur(1.04)"))
    }
}
