import Foundation
import Synchronization
import Testing
import WebImageCore
import WebImageTesting

@Suite struct CachesManagerTests {
    let low = FakeCache()
    let high = FakeCache()
    let key = CacheKey("https://h/a.png")
    let bytes = Data("a picture".utf8)

    private func manager(_ change: (inout CachesPolicies) -> Void = { _ in }) -> CachesManager {
        var policies = CachesPolicies()
        change(&policies)
        for cache in [low, high] { cache.scriptAllMissing() }
        return CachesManager([low, high], policies: policies)
    }

    /// The memory copy in the lower cache, the bytes in the higher.
    private func memoryBelowDiskAbove() {
        low.storeInMemory(cacheTestImage(), for: key)
        high.disk[key] = CachedData(data: bytes)
    }

    @Test func thePoliciesAreSDWebImages() {
        let policies = CachesManager().policies
        #expect(policies.query == .serial && policies.store == .highestOnly && policies.remove == .concurrent)
        #expect(policies.contains == .serial && policies.clear == .concurrent)
        #expect(CachesPolicy.allCases.map(\.rawValue) == [0, 1, 2, 3])
    }

    @Test func theLastOneAddedIsTheHighest() {
        let manager = CachesManager([low])
        manager.add(high)
        #expect(manager.caches.map { ObjectIdentifier($0) } == [low, high].map { ObjectIdentifier($0) })
        let images = (cacheTestImage(), cacheTestImage())
        low.storeInMemory(images.0, for: key)
        high.storeInMemory(images.1, for: key)
        #expect(manager.imageFromMemory(for: key) === images.1)
        manager.remove(high)
        #expect(manager.imageFromMemory(for: key) === images.0)
        manager.caches = [high]
        #expect(manager.imageFromMemory(for: key) === images.1)
        #expect(manager.tiers.count == 1 && manager.tiers[0].timeout == nil)
    }

    @Test("CA-49b a load that stores on disk only takes the picture on disk and leaves memory alone")
    func CA_49b_storeOnDiskOnly() async throws {
        let (harness, manager) = (ManagerHarness(), manager())
        low.disk[harness.key] = CachedData(data: ManagerHarness.bytes)
        let images = ImageManager(cache: manager, loader: harness.loader, coder: harness.coder)
        let result = try await images.image(for: harness.request { $0.storeCacheType = .disk })
        #expect(result.source == .disk && result.image === harness.image)
        #expect(low.memory.isEmpty && high.memory.isEmpty)
    }

    @Test("CA-50 a picture in memory is found")
    func CA_50_memory() async throws {
        let (harness, manager) = (ManagerHarness(), manager())
        low.storeInMemory(harness.image, for: harness.key)
        let images = ImageManager(cache: manager, loader: harness.loader, coder: harness.coder)
        let result = try await images.image(for: harness.request())
        #expect(result.source == .memory && result.image === harness.image)
        #expect(low.diskQueries.isEmpty && high.diskQueries.isEmpty)
    }

    @Test("CA-51 CA-54 storing reaches memory and disk, clearing empties both")
    func CA_51_54_storeAndClear() async throws {
        let manager = manager()
        manager.storeInMemory(cacheTestImage(), for: key)
        try await manager.storeData(bytes, for: key)
        #expect(high.memory[key] != nil && high.disk[key]?.data == bytes)
        #expect(low.memory.isEmpty && low.disk.isEmpty)
        low.disk[key] = CachedData(data: bytes)
        await manager.clear()
        #expect(high.memory.isEmpty && high.disk.isEmpty && low.disk.isEmpty)
    }

    @Test("CA-52 CA-53 removing from disk keeps memory, which is then where the key is")
    func CA_52_53_removeFromDisk() async {
        let manager = manager()
        memoryBelowDiskAbove()
        low.disk[key] = CachedData(data: bytes)
        await manager.remove(key, from: .disk)
        #expect(low.disk.isEmpty && high.disk.isEmpty && low.memory[key] != nil)
        #expect(await manager.contains(key) == .memory)
        await manager.remove(key)
        #expect(await manager.contains(key) == .none)
    }

    @Test("CA-55 the lowest and the highest only touch one cache", arguments: [true, false])
    func CA_55_oneOnly(isLowest: Bool) async throws {
        let policy: CachesPolicy = isLowest ? .lowestOnly : .highestOnly
        let manager = manager { policies in
            (policies.query, policies.store, policies.remove) = (policy, policy, policy)
            (policies.contains, policies.clear) = (policy, policy)
        }
        let (chosen, other) = isLowest ? (low, high) : (high, low)
        manager.storeInMemory(cacheTestImage(), for: key)
        try await manager.storeData(bytes, for: key)
        #expect(chosen.memory.count == 1 && chosen.disk.count == 1 && other.memory.isEmpty && other.disk.isEmpty)
        await manager.remove(key)
        #expect(chosen.memory.isEmpty && chosen.disk.isEmpty)

        other.storeInMemory(cacheTestImage(), for: key)
        other.disk[key] = CachedData(data: bytes)
        #expect(await manager.contains(key) == .none)
        #expect(manager.imageFromMemory(for: key) == nil && manager.diskData(for: key) == nil)
        #expect(await manager.data(for: key)?.data == nil)
        await manager.remove(key)
        await manager.clear()
        #expect(other.memory.count == 1 && other.disk.count == 1)
    }

    @Test("CA-56 asked all at once, the fastest answers: memory below before disk above")
    func CA_56_concurrentContains() async {
        let manager = manager { $0.contains = .concurrent }
        memoryBelowDiskAbove()
        #expect(await manager.contains(key) == .memory)
        low.clear(.memory) {}
        #expect(await manager.contains(key) == .disk)
    }

    @Test("CA-57 asked one after the other, the highest answers: disk above before memory below")
    func CA_57_serialContains() async {
        let manager = manager { $0.clear = .concurrent }
        memoryBelowDiskAbove()
        #expect(await manager.contains(key) == .disk)
    }

    @Test("CA-58 a cache of one's own: stored, found in memory without bytes, removed, cleared")
    func CA_58_custom() async throws {
        let (folder, harness) = (try CacheTestFolder(), ManagerHarness())
        let own = FolderCache(folder)
        let manager = CachesManager([own])
        manager.storeInMemory(harness.image, for: harness.key)
        try await manager.storeData(ManagerHarness.bytes, for: harness.key)
        #expect(await manager.contains(harness.key) == .memory)
        let images = ImageManager(cache: manager, loader: harness.loader, coder: harness.coder)
        let result = try await images.image(for: harness.request())
        #expect(result.source == .memory && result.image === harness.image && result.data == nil)
        await manager.remove(harness.key)
        #expect(await manager.contains(harness.key) == .none)
        try await manager.storeData(ManagerHarness.bytes, for: harness.key)
        #expect(!folder.names("own").isEmpty)
        await manager.clear()
        #expect(folder.names("own").isEmpty)
    }

    @Test("without caches every call completes")
    func noCaches() async throws {
        let manager = CachesManager()
        for policy in CachesPolicy.allCases {
            (manager.policies.query, manager.policies.store, manager.policies.remove) = (policy, policy, policy)
            (manager.policies.contains, manager.policies.clear) = (policy, policy)
            manager.storeInMemory(cacheTestImage(), for: key)
            #expect(manager.imageFromMemory(for: key) == nil && manager.diskData(for: key) == nil)
            #expect(await manager.data(for: key)?.data == nil)
            try await manager.storeData(bytes, for: key)
            #expect(await manager.contains(key) == .none)
            await manager.remove(key)
            await manager.clear()
        }
    }

    @Test func anEmptyKeyIsAKey() async throws {
        let manager = manager()
        try await manager.storeData(bytes, for: CacheKey(""))
        #expect(await manager.data(for: CacheKey(""))?.data == bytes)
    }

    @Test("changes reach every cache that the policy names", arguments: [CachesPolicy.serial, .concurrent])
    func changesReachAll(policy: CachesPolicy) async throws {
        let manager = manager { ($0.store, $0.query) = (policy, policy) }
        manager.storeInMemory(cacheTestImage(), for: key)
        try await manager.storeData(bytes, for: key)
        #expect(low.disk[key]?.data == bytes && high.disk[key]?.data == bytes)
        #expect(low.memory[key] != nil && high.memory[key] != nil)
        high.disk = [:]
        #expect(await manager.data(for: key)?.data == bytes)
        #expect(manager.diskData(for: key)?.data == bytes)
        low.disk = [:]
        #expect(await manager.data(for: key)?.data == nil)
    }

    @Test("a store fails only when no cache took the bytes")
    func oneOfTwoFails() async throws {
        let manager = manager { $0.store = .concurrent }
        let counter = Counter()
        manager.onWarning = { _ in counter.count() }
        high.scriptStoreError(ImageError(.storeFailed, .store, "high is full"))
        try await manager.storeData(bytes, for: key)
        try await manager.storeData(bytes, for: key)
        #expect(low.disk[key]?.data == bytes && counter.value == 1)
        low.scriptStoreError(ImageError(.storeFailed, .store, "low is full"))
        await #expect { try await manager.storeData(bytes, for: key) } throws: { error in
            (error as? ImageError)?.message == "high is full"
        }
    }
}

/// Counts on any thread.
final class Counter: Sendable {
    private let state = Mutex(0)

    var value: Int { state.withLock { $0 } }

    func count() { state.withLock { $0 += 1 } }
}

/// A cache of one's own: a dictionary, and a folder with the bytes and nothing else.
private final class FolderCache: ImageCaching {
    private let folder: URL
    private let images = Mutex<[CacheKey: DecodedImage]>([:])

    init(_ folder: CacheTestFolder) {
        self.folder = folder.url.appending(path: "own")
        try? FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    }

    private func file(_ key: CacheKey) -> URL { folder.appending(path: "\(key.text.utf8.count)") }

    func imageFromMemory(for key: CacheKey) -> DecodedImage? { images.withLock { $0[key] } }

    func storeInMemory(_ image: DecodedImage, for key: CacheKey) { images.withLock { $0[key] = image } }

    func data(for key: CacheKey, completion: @escaping @Sendable (CachedData?) -> Void) {
        completion((try? Data(contentsOf: file(key))).map { CachedData(data: $0) })
    }

    func storeData(
        _ data: Data, for key: CacheKey, metadata: DiskMetadata, completion: @escaping @Sendable (ImageError?) -> Void
    ) {
        try? data.write(to: file(key))
        completion(nil)
    }

    func remove(_ key: CacheKey, from type: CacheType, completion: @escaping @Sendable () -> Void) {
        if type.includesMemory { images.withLock { $0[key] = nil } }
        if type.includesDisk { try? FileManager.default.removeItem(at: file(key)) }
        completion()
    }

    func contains(_ key: CacheKey, in type: CacheType, completion: @escaping @Sendable (CacheType) -> Void) {
        if type.includesMemory, imageFromMemory(for: key) != nil { return completion(.memory) }
        let isThere = type.includesDisk && (try? file(key).checkResourceIsReachable()) == true
        completion(isThere ? .disk : .none)
    }

    func clear(_ type: CacheType, completion: @escaping @Sendable () -> Void) {
        if type.includesMemory { images.withLock { $0 = [:] } }
        if type.includesDisk {
            for name in (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil))
                ?? []
            { try? FileManager.default.removeItem(at: name) }
        }
        completion()
    }
}
