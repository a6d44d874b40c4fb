import Foundation
import Testing
import WebImageCore
import WebImagePixels
import WebImageTesting

@Suite("The path: cache, original, loader, transform, store")
struct PathTests {
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
