import Foundation
import Testing
import WebImageTesting

@testable import WebImageCore

@Suite struct DiskCacheDamageTests {
    private let folder = try! CacheTestFolder()
    private let key = CacheKey("https://h/a.png")

    private func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    /// Changes a file's bytes and keeps its attributes.
    private func change(_ path: String, _ change: (FileHandle) throws -> Void) throws {
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        try change(handle)
        try handle.close()
    }

    private func sidecar(_ key: CacheKey, of body: Data) -> String {
        let name = DiskFileKind.sidecarName(DiskAddress(key).digest, body: BodyDigest.name(of: body))
        return folder.path + "/entries/" + name
    }

    @Test func aCutEntryIsAMissAndRemoved() throws {
        let cache = DiskCache(folder)
        try cache.store(Data(count: 1000), for: key)
        try change(cache.path(for: key)) { try $0.truncate(atOffset: 999) }
        #expect(!cache.contains(key))
        #expect(try cache.metadata(for: key) == nil)
        #expect(try cache.data(for: key) == nil)
        #expect(folder.names("entries").isEmpty)
    }

    @Test func aFileWithoutMetadataIsAMiss() throws {
        let cache = DiskCache(folder)
        try cache.store(Data([1]), for: CacheKey("other"))
        try write([1, 2, 3], to: cache.path(for: key))
        #expect(try cache.data(for: key) == nil)
        #expect(!cache.contains(key))
        #expect(cache.entries().contains { $0.key == nil && $0.byteCount == 3 })
        try cache.store(Data([5]), for: key)
        #expect(try cache.data(for: key)?.data == Data([5]))
    }

    @Test(arguments: DiskCache.MetadataPlacement.allCases)
    func anotherKeysEntryUnderTheNameIsAMiss(placement: DiskCache.MetadataPlacement) throws {
        let cache = DiskCache(folder, placement: placement)
        let other = CacheKey("https://h/b.png")
        try cache.store(Data([1]), for: other)
        try FileManager.default.moveItem(atPath: cache.path(for: other), toPath: cache.path(for: key))
        if placement == .sidecar {
            try FileManager.default.moveItem(atPath: sidecar(other, of: Data([1])), toPath: sidecar(key, of: Data([1])))
        }
        #expect(try cache.data(for: key) == nil)
        #expect(!cache.contains(key))
        #expect(cache.entries().map(\.key) == [other.text])
    }

    @Test func aLinkAFolderAndAPipeAreMisses() throws {
        let cache = DiskCache(folder)
        try cache.store(Data([1]), for: CacheKey("other"))
        let path = cache.path(for: key)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/etc/passwd")
        #expect(try cache.data(for: key) == nil)
        try cache.store(Data([2]), for: key)
        #expect(try cache.data(for: key)?.data == Data([2]))
        try cache.remove(key)
        try #require(mkfifo(path, 0o600) == 0)
        #expect(try cache.data(for: key) == nil)
        try cache.remove(key)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(try cache.data(for: key) == nil)
        #expect(cache.totalSize == 1)
        let error = #expect(throws: ImageError.self) { try cache.store(Data([2]), for: key) }
        #expect(error?.message.contains(path) == true)
        #expect(folder.names("entries").count == 2)
    }

    @Test("a body whose bytes changed under its sidecar is a miss, and goes once nobody can be at it")
    func changedBodyBesideSidecar() throws {
        let clock = CacheTestWallClock()
        let cache = DiskCache(folder, placement: .sidecar, wallClock: clock)
        try cache.store(Data("first".utf8), for: key)
        try write(Array("worse".utf8), to: cache.path(for: key))
        #expect(try cache.data(for: key) == nil)
        #expect(folder.names("entries").count == 2)
        clock.advance(by: .seconds(61))
        #expect(try cache.data(for: key) == nil)
        #expect(cache.totalCount == 0)
        try cache.store(Data("third".utf8), for: key)
        #expect(try cache.data(for: key)?.data == Data("third".utf8))
    }

    @Test("killed between a sidecar and its body: the former entry is whole, and the sidecar goes with a sweep")
    func sidecarWithoutItsBody() throws {
        let clock = CacheTestWallClock()
        let cache = DiskCache(folder, placement: .sidecar, wallClock: clock)
        try cache.store(Data("new".utf8), for: key)
        let coming = sidecar(key, of: Data("new".utf8))
        let contents = try Data(contentsOf: URL(filePath: coming))
        try cache.store(Data("old".utf8), for: key)
        try contents.write(to: URL(filePath: coming))
        #expect(try cache.data(for: key)?.data == Data("old".utf8))
        clock.advance(by: .seconds(1300))
        cache.removeExpired()
        #expect(folder.names("entries").count == 2 && !FileManager.default.fileExists(atPath: coming))
        #expect(try cache.data(for: key)?.data == Data("old".utf8))
    }

    @Test(arguments: DiskCache.MetadataPlacement.allCases)
    func aFlippedBitIsFoundWhenAskedFor(placement: DiskCache.MetadataPlacement) throws {
        var configuration = ImageCacheConfiguration()
        configuration.verifiesDigestOnRead = true
        let clock = CacheTestWallClock()
        let cache = DiskCache(folder, placement: placement, configuration: configuration, wallClock: clock)
        try cache.store(Data(count: 1000), for: key)
        #expect(try cache.data(for: key)?.data == Data(count: 1000))
        try change(cache.path(for: key)) { file in
            try file.seek(toOffset: 500)
            try file.write(contentsOf: Data([1]))
        }
        clock.advance(by: .seconds(61))
        #expect(try cache.data(for: key) == nil)
        #expect(cache.totalCount == 0)
    }

    @Test("fuzz: any bytes as metadata are a miss or the entry, never a crash")
    func fuzzedMetadata() throws {
        var generator = SeededGenerator(seed: 3)
        let cache = DiskCache(folder, placement: .sidecar)
        var metadata = DiskMetadata(url: key.text, contentType: "image/png", extendedData: Data(0..<40))
        metadata.validators.etag = "e"
        try cache.store(Data([1, 2, 3]), for: key, metadata: metadata)
        let body = try Data(contentsOf: URL(filePath: cache.path(for: key)))
        let sidecar = sidecar(key, of: body)
        let good = Array(try Data(contentsOf: URL(filePath: sidecar)))
        var hits = 0
        for round in 0..<1_000 {
            let bytes = fuzzed(good, round, &generator)
            try write(bytes, to: sidecar)
            try body.write(to: URL(filePath: cache.path(for: key)))
            let entry = try cache.data(for: key)
            #expect(entry == nil || entry?.data == Data([1, 2, 3]))
            _ = cache.entries()
            hits += entry == nil ? 0 : 1
        }
        #expect(hits > 0 && hits < 1_000)
    }

    @Test("fuzz: any bytes in the attribute are a miss or the entry, never a crash")
    func fuzzedAttribute() throws {
        var generator = SeededGenerator(seed: 4)
        let cache = DiskCache(folder)
        try cache.store(Data([1, 2, 3]), for: key)
        let good = try #require(
            DiskRecord(
                key: key.text, storedAt: WallTime(seconds: 1), byteCount: 3, digest: BodyDigest(Data([1, 2, 3])),
                metadata: DiskMetadata(url: "u")
            ).encoded())
        for round in 0..<1_000 {
            if !FileManager.default.fileExists(atPath: cache.path(for: key)) {
                try cache.store(Data([1, 2, 3]), for: key)
            }
            let file = try FileDescriptor(cache.path(for: key), .read)
            try? file.setExtendedAttribute(DiskCache.attributeName, to: fuzzed(good, round, &generator))
            let entry = try cache.data(for: key)
            #expect(entry == nil || entry?.data == Data([1, 2, 3]))
        }
    }

    /// Random bytes, a prefix, or a few bytes changed.
    private func fuzzed(_ good: [UInt8], _ round: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = good
        switch round % 3 {
        case 0:
            let count = Int.random(in: 0...200, using: &generator)
            bytes = (0..<count).map { _ in .random(in: 0...255, using: &generator) }
        case 1: bytes.removeLast(Int.random(in: 0...good.count, using: &generator))
        default:
            for _ in 0...Int.random(in: 0...2, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
        }
        return bytes
    }

    @Test func everyPrefixOfARecordIsNone() throws {
        let record = DiskRecord(
            key: "k", storedAt: WallTime(seconds: -5, nanoseconds: 7), byteCount: 9,
            digest: BodyDigest(key: .init(high: .max, low: 2), high: 1, low: .max),
            metadata: DiskMetadata(extendedData: Data([1, 2])))
        let bytes = try #require(record.encoded())
        var read = try #require(DiskRecord(bytes))
        #expect(read.metadata.storedAt == record.storedAt)
        read.metadata.storedAt = nil
        #expect(read == record)
        let whole = bytes.count - 7
        for count in bytes.indices {
            #expect((DiskRecord(Array(bytes[..<count])) == nil) == (count != whole), "\(count)")
        }
        #expect(DiskRecord(bytes + [200, 1, 0, 0, 0, 5])?.key == "k")
        #expect(DiskRecord([UInt8]("WIM".utf8) + [2] + bytes.dropFirst(4)) == nil)
    }
}
