import Dispatch
import Foundation
import Synchronization
import Testing
import WebImagePixels
import WebImageTesting

@testable import WebImageCore

@Suite("Inside interceptors the path is the same", .timeLimit(.minutes(10)))
struct AroundTests {
    private struct Interceptor: LoadInterceptor {
        let body: @Sendable (LoadChain) async throws(ImageError) -> LoadResult

        init(_ body: @escaping @Sendable (LoadChain) async throws(ImageError) -> LoadResult) { self.body = body }

        func intercept(_ chain: LoadChain) async throws(ImageError) -> LoadResult { try await body(chain) }
    }

    private func harness(
        _ body: @escaping @Sendable (LoadChain) async throws(ImageError) -> LoadResult = {
            (chain) async throws(ImageError) in try await chain.proceed()
        }
    ) -> ManagerHarness {
        var configuration = ImageManager.Configuration()
        configuration.interceptors = [Interceptor(body)]
        configuration.maxConcurrentDecodes = 1
        configuration.maxConcurrentTransforms = 1
        configuration.maxConcurrentEncodes = 1
        return ManagerHarness(configuration: configuration)
    }

    @Test("refreshCached asks about a picture in memory, which is shown meanwhile")
    func refreshCached() async {
        let harness = harness()
        harness.scriptHeldNetwork()
        harness.cache.storeInMemory(harness.image, for: harness.key)
        let recorder = Recorder()
        harness.manager.load(
            harness.request(.refreshCached), progress: recorder.report, completion: recorder.complete)
        await harness.loader.waitForRequest(for: harness.url)
        #expect(recorder.progress.first?.staleResult?.image === harness.image && recorder.completions.isEmpty)
        harness.loader.finish(harness.url, .success(ManagerHarness.bytes))
        await recorder.ended.wait()
        #expect(recorder.result?.freshness == .loaded)
    }

    @Test("queryMemoryData and queryMemoryDataSync bring the bytes of a picture in memory")
    func queryMemoryData() async throws {
        let harness = harness()
        harness.cache.storeInMemory(harness.image, for: harness.key)
        harness.cache.disk[harness.key] = CachedData(data: ManagerHarness.bytes)
        for flag in [LoadOptions.queryMemoryData, .queryMemoryDataSync] {
            #expect(try await harness.manager.image(for: harness.request(flag)).data == ManagerHarness.bytes)
        }
        #expect(try await harness.manager.image(for: harness.request()).data == nil)
    }

    @Test("An interceptor answers with a picture of its own: nobody else is asked, and the snapshot counts it")
    func ownResult() async throws {
        let own = DecodedImage(pixels: PixelBuffer(size: PixelSize(2, 2))!)
        let harness = harness { (chain) async throws(ImageError) in
            guard let url = chain.request.url else { return try await chain.proceed() }
            return LoadResult(own, from: .disk, url: url, data: Data([1]))
        }
        let result = try await harness.manager.image(for: harness.request())
        #expect(result.image === own && result.data == Data([1]) && result.url == harness.url)
        #expect(result.source == .disk && result.freshness == .cached && result.storeError == nil)
        #expect(harness.loader.requests.isEmpty && harness.cache.diskQueries.isEmpty)
        #expect(harness.manager.metrics.diskHitCount == 1)
    }

    @Test("The priority of the request that an interceptor goes on with counts, unless the caller has set one")
    func priority() async {
        let harness = harness { (chain) async throws(ImageError) in
            var request = chain.request
            request.options.insert(.highPriority)
            return try await chain.proceed(with: request)
        }
        harness.scriptHeldNetwork()
        let recorder = Recorder()
        let operation = harness.manager.load(harness.request(), completion: recorder.complete)
        await harness.loader.waitForRequest(for: harness.url)
        #expect(operation.priority == .high && harness.loader.requests.first?.options.priority == .high)
        operation.cancel()
        await recorder.ended.wait()
    }

    @Test("An interceptor that loads another picture first, where every stage has one place")
    func loadsFirst() async throws {
        let other = URL(string: "https://h/other.png")!
        let manager = Mutex<ImageManager?>(nil)
        let harness = harness { (chain) async throws(ImageError) in
            if chain.request.url != other, let manager = manager.withLock({ $0 }) {
                _ = try await manager.image(from: other, context: chain.request.context)
            }
            return try await chain.proceed()
        }
        manager.withLock { $0 = harness.manager }
        harness.scriptNetwork()
        harness.loader.script(other, .data(ManagerHarness.bytes))
        let transformer = CountingTransformer()
        let result = try await harness.manager.image(for: harness.request { $0.transformer = transformer })
        #expect(result.image.pixelSize == PixelSize(10, 10) && transformer.count == 2)
        manager.withLock { $0 = nil }
    }

    @Test("A transformer that waits for another picture of the manager, where every stage has one place")
    func transformerLoads() async throws {
        let harness = harness()
        harness.scriptNetwork()
        let other = URL(string: "https://h/other.png")!
        harness.loader.script(other, .data(ManagerHarness.bytes))
        let transformer = LoadingTransformer(harness.manager, other)
        let result = try await harness.manager.image(for: harness.request { $0.transformer = transformer })
        #expect(result.image === harness.image && transformer.other.result?.image === harness.image)
    }
}

/// Waits on its thread for another picture, as one that lays a mark over pictures may.
private final class LoadingTransformer: ImageTransformer {
    let key = "Loading(1)"
    let other = Recorder()
    private let manager: ImageManager
    private let url: URL

    init(_ manager: ImageManager, _ url: URL) {
        self.manager = manager
        self.url = url
    }

    func transform(_ image: DecodedImage) throws(ImageError) -> DecodedImage {
        var request = ImageRequest(url)
        request.context.callbackQueue = .immediate
        manager.load(request, completion: other.complete)
        other.ended.waitBlocking()
        return image
    }
}
