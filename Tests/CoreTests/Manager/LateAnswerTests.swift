import Foundation
import Testing
import WebImageTesting

@testable import WebImageCore

@Suite("Answers that come twice, and loads that come late")
struct LateAnswerTests {
    @Test("A cache that calls its completions twice is heard once, and stops nothing")
    func repeatedAnswers() async throws {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        let cache = RepeatingCache()
        let recorder = Recorder()
        let request = harness.request([.waitStoreCache]) { $0.imageCache = cache }
        harness.manager.load(request, progress: recorder.report, completion: recorder.complete)
        await recorder.ended.wait()
        #expect(recorder.completions.count == 1 && recorder.result?.image === harness.image)
        #expect(recorder.result?.storeError == nil)
        #expect(try await harness.manager.data(for: request).data == ManagerHarness.bytes)
        #expect(await cache.contains(harness.key) == .memory)
        await cache.remove(harness.key)
        await cache.clear()
        #expect(await cache.contains(harness.key) == CacheType.none)
    }

    @Test("A load whose look-up took so long that another one brought the picture takes that one's")
    func lateLoad() async {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        let cache = GatedCache(holding: harness.key)
        let late = Recorder()
        harness.manager.load(harness.request { $0.imageCache = cache }, completion: late.complete)
        await cache.gate.waitForArrivals(1)
        let early = Recorder()
        let request = harness.request {
            $0.imageCache = cache
            $0.queryCacheType = .memory
            $0.storeCacheType = .memory
        }
        harness.manager.load(request, completion: early.complete)
        await early.ended.wait()
        cache.gate.open()
        await late.ended.wait()
        #expect(early.result?.source == .network && late.result?.source == .memory)
        #expect(harness.loader.requestCount(for: harness.url) == 1)
    }
}

/// A `FakeCache` that says everything twice.
private final class RepeatingCache: ImageCaching {
    private let inner = FakeCache()

    init() { inner.scriptAllMissing() }

    func imageFromMemory(for key: CacheKey) -> DecodedImage? { inner.imageFromMemory(for: key) }

    func storeInMemory(_ image: DecodedImage, for key: CacheKey) { inner.storeInMemory(image, for: key) }

    func data(for key: CacheKey, completion: @escaping @Sendable (CachedData?) -> Void) {
        inner.data(for: key) { data in
            completion(data)
            completion(nil)
        }
    }

    func storeData(
        _ data: Data, for key: CacheKey, metadata: DiskMetadata, completion: @escaping @Sendable (ImageError?) -> Void
    ) {
        inner.storeData(data, for: key, metadata: metadata) { error in
            completion(error)
            completion(ImageError(.storeFailed, .store, "said twice"))
        }
    }

    func remove(_ key: CacheKey, from type: CacheType, completion: @escaping @Sendable () -> Void) {
        inner.remove(key, from: type) {
            completion()
            completion()
        }
    }

    func contains(_ key: CacheKey, in type: CacheType, completion: @escaping @Sendable (CacheType) -> Void) {
        inner.contains(key, in: type) { found in
            completion(found)
            completion(.none)
        }
    }

    func clear(_ type: CacheType, completion: @escaping @Sendable () -> Void) {
        inner.clear(type) {
            completion()
            completion()
        }
    }
}
