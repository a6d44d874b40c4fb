import Foundation
import Synchronization
import Testing
import WebImagePixels
import WebImageTesting

@testable import WebImageCore

@Suite("Loads of bytes alone keep to options, context, sources and delegate", .timeLimit(.minutes(10)))
struct DataLoadTests {
    private let harness = ManagerHarness()
    private let old = TestPictures.red
    private let new = TestPictures.red + Data([0])

    /// The disk has the old bytes, the loader the new ones.
    private func scriptBoth() {
        harness.cache.scriptAllMissing()
        harness.cache.disk[harness.key] = CachedData(data: old)
        harness.loader.script(harness.url, .data(new))
    }

    private func code(_ request: ImageRequest) async -> ImageError.Code? {
        do throws(ImageError) {
            _ = try await harness.manager.data(for: request)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("fromCacheOnly: what is not on disk is the error, and nobody is asked")
    func fromCacheOnly() async throws {
        harness.scriptNetwork()
        #expect(await code(harness.request(.fromCacheOnly)) == .notInCache)
        #expect(harness.loader.requests.isEmpty)
        harness.cache.disk[harness.key] = CachedData(data: old)
        #expect(try await harness.manager.data(for: harness.request(.fromCacheOnly)).data == old)
    }

    @Test("fromLoaderOnly: the disk is not read and is written; pictures of the old bytes are forgotten")
    func fromLoaderOnly() async throws {
        scriptBoth()
        let answering = AnsweringLoader(new)
        harness.cache.storeInMemory(harness.image, for: harness.key)
        let result = try await harness.manager.data(
            for: harness.request([.fromLoaderOnly, .waitStoreCache]) { $0.imageLoader = answering })
        #expect(result.data == new && result.source == .network && harness.cache.diskQueries.isEmpty)
        #expect(harness.cache.disk[harness.key]?.data == new && harness.cache.memory.isEmpty)
    }

    @Test("queryCacheType and storeCacheType: without the disk it is not read, and not written")
    func cacheTypes() async throws {
        scriptBoth()
        let result = try await harness.manager.data(
            for: harness.request(.waitStoreCache) { context in
                context.queryCacheType = .memory
                context.storeCacheType = .memory
            })
        #expect(result.data == new && harness.cache.diskQueries.isEmpty)
        #expect(harness.cache.disk[harness.key]?.data == old)
    }

    @Test("waitStoreCache: what the disk could not write is told; without it nobody waits for the disk")
    func waitStoreCache() async throws {
        harness.cache.scriptAllMissing()
        harness.loader.script(harness.url, .data(new))
        harness.cache.scriptStoreError(ImageError(.storeFailed, .store, "the disk is full"))
        let waited = try await harness.manager.data(for: harness.request(.waitStoreCache))
        #expect(waited.storeError?.code == .storeFailed)
        let cache = GatedCache(holdingWritesOf: harness.key)
        let request = harness.request { $0.imageCache = cache }
        #expect(try await harness.manager.data(for: request).storeError == nil)
        await cache.gate.waitForArrivals(1)
        cache.gate.open()
    }

    private final class Refusing: ImageManagerDelegate {
        func imageManager(_ manager: ImageManager, shouldLoad url: URL) -> Bool { false }
    }

    @Test("The delegate is asked before the loader; its no blocks no URL")
    func delegate() async {
        harness.cache.scriptAllMissing()
        harness.loader.script(harness.url, .data(new))
        harness.loader.block(.notInCache)
        let delegate = Refusing()
        harness.manager.delegate = delegate
        #expect(await code(harness.request()) == .notInCache && harness.loader.requests.isEmpty)
        #expect(harness.manager.failure(of: harness.url) == nil)
        harness.manager.delegate = nil
        #expect(await code(harness.request()) == nil)
        withExtendedLifetime(delegate) {}
    }

    @Test("Sources in order until one brings bytes, all failures reported; the small one on a constrained network")
    func sources() async throws {
        harness.cache.scriptAllMissing()
        let broken = URL(string: "https://h/broken.png")!
        let failure = ImageError(.cannotConnect, .load, "nobody there")
        harness.loader.script(broken, .failure(failure))
        harness.loader.script(harness.url, .data(new))
        var request = ImageRequest(broken)
        request.alternatives = [harness.url]
        let result = try await harness.manager.data(for: request)
        #expect(result.data == new && result.url == harness.url)
        request.alternatives = [broken]
        do throws(ImageError) {
            _ = try await harness.manager.data(for: request)
            Issue.record("there are no bytes")
        } catch {
            #expect(error.failures.map(\.code) == [.cannotConnect, .cannotConnect])
        }
        #expect(harness.manager.metrics.failureCounts == [.cannotConnect: 1] && !harness.manager.isRunning)

        var configuration = ImageManager.Configuration()
        configuration.isNetworkConstrained = { true }
        let manager = ImageManager(
            cache: harness.cache, loader: harness.loader, coder: harness.coder, configuration: configuration)
        request = ImageRequest(broken)
        request.lowDataURL = harness.url
        #expect(try await manager.data(for: request).url == harness.url)
    }
}

/// Brings bytes as from a server, with its answer's head.
private final class AnsweringLoader: ImageLoader {
    private let data: Data

    init(_ data: Data) { self.data = data }

    func canLoad(_ url: URL) -> Bool { true }

    func load(
        _ request: ImageRequest, progress: @escaping @Sendable (LoadProgress) -> Void,
        completion: @escaping @Sendable (Result<LoadedData, ImageError>) -> Void
    ) -> any ImageOperation {
        let url = request.url ?? URL(filePath: "/")
        completion(.success(LoadedData(data: data, response: HTTPResponse(url: url, statusCode: 200, headers: [:]))))
        return CurrentOperation()
    }

    func shouldBlockFailedURL(_ url: URL, error: ImageError) -> Bool { false }
}
