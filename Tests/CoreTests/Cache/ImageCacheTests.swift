import Foundation
import Synchronization
import Testing
import WebImageTesting

@testable import WebImageCore

@Suite struct ImageCacheTests {
    private let folder = try! CacheTestFolder()
    private let wallClock = CacheTestWallClock()
    private let key = CacheKey("TestImageKey.jpg")
    private let image = cacheTestImage()
    private let body = Data("body".utf8)

    private func cache(_ change: (inout ImageCacheConfiguration) -> Void = { _ in }) -> ImageCache {
        var configuration = ImageCacheConfiguration()
        configuration.memoryPressureSource = nil
        change(&configuration)
        return ImageCache(
            namespace: "test", directory: folder.url, configuration: configuration, coder: CodersManager(),
            clock: ManualClock(), wallClock: wallClock)
    }

    /// Both layers, as the manager stores.
    private func store(_ cache: ImageCache) async throws {
        cache.storeInMemory(image, for: key)
        try await cache.storeData(body, for: key)
    }

    @Test("CA-03 a new cache is another object")
    func CA_03_newCache() {
        #expect(cache() !== cache())
    }

    @Test("CA-04 clear disk: memory keeps its copy, no file is left")
    func CA_04_clearDisk() async throws {
        let cache = cache()
        try await store(cache)
        await cache.clear(.disk)
        #expect(cache.imageFromMemory(for: key) === image)
        #expect(await cache.contains(key, in: .disk) == .none)
        #expect(cache.totalDiskCount == 0)
        #expect(folder.names("test").isEmpty)
    }

    @Test("CA-05 clear memory: the disk keeps its copy")
    func CA_05_clearMemory() async throws {
        let cache = cache()
        try await store(cache)
        cache.clearMemory()
        #expect(cache.imageFromMemory(for: key) == nil)
        #expect(cache.diskDataExists(for: key))
        #expect(cache.memoryCost == 0)
    }

    @Test("CA-06 store: memory readable at once, disk in completion")
    func CA_06_store() async {
        let cache = cache()
        cache.storeInMemory(image, for: key)
        #expect(cache.imageFromMemory(for: key) === image)
        #expect(cache.memoryCost == image.memoryCost)
        let (error, exists) = await withCheckedContinuation { continuation in
            cache.storeData(body, for: key, metadata: DiskMetadata()) { [key] error in
                continuation.resume(returning: (error, cache.diskDataExists(for: key)))
            }
        }
        #expect(error == nil && exists)
    }

    @Test("CA-07 store to both: found in memory first, then on disk")
    func CA_07_storeBoth() async throws {
        let cache = cache()
        try await store(cache)
        #expect(await cache.contains(key) == .memory)
        #expect(await cache.contains(key, in: .disk) == .disk)
        #expect(await cache.contains(key, in: .none) == .none)
    }

    @Test("CA-08 memory only: nothing on disk, and nothing once memory is cleared")
    func CA_08_memoryOnly() async {
        let cache = cache()
        cache.storeInMemory(image, for: key)
        #expect(!cache.diskDataExists(for: key))
        #expect(await cache.contains(key) == .memory)
        cache.clearMemory()
        #expect(cache.imageFromMemory(for: key) == nil)
        #expect(await cache.contains(key) == .none)
    }

    @Test("CA-09 the same picture and the same bytes come back")
    func CA_09_query() async throws {
        let cache = cache()
        try await store(cache)
        #expect(cache.imageFromMemory(for: key) === image)
        #expect(await cache.data(for: key)?.data == body)
        #expect(await cache.data(for: CacheKey("other")) == nil)
    }

    @Test("CA-10 remove: gone from memory and disk")
    func CA_10_remove() async throws {
        let cache = cache()
        try await store(cache)
        await cache.remove(key)
        #expect(await cache.contains(key) == .none)
        #expect(cache.imageFromMemory(for: key) == nil)
    }

    @Test("CA-11 remove from memory only: the disk keeps it, the completion is called at once")
    func CA_11_removeFromMemory() async throws {
        let cache = cache()
        try await store(cache)
        let isCalled = Mutex(false)
        cache.remove(key, from: .memory) { isCalled.withLock { $0 = true } }
        #expect(isCalled.withLock { $0 })
        #expect(await cache.contains(key) == .disk)
    }

    @Test("CA-12 remove from all: gone from both; from disk alone memory keeps it")
    func CA_12_removeFromDisk() async throws {
        let cache = cache()
        try await store(cache)
        await cache.remove(key, from: .disk)
        #expect(await cache.contains(key) == .memory)
        try await store(cache)
        await cache.remove(key, from: .all)
        #expect(await cache.contains(key) == .none)
    }

    @Test("CA-13 what is over the age goes at the sweep")
    func CA_13_age() async throws {
        let cache = cache { $0.maxDiskAge = .seconds(1) }
        try await store(cache)
        await cache.removeExpired()
        #expect(cache.totalDiskCount == 1)
        wallClock.advance(by: .seconds(1))
        await cache.removeExpired()
        #expect(cache.totalDiskCount == 0)
    }

    @Test("CA-20 an empty cache has the size 0")
    func CA_20_empty() {
        #expect(cache().totalDiskSize == 0)
    }

    @Test("CA-21 after one store the count is 1")
    func CA_21_count() async throws {
        let cache = cache()
        try await store(cache)
        #expect(cache.totalDiskCount == 1)
        let (count, size) = await withCheckedContinuation { continuation in
            cache.calculateSize { continuation.resume(returning: ($0, $1)) }
        }
        #expect(count == 1 && size == 4)
    }

    @Test("CA-33 path of a stored key: the file is there")
    func CA_33_path() async throws {
        let cache = cache()
        try await store(cache)
        #expect(cache.cachePath(for: key) == folder.path + "/test/f77fd0b2d2c9780cce3b1cf4f047030a.jpg")
        #expect(FileManager.default.contents(atPath: cache.cachePath(for: key)) == body)
    }

    @Test("CA-40 waiting store: bytes on disk at once, nothing in memory, told by the asking forms too")
    func CA_40_storeDataToDisk() async throws {
        let cache = cache()
        try cache.storeDataToDisk(body, for: key, metadata: DiskMetadata(contentType: "image/jpeg"))
        #expect(cache.diskData(for: key)?.data == body)
        #expect(cache.diskData(for: key)?.metadata.contentType == "image/jpeg")
        #expect(cache.imageFromMemory(for: key) == nil)
        #expect(await cache.contains(key) == .disk)
    }

    @Test("CA-46 limits follow changes of the configuration")
    func CA_46_limits() {
        let cache = cache()
        for name in ["a", "b", "c"] { cache.storeInMemory(cacheTestImage(), for: CacheKey(name)) }
        cache.configuration.maxMemoryCount = 2
        #expect(cache.memory.count == 2)
        cache.configuration.maxMemoryCost = 64
        #expect(cache.memory.count == 1 && cache.memoryCost == 64)
        cache.configuration.maxDiskSize = 7
        #expect(cache.disk.configuration.maxDiskSize == 7)
    }

    @Test func anUnwritableFolderFailsTheStoreOnly() async throws {
        let cache = ImageCache(directory: URL(filePath: "/proc/webimage"), coder: CodersManager(), clock: ManualClock())
        cache.storeInMemory(image, for: key)
        await #expect(throws: ImageError.self) { try await cache.storeData(body, for: key) }
        #expect(throws: ImageError.self) { try cache.storeDataToDisk(body, for: key) }
        #expect(await cache.data(for: key) == nil)
        #expect(await cache.contains(key) == .memory)
        await cache.clear()
    }
}
