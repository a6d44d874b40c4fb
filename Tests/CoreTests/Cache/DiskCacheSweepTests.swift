import Foundation
import Testing

@testable import WebImageCore

@Suite struct DiskCacheSweepTests {
    private let folder = try! CacheTestFolder()
    private let clock = CacheTestWallClock()

    private func cache(
        age: Duration = .seconds(-1), size: Int = 0, expiry: ImageCacheConfiguration.Expiry = .accessDate,
        placement: DiskCache.MetadataPlacement = .automatic
    ) -> DiskCache {
        var configuration = ImageCacheConfiguration()
        configuration.maxDiskAge = age
        configuration.maxDiskSize = size
        configuration.expiry = expiry
        return DiskCache(folder, placement: placement, configuration: configuration, wallClock: clock)
    }

    private func found(_ cache: DiskCache, _ names: String) -> String {
        String(names.filter { cache.contains(CacheKey(String($0))) })
    }

    @Test("CA-45a sweep: an entry over the size goes", arguments: DiskCache.MetadataPlacement.allCases)
    func CA_45a_size(placement: DiskCache.MetadataPlacement) throws {
        let cache = cache(size: 10, placement: placement)
        try cache.store(Data(count: 20), for: CacheKey("k"))
        #expect(cache.totalSize == 20 && cache.totalCount == 1)
        cache.removeExpired()
        #expect(cache.totalSize == 0 && cache.totalCount == 0)
        #expect(folder.names("entries").isEmpty)
    }

    @Test("CA-45b sweep: an entry over the age goes", arguments: DiskCache.MetadataPlacement.allCases)
    func CA_45b_age(placement: DiskCache.MetadataPlacement) throws {
        let cache = cache(age: .seconds(1), placement: placement)
        try cache.store(Data(count: 1), for: CacheKey("k"))
        cache.removeExpired()
        #expect(cache.totalCount == 1)
        clock.advance(by: .milliseconds(999))
        cache.removeExpired()
        #expect(cache.totalCount == 1)
        clock.advance(by: .milliseconds(1))
        cache.removeExpired()
        #expect(cache.totalSize == 0 && cache.totalCount == 0)
        #expect(folder.names("entries").isEmpty)
    }

    @Test func aReadKeepsAnEntryAndALookDoesNot() throws {
        let cache = cache(age: .seconds(10))
        for name in "abc" { try cache.store(Data([1]), for: CacheKey(String(name))) }
        clock.advance(by: .seconds(8))
        #expect(try cache.data(for: CacheKey("b")) != nil)
        #expect(try cache.metadata(for: CacheKey("c")) != nil)
        #expect(cache.contains(CacheKey("c")))
        clock.advance(by: .seconds(4))
        cache.removeExpired()
        #expect(found(cache, "abc") == "b")
    }

    @Test func byModificationAReadDoesNotKeepAnEntry() throws {
        let cache = cache(age: .seconds(10), expiry: .modificationDate)
        for name in "ab" { try cache.store(Data([1]), for: CacheKey(String(name))) }
        clock.advance(by: .seconds(8))
        #expect(try cache.data(for: CacheKey("a")) != nil)
        try cache.store(Data([2]), for: CacheKey("b"))
        clock.advance(by: .seconds(4))
        cache.removeExpired()
        #expect(found(cache, "ab") == "b")
    }

    @Test func theOldestGoUntilHalfIsLeft() throws {
        let cache = cache(size: 100)
        for name in "abcdef" {
            try cache.store(Data(count: 20), for: CacheKey(String(name)))
            clock.advance(by: .seconds(2))
        }
        #expect(try cache.data(for: CacheKey("a")) != nil)
        cache.removeExpired()
        #expect(found(cache, "abcdef") == "af")
        #expect(cache.totalSize == 40)
        cache.removeExpired()
        #expect(found(cache, "abcdef") == "af")
    }

    @Test func negativeAgeKeepsForEverAndZeroNothing() throws {
        let cache = cache()
        try cache.store(Data([1]), for: CacheKey("k"))
        clock.advance(by: .seconds(1_000_000_000))
        cache.removeExpired()
        #expect(cache.totalCount == 1)
        cache.configuration.maxDiskAge = .zero
        cache.removeExpired()
        #expect(cache.totalCount == 0)
    }

    @Test func anAccessInTheFutureIsPutRight() throws {
        let cache = cache(age: .seconds(10))
        try cache.store(Data([1]), for: CacheKey("k"))
        clock.advance(by: .seconds(-1000))
        #expect(try cache.data(for: CacheKey("k")) != nil)
        #expect(cache.entries().first?.accessed == clock.now)
    }

    @Test func forgottenFilesGoWithinTheHour() throws {
        let cache = cache(placement: .sidecar)
        try cache.store(Data([1]), for: CacheKey("k"))
        let digest = DiskAddress(CacheKey("gone")).digest
        let forgotten = [
            DiskFileKind.sidecarName(digest, body: 7), DiskFileKind.temporaryName(digest, unique: "1-2-3"),
        ]
        for name in forgotten { try Data([1]).write(to: folder.url.appending(path: "entries/" + name)) }
        #expect(cache.totalCount == 1 && cache.totalSize == 1)
        clock.advance(by: .seconds(1100))
        cache.removeExpired()
        #expect(folder.names("entries").count == 4)
        clock.advance(by: .seconds(200))
        cache.removeExpired()
        #expect(folder.names("entries").count == 2)
        #expect(cache.contains(CacheKey("k")))
    }

    @Test func removeAllTakesEverythingOfItsOwn() throws {
        let cache = cache(placement: .sidecar)
        try cache.store(Data([1]), for: CacheKey("k"))
        let temporary = DiskFileKind.temporaryName(DiskAddress(CacheKey("k")).digest, unique: "1-2-3")
        try Data([1]).write(to: folder.url.appending(path: "entries/" + temporary))
        try cache.removeAll()
        #expect(folder.names("entries").isEmpty && folder.names() == ["entries"])
    }
}
