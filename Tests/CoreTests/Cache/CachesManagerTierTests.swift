import Foundation
import Testing
import WebImageCore
import WebImageTesting

/// A slow cache below a near one.
@Suite struct CachesManagerTierTests {
    let near = FakeCache()
    let far: SlowCache
    let clock = ManualClock()
    let manager: CachesManager
    let warnings = Counter()
    let key = CacheKey("https://h/a.png")
    let bytes = Data("a picture".utf8)

    init() {
        near.scriptAllMissing()
        far = SlowCache()
        manager = CachesManager(tiers: [.remote(far, timeout: .seconds(2)), CacheTier(near)], clock: clock)
        manager.onWarning = { [warnings] _ in warnings.count() }
    }

    @Test("what only the far cache has is found, and near the next time")
    func copiesHits() async {
        far.gate.open()
        far.inner.disk[key] = CachedData(data: bytes, metadata: DiskMetadata(contentType: "image/png"))
        #expect(await manager.data(for: key)?.data == bytes)
        #expect(near.disk[key]?.metadata.contentType == "image/png")
        #expect(await manager.data(for: key)?.data == bytes)
        #expect(far.inner.diskQueries.count == 1)
        #expect(warnings.value == 0)
    }

    @Test("a copy never replaces what was stored meanwhile")
    func copiesReplaceNothing() async {
        far.inner.disk[key] = CachedData(data: bytes)
        async let found = manager.data(for: key)
        await far.gate.waitForArrivals(1)
        near.disk[key] = CachedData(data: Data("newer".utf8))
        far.gate.open()
        #expect(await found?.data == bytes)
        #expect(near.disk[key]?.data == Data("newer".utf8))
    }

    @Test("what does not come in time is a miss, told once until it works again; what comes later is dropped")
    func timesOut() async {
        far.inner.disk[key] = CachedData(data: bytes)
        for _ in 0..<2 {
            async let found = manager.data(for: key)
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(2))
            #expect(await found?.data == nil)
        }
        #expect(warnings.value == 1)
        far.gate.open()
        await far.answered.waitForArrivals(2)
        #expect(near.disk.isEmpty)
        #expect(await manager.data(for: key)?.data == bytes)
        manager.policies.query = .lowestOnly
        #expect(await manager.data(for: key)?.data == bytes)
        #expect(warnings.value == 1)
    }

    @Test("a load goes on without a cache that is late")
    func loadsGoOn() async throws {
        let harness = ManagerHarness()
        harness.loader.script(harness.url, .data(ManagerHarness.bytes))
        let images = ImageManager(cache: manager, loader: harness.loader, coder: harness.coder)
        async let result = images.image(for: harness.request())
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        #expect(try await result.source == .network)
    }

    @Test("a store is begun in a far cache and not waited for, and its failure is only a warning")
    func storesAreNotAwaited() async throws {
        manager.policies.store = .concurrent
        try await manager.storeData(bytes, for: key)
        #expect(near.disk[key]?.data == bytes && far.inner.disk.isEmpty)
        await far.gate.waitForArrivals(1)
        far.inner.scriptStoreError(ImageError(.storeFailed, .store, "far away and full"))
        far.gate.open()
        await far.answered.waitForArrivals(1)
        #expect(warnings.value == 1)
        manager.policies.store = .lowestOnly
        try await manager.storeData(bytes, for: key)
    }

    @Test("removing and emptying wait for a far cache until its time is over")
    func removalIsBounded() async {
        near.disk[key] = CachedData(data: bytes)
        async let removed: Void = manager.remove(key)
        await clock.waitForSleepers(1)
        #expect(near.disk.isEmpty)
        clock.advance(by: .seconds(2))
        await removed
        async let cleared: Void = manager.clear()
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        await cleared
    }

    @Test("asked at once, a near hit does not wait for a far miss")
    func concurrentHit() async {
        manager.policies.query = .concurrent
        near.disk[key] = CachedData(data: bytes)
        #expect(await manager.data(for: key)?.data == bytes)
        #expect(!far.gate.isOpen)
    }

    @Test("a file of a far cache is not read on the caller's thread, what is in its memory is found")
    func nothingBlocks() {
        far.inner.disk[key] = CachedData(data: bytes)
        #expect(manager.diskData(for: key) == nil)
        let image = cacheTestImage()
        far.inner.storeInMemory(image, for: key)
        #expect(manager.imageFromMemory(for: key) === image)
    }

    @Test("many at once, with caches that come and go")
    func manyAtOnce() async {
        far.gate.open()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<64 {
                group.addTask { [manager, near, bytes] in
                    let key = CacheKey("\(index % 8)")
                    try? await manager.storeData(bytes, for: key)
                    if index % 16 == 0 { manager.remove(near) }
                    _ = await manager.data(for: key)
                    if index % 16 == 0 { manager.add(near) }
                    await manager.remove(key)
                    _ = await manager.contains(key)
                }
            }
        }
        #expect(manager.caches.contains { $0 === near })
    }
}

/// A cache whose every answer waits for a gate, but those from memory.
final class SlowCache: ImageCaching {
    let inner = FakeCache()
    let gate = Gate()
    /// Open; who has answered has come by.
    let answered = Gate(isOpen: true)

    init() {
        inner.scriptAllMissing()
    }

    private func later(_ work: @escaping @Sendable (FakeCache) -> Void) {
        Task { [self] in
            await gate.wait()
            work(inner)
            await answered.wait()
        }
    }

    func imageFromMemory(for key: CacheKey) -> DecodedImage? { inner.imageFromMemory(for: key) }

    func storeInMemory(_ image: DecodedImage, for key: CacheKey) { inner.storeInMemory(image, for: key) }

    func data(for key: CacheKey, completion: @escaping @Sendable (CachedData?) -> Void) {
        later { $0.data(for: key, completion: completion) }
    }

    func diskData(for key: CacheKey) -> CachedData? { inner.diskData(for: key) }

    func storeData(
        _ data: Data, for key: CacheKey, metadata: DiskMetadata, completion: @escaping @Sendable (ImageError?) -> Void
    ) {
        later { $0.storeData(data, for: key, metadata: metadata, completion: completion) }
    }

    func remove(_ key: CacheKey, from type: CacheType, completion: @escaping @Sendable () -> Void) {
        later { $0.remove(key, from: type, completion: completion) }
    }

    func contains(_ key: CacheKey, in type: CacheType, completion: @escaping @Sendable (CacheType) -> Void) {
        later { $0.contains(key, in: type, completion: completion) }
    }

    func clear(_ type: CacheType, completion: @escaping @Sendable () -> Void) {
        later { $0.clear(type, completion: completion) }
    }
}
