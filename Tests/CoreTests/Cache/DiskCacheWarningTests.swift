import Foundation
import Synchronization
import Testing

@testable import WebImageCore

@Suite struct DiskCacheWarningTests {
    private let folder = try! CacheTestFolder()
    private let key = CacheKey("https://h/a.png")

    @Test("B04 a fault of the disk is told once until it has gone")
    func B04_warnsOnce() throws {
        let warnings = Mutex<[ImageError]>([])
        var configuration = ImageCacheConfiguration()
        configuration.onWarning = { warning in warnings.withLock { $0.append(warning) } }
        let cache = DiskCache(folder, configuration: configuration)
        let blocker = folder.url.appending(path: "entries")
        for round in 1...2 {
            try Data().write(to: blocker)
            for _ in 0..<5 { #expect(throws: ImageError.self) { try cache.store(Data([1]), for: key) } }
            #expect(try cache.data(for: key) == nil)
            #expect(warnings.withLock { $0.count } == round)
            try FileManager.default.removeItem(at: blocker)
            try cache.store(Data([1]), for: key)
            #expect(try cache.data(for: key)?.data == Data([1]))
            try FileManager.default.removeItem(at: blocker)
        }
        #expect(warnings.withLock { $0.allSatisfy { $0.code == .storeFailed && $0.stage == .store } })
    }

    @Test(
        "B04 a read-only disk: entries are read, a store is an error and one warning, nothing is left",
        .enabled(if: geteuid() == 0, "only root may mount"))
    func B04_readOnly() throws {
        let disk = folder.path + "/entries"
        guard try MemoryDisk.mount(at: disk, "size=4m") else {
            return print("B04: mount is not allowed here")
        }
        defer { MemoryDisk.unmount(disk) }
        let warnings = Mutex<[ImageError]>([])
        var configuration = ImageCacheConfiguration()
        configuration.onWarning = { warning in warnings.withLock { $0.append(warning) } }
        try DiskCache(folder).store(Data([1]), for: key)
        try #require(MemoryDisk.makeReadOnly(disk))
        let cache = DiskCache(folder, configuration: configuration)
        #expect(try cache.data(for: key)?.data == Data([1]))
        for _ in 0..<3 { #expect(throws: ImageError.self) { try cache.store(Data([2]), for: CacheKey("other")) } }
        cache.removeExpired()
        #expect(warnings.withLock { $0.count } == 1)
        #expect(warnings.withLock { $0.first?.message.contains("let this user write to the folder") } == true)
        #expect(cache.totalCount == 1 && !cache.contains(CacheKey("other")))
    }

    @Test func aClockSetBackKeepsNothingForEver() throws {
        let clock = CacheTestWallClock()
        var configuration = ImageCacheConfiguration()
        configuration.maxDiskAge = .seconds(100)
        let cache = DiskCache(folder, configuration: configuration, wallClock: clock)
        try cache.store(Data([1]), for: key)
        let temporary = DiskFileKind.temporaryName(DiskAddress(key).digest, unique: "1-2-3")
        try Data([1]).write(to: folder.url.appending(path: "entries/" + temporary))
        clock.advance(by: .seconds(-1_000_000))
        cache.removeExpired()
        #expect(cache.entries().first?.modified == clock.now)
        clock.advance(by: .seconds(99))
        cache.removeExpired()
        #expect(cache.totalCount == 1)
        clock.advance(by: .seconds(1300))
        cache.removeExpired()
        #expect(folder.names("entries").isEmpty)
    }

    @Test(arguments: ImageCacheConfiguration.Expiry.allCases)
    func eachKindOfExpiryCountsFromItsDate(expiry: ImageCacheConfiguration.Expiry) throws {
        let clock = CacheTestWallClock()
        var configuration = ImageCacheConfiguration()
        configuration.maxDiskAge = .seconds(1000)
        configuration.expiry = expiry
        let cache = DiskCache(folder, configuration: configuration, wallClock: clock)
        try cache.store(Data([1]), for: key)
        clock.advance(by: .seconds(800))
        cache.removeExpired()
        #expect(try cache.data(for: key) != nil)
        clock.advance(by: .seconds(800))
        cache.removeExpired()
        // The system's dates do not follow the test's clock: for them the read was just now, 1600 seconds ago.
        #expect(cache.contains(key) == (expiry == .accessDate))
        clock.advance(by: .seconds(500))
        cache.removeExpired()
        #expect(cache.totalCount == 0)
    }

    @Test("CA-58 a cache of one's own: found in memory, removed, and empty after a clear")
    func CA_58_ownCache() async throws {
        let cache = OwnCache()
        let image = cacheTestImage()
        cache.storeInMemory(image, for: key)
        try await cache.storeData(Data([1]), for: key)
        #expect(await cache.contains(key) == .memory && cache.imageFromMemory(for: key) === image)
        await cache.remove(key)
        #expect(await cache.contains(key) == .none)
        try await cache.storeData(Data([1]), for: key)
        await cache.clear()
        #expect(await cache.data(for: key) == nil)
    }
}

/// Everything in two dictionaries.
private final class OwnCache: ImageCaching {
    private let images = Mutex<[CacheKey: DecodedImage]>([:])
    private let entries = Mutex<[CacheKey: CachedData]>([:])

    func imageFromMemory(for key: CacheKey) -> DecodedImage? { images.withLock { $0[key] } }
    func storeInMemory(_ image: DecodedImage, for key: CacheKey) { images.withLock { $0[key] = image } }
    func data(for key: CacheKey, completion: @escaping @Sendable (CachedData?) -> Void) {
        completion(entries.withLock { $0[key] })
    }
    func storeData(
        _ data: Data, for key: CacheKey, metadata: DiskMetadata, completion: @escaping @Sendable (ImageError?) -> Void
    ) {
        entries.withLock { $0[key] = CachedData(data: data, metadata: metadata) }
        completion(nil)
    }
    func remove(_ key: CacheKey, from type: CacheType, completion: @escaping @Sendable () -> Void) {
        if type.includesMemory { images.withLock { $0[key] = nil } }
        if type.includesDisk { entries.withLock { $0[key] = nil } }
        completion()
    }
    func contains(_ key: CacheKey, in type: CacheType, completion: @escaping @Sendable (CacheType) -> Void) {
        let isInMemory = type.includesMemory && images.withLock { $0[key] != nil }
        completion(isInMemory ? .memory : entries.withLock { $0[key] != nil } ? .disk : .none)
    }
    func clear(_ type: CacheType, completion: @escaping @Sendable () -> Void) {
        images.withLock { $0 = [:] }
        entries.withLock { $0 = [:] }
        completion()
    }
}
