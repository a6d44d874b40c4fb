import Foundation
import Testing
import WebImageTesting

@testable import WebImageCore

@Suite struct DiskCachePinTests {
    private let folder = try! CacheTestFolder()
    private let clock = CacheTestWallClock()
    private let keys = (0..<4).map { CacheKey("https://h/\($0).png") }

    private func cache(age: Duration = .seconds(10), size: Int = 0) -> DiskCache {
        var configuration = ImageCacheConfiguration()
        configuration.maxDiskAge = age
        configuration.maxDiskSize = size
        return DiskCache(folder, configuration: configuration, wallClock: clock)
    }

    private func found(_ cache: DiskCache) -> [Int] { keys.indices.filter { cache.contains(keys[$0]) } }

    @Test func aSweepLeavesPinnedEntriesAlone() throws {
        let cache = cache()
        try cache.pin(keys[0])
        for key in keys { try cache.store(Data(count: 10), for: key) }
        try cache.pin(keys[1], tag: "Norway / 2026 ü")
        clock.advance(by: .seconds(11))
        try cache.store(Data(count: 10), for: keys[2])
        cache.removeExpired()
        #expect(found(cache) == [0, 1, 2])
        #expect(cache.isPinned(keys[0]) && !cache.isPinned(keys[2]))
        #expect(cache.tags == ["", "Norway / 2026 ü"])
        #expect(cache.entries().count { $0.isPinned } == 2)
        // Stored anew it stays pinned.
        try cache.store(Data(count: 5), for: keys[0])
        clock.advance(by: .seconds(11))
        cache.removeExpired()
        #expect(found(cache) == [0, 1])
        try cache.unpin(keys[0])
        try cache.unpin(keys[0])
        cache.removeExpired()
        #expect(found(cache) == [1])
    }

    @Test func pinnedEntriesDoNotCountTowardsTheSize() throws {
        let cache = cache(age: .seconds(-1), size: 25)
        for key in keys { try cache.store(Data(count: 10), for: key) }
        try cache.pin(keys[0])
        try cache.pin(keys[1])
        cache.removeExpired()
        #expect(found(cache) == [0, 1, 2, 3])
        try cache.unpinAll()
        cache.removeExpired()
        #expect(found(cache).count == 1)
    }

    @Test func aTagIsRemovedWithWhatOnlyItKeeps() throws {
        let cache = cache()
        for key in keys { try cache.store(Data(count: 10), for: key) }
        for key in keys[0...2] { try cache.pin(key, tag: "album") }
        try cache.pin(keys[1], tag: "other")
        try cache.removeAll(tag: "album")
        #expect(found(cache) == [1, 3] && cache.tags == ["other"])
    }

    @Test func aTagThatIsTooLongIsAnError() {
        let error = #expect(throws: ImageError.self) {
            try cache().pin(keys[0], tag: String(repeating: "x", count: 300))
        }
        #expect(error?.code == .storeFailed)
    }

    @Test func removingAllRemovesPins() throws {
        let cache = cache()
        try cache.store(Data(count: 10), for: keys[0])
        try cache.pin(keys[0])
        try cache.removeAll()
        #expect(!cache.isPinned(keys[0]) && folder.names("entries").isEmpty)
        try cache.purge()
        #expect(folder.names() == [])
    }

    @Test("an ImageCache pins by itself, and says so where its disk layer keeps no pins")
    func throughTheCache() async throws {
        var configuration = ImageCacheConfiguration()
        configuration.maxDiskAge = .zero
        let cache = ImageCache(
            directory: folder.url, configuration: configuration, coder: CodersManager(), clock: ManualClock())
        for key in keys { try await cache.storeData(Data([1]), for: key) }
        try cache.pin(keys[0])
        try cache.pin(keys[1], tag: "trip")
        try cache.pin(keys[2])
        try cache.unpin(keys[2])
        await cache.removeExpired()
        #expect(cache.totalDiskCount == 2 && cache.isPinned(keys[1]) && !cache.isPinned(keys[2]))
        try cache.unpinAll(tag: "trip")
        await cache.removeExpired()
        #expect(cache.totalDiskCount == 1 && cache.isPinned(keys[0]))
        configuration.makeDiskCache = { folder, configuration, _ in BrokenDisk(folder, configuration) }
        let own = ImageCache(
            directory: folder.url, configuration: configuration, coder: CodersManager(), clock: ManualClock())
        let error = #expect(throws: ImageError.self) { try own.pin(keys[0]) }
        #expect(error?.message.hasPrefix("only a DiskCache keeps pins") == true && !own.isPinned(keys[0]))
    }
}
