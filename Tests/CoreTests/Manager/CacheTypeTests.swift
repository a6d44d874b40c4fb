import Foundation
import Testing
import WebImageCore
import WebImagePixels
import WebImageTesting

/// Each of them is switched off somewhere on the path if its test fails.
@Suite("Which layers are asked and filled")
struct CacheTypeTests {
    private let harness = ManagerHarness()
    private let inMemory = DecodedImage(pixels: PixelBuffer(size: PixelSize(7, 7))!, attributes: .init(format: .png))

    /// Whether a load with `queryDiskDataSync` is answered before the call returns.
    private func answeredAtOnce(_ change: (inout LoadContext) -> Void) -> LoadResult? {
        let recorder = Recorder()
        let operation = harness.manager.load(
            harness.request([.queryDiskDataSync, .fromCacheOnly], change), completion: recorder.complete)
        defer { operation.cancel() }
        return recorder.result
    }

    @Test("queryCacheType: only the layers named are asked, of memory and of disk")
    func queryCacheType() async throws {
        harness.scriptNetwork()
        harness.cache.storeInMemory(inMemory, for: harness.key)
        harness.cache.disk[harness.key] = CachedData(data: ManagerHarness.bytes)
        var found: [LoadSource] = []
        for type in [CacheType.all, .memory, .disk, .none] {
            let request = harness.request { context in
                context.queryCacheType = type
                context.storeCacheType = .none
            }
            found.append(try await harness.manager.image(for: request).source)
        }
        #expect(found == [.memory, .memory, .disk, .network])
        #expect(harness.cache.diskQueries == [harness.key])
    }

    @Test("queryDiskDataSync keeps to the layers that may be asked")
    func atOnce() throws {
        harness.scriptNetwork()
        harness.cache.disk[harness.key] = CachedData(data: ManagerHarness.bytes)
        #expect(answeredAtOnce { $0.queryCacheType = .memory } == nil)
        let size = ImageSize(10, 10)
        #expect(
            answeredAtOnce { context in
                context.thumbnailPixelSize = size
                context.originalQueryCacheType = .none
            } == nil)
        let thumbnail = answeredAtOnce { $0.thumbnailPixelSize = size }
        #expect(thumbnail?.source == .disk && thumbnail?.image.pixelSize == PixelSize(10, 10))
    }

    @Test("storeCacheType: what was found on disk at once is kept in memory only where that is named")
    func storeAtOnce() {
        harness.cache.disk[harness.key] = CachedData(data: ManagerHarness.bytes)
        #expect(answeredAtOnce { $0.storeCacheType = .disk } != nil)
        #expect(harness.cache.memory.isEmpty)
        #expect(answeredAtOnce { _ in } != nil)
        #expect(harness.cache.memory.count == 1)
    }

    @Test(
        "storeCacheType: the layers named are filled from the network, no others",
        arguments: [CacheType.all, .memory, .disk, .none])
    func storeCacheType(_ type: CacheType) async throws {
        harness.scriptNetwork()
        _ = try await harness.manager.image(for: harness.request(.waitStoreCache) { $0.storeCacheType = type })
        #expect(harness.cache.memory.isEmpty == !type.includesMemory)
        #expect(harness.cache.disk.isEmpty == !type.includesDisk)
    }

    @Test("fromLoaderOnly: the original of a variant is not looked for either")
    func variantFromLoader() async throws {
        harness.scriptNetwork()
        harness.cache.disk[harness.key] = CachedData(data: ManagerHarness.bytes)
        harness.cache.storeInMemory(inMemory, for: harness.key)
        let result = try await harness.manager.image(
            for: harness.request(.fromLoaderOnly) { context in
                context.transformer = CountingTransformer()
                context.originalQueryCacheType = .all
            })
        #expect(result.source == .network && harness.cache.diskQueries.isEmpty)
    }

    @Test(
        "The request's filter, serializer, transformer and policy go before the manager's, which hold where it has none"
    )
    func whoseParts() async throws {
        var configuration = ImageManager.Configuration()
        configuration.cacheKeyFilter = CacheKeyFilter { "manager:" + $0.lastPathComponent }
        configuration.cacheSerializer = CacheSerializer { _, _, _ in Data("manager".utf8) }
        let harness = ManagerHarness(configuration: configuration)
        harness.scriptNetwork()
        _ = try await harness.manager.image(for: harness.request(.waitStoreCache))
        _ = try await harness.manager.image(
            for: harness.request(.waitStoreCache) { context in
                context.cacheKeyFilter = CacheKeyFilter { "request:" + $0.lastPathComponent }
                context.cacheSerializer = CacheSerializer { _, _, _ in Data("request".utf8) }
            })
        let stored = harness.cache.disk.map { "\($0.key.text) \(String(decoding: $0.value.data, as: UTF8.self))" }
        #expect(stored.sorted() == ["manager:a.png manager", "request:a.png request"])
    }

    @Test("scaleFactor: a picture in memory that has another scale is delivered with the one asked for")
    func scaleInMemory() async throws {
        harness.scriptNetwork()
        let first = try await harness.manager.image(for: harness.request { $0.scaleFactor = 2 })
        harness.cache.storeInMemory(harness.image, for: harness.key)
        for flags in [LoadOptions(), .queryMemoryData] {
            let other = try await harness.manager.image(for: harness.request(flags) { $0.scaleFactor = 3 })
            #expect(other.source == .memory && other.image.attributes.scale == 3)
            #expect(other.image.pixelSize == first.image.pixelSize && other.image.size.width == 34)
            #expect(try await harness.manager.image(for: harness.request(flags)).image === harness.image)
        }
    }
}
