import Foundation
import Testing

@testable import WebImageCore

@Suite struct DiskCacheTests {
    private let folder = try! CacheTestFolder()

    private func metadata() -> DiskMetadata {
        var metadata = DiskMetadata(url: "https://h/a.png", contentType: "image/png", extendedData: Data([0, 255, 1]))
        metadata.validators.etag = "\"x\""
        metadata.validators.lastModified = "Mon, 30 Nov 2026 08:00:00 GMT"
        metadata.validators.date = "d"
        metadata.validators.age = "7"
        metadata.validators.expires = "0"
        metadata.validators.cacheControl = "max-age=60"
        return metadata
    }

    @Test(arguments: DiskCache.MetadataPlacement.allCases)
    func bytesAndMetadataComeBack(placement: DiskCache.MetadataPlacement) throws {
        let clock = CacheTestWallClock()
        let cache = DiskCache(folder, placement: placement, wallClock: clock)
        let key = CacheKey("https://h/a.png", fragments: ["Blur(1.5)"])
        #expect(try cache.data(for: key) == nil)
        #expect(!cache.contains(key))
        try cache.store(Data("body".utf8), for: key, metadata: metadata())
        var expected = metadata()
        expected.storedAt = clock.now
        #expect(try cache.data(for: key) == CachedData(data: Data("body".utf8), metadata: expected))
        #expect(try cache.metadata(for: key) == expected)
        #expect(cache.contains(key))
        #expect(cache.totalCount == 1 && cache.totalSize == 4)
        let listed = try #require(cache.entries().first)
        #expect(listed.key == key.text && listed.byteCount == 4 && listed.path == cache.path(for: key))
        #expect(listed.modified == clock.now && listed.accessed == clock.now && listed.metadata == expected)
        try cache.remove(key)
        #expect(try cache.data(for: key) == nil)
        #expect(folder.names("entries").isEmpty)
        try cache.remove(key)
    }

    @Test(arguments: DiskCache.MetadataPlacement.allCases)
    func aStoreReplacesTheEntry(placement: DiskCache.MetadataPlacement) throws {
        let cache = DiskCache(folder, placement: placement)
        for body in ["long first body", "", "2"] {
            try cache.store(Data(body.utf8), for: CacheKey("k"), metadata: metadata())
            #expect(try cache.data(for: CacheKey("k"))?.data == Data(body.utf8))
            #expect(cache.totalCount == 1 && cache.totalSize == body.utf8.count)
        }
    }

    @Test func dataInPiecesIsStoredWhole() throws {
        let cache = DiskCache(folder)
        let slice = Data(0..<100).dropFirst(50)
        try cache.store(slice, for: CacheKey("k"))
        #expect(try cache.data(for: CacheKey("k"))?.data == Data(50..<100))
    }

    @Test(arguments: DiskCache.MetadataPlacement.allCases)
    func metadataAreReplacedAlone(placement: DiskCache.MetadataPlacement) throws {
        let clock = CacheTestWallClock()
        let cache = DiskCache(folder, placement: placement, wallClock: clock)
        try cache.setMetadata(metadata(), for: CacheKey("k"))
        #expect(!cache.contains(CacheKey("k")))
        try cache.store(Data([1, 2]), for: CacheKey("k"), metadata: metadata())
        clock.advance(by: .seconds(100))
        var changed = metadata()
        changed.validators.etag = "\"y\""
        changed.extendedData = nil
        try cache.setMetadata(changed, for: CacheKey("k"))
        changed.storedAt = clock.now
        #expect(try cache.data(for: CacheKey("k")) == CachedData(data: Data([1, 2]), metadata: changed))
        #expect(cache.entries().first?.modified == clock.now)
        var large = changed
        large.extendedData = Data(count: 20_000)
        try cache.setMetadata(large, for: CacheKey("k"))
        #expect(try cache.data(for: CacheKey("k"))?.metadata.extendedData == Data(count: 20_000))
        #expect(cache.totalCount == 1)
    }

    @Test func metadataThatNoAttributeHoldsGoToASidecar() throws {
        let cache = DiskCache(folder)
        let key = CacheKey(String(repeating: "k", count: 70_000))
        var large = metadata()
        large.extendedData = Data(repeating: 3, count: 100_000)
        try cache.store(Data([1]), for: key, metadata: large)
        let entry = try #require(try cache.data(for: key))
        #expect(entry.data == Data([1]) && entry.metadata.extendedData == large.extendedData)
        #expect(folder.names("entries").count { $0.hasSuffix(".meta") } == 1)
        #expect(cache.totalCount == 1 && cache.totalSize == 1)
        #expect(cache.entries().map(\.key) == [key.text])
        try cache.remove(key)
        #expect(folder.names("entries").isEmpty)
    }

    @Test func metadataOverTheLimitAreRefused() throws {
        let cache = DiskCache(folder)
        var large = metadata()
        large.extendedData = Data(count: DiskRecord.maxEncodedCount)
        let error = #expect(throws: ImageError.self) {
            try cache.store(Data(), for: CacheKey("k"), metadata: large)
        }
        #expect(error?.code == .storeFailed && error?.message.contains("16777216") == true)
        #expect(folder.names("entries").isEmpty)
    }

    @Test("B03 keys that do not survive as file names", arguments: DiskCache.MetadataPlacement.allCases)
    func B03_oddKeys(placement: DiskCache.MetadataPlacement) throws {
        let cache = DiskCache(folder, placement: placement)
        let long = String(repeating: "u", count: 4_999)
        let keys = [
            "A.1", "A.2", "a.1", "a/b", "a%2Fb", "a:b", "../../escape", "..", ".", " ", "\u{E9}", "e\u{301}",
            long + "a", long + "b", "x." + String(repeating: "j", count: 500), "http://h/i.jpg?a=1|2&b=%E4", "", "a\0b",
        ]
        for (index, key) in keys.enumerated() { try cache.store(Data("body \(index)".utf8), for: CacheKey(key)) }
        for (index, key) in keys.enumerated() {
            #expect(try cache.data(for: CacheKey(key))?.data == Data("body \(index)".utf8), "\(key.prefix(20))")
        }
        let names = folder.names("entries")
        let bodies = names.filter { !$0.hasPrefix(".") }
        #expect(bodies.count == keys.count && cache.totalCount == keys.count)
        #expect(names.allSatisfy { $0.utf8.count <= 255 })
        #expect(folder.names() == ["entries"])
        let sizes = try bodies.map { name in
            try FileManager.default.attributesOfItem(atPath: folder.path + "/entries/" + name)[.size] as? Int ?? 0
        }
        #expect(cache.totalSize == sizes.reduce(0, +))
        #expect(Set(cache.entries().compactMap(\.key).map { Array($0.utf8) }) == Set(keys.map { Array($0.utf8) }))
    }

    @Test func filesOfOthersAreLeftAlone() throws {
        let cache = DiskCache(folder)
        try cache.store(Data([1]), for: CacheKey("k"))
        for name in ["holiday.jpg", ".hidden"] {
            try Data([9]).write(to: folder.url.appending(path: "entries/" + name))
        }
        #expect(cache.totalCount == 1 && cache.totalSize == 1)
        var configuration = ImageCacheConfiguration()
        configuration.maxDiskAge = .zero
        cache.configuration = configuration
        cache.removeExpired()
        #expect(cache.totalCount == 0)
        try cache.removeAll()
        #expect(folder.names("entries") == [".hidden", "holiday.jpg"])
    }

    @Test func aFolderNamedLikeAnEntryStays() throws {
        let cache = DiskCache(folder)
        try FileManager.default.createDirectory(atPath: cache.path(for: "k"), withIntermediateDirectories: true)
        try cache.store(Data([1]), for: "other")
        try cache.removeAll()
        #expect(!cache.contains("other"))
        #expect(folder.names("entries") == [URL(filePath: cache.path(for: "k")).lastPathComponent])
    }

    @Test func theFolderIsMadeAtTheFirstStoreForTheOwnerOnly() throws {
        let path = folder.path + "/a/b/c"
        let cache = DiskCache(folder: path)
        #expect(try cache.data(for: CacheKey("k")) == nil)
        cache.removeExpired()
        try cache.removeAll()
        #expect(cache.totalSize == 0 && cache.totalCount == 0 && cache.entries().isEmpty)
        #expect(folder.names().isEmpty)
        try cache.store(Data([1]), for: CacheKey("k"))
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }
}
