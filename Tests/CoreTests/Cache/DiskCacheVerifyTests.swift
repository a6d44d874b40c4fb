import Foundation
import Testing
import WebImageTesting

@testable import WebImageCore

@Suite struct DiskCacheVerifyTests {
    private let folder = try! CacheTestFolder()
    private let clock = CacheTestWallClock()
    private let keys = (0..<5).map { CacheKey("https://h/\($0).png") }

    private func change(_ path: String, _ change: (FileHandle) throws -> Void) throws {
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        try change(handle)
        try handle.close()
    }

    @Test(arguments: DiskCache.MetadataPlacement.allCases)
    func itFindsAndRemovesDamage(placement: DiskCache.MetadataPlacement) throws {
        let cache = DiskCache(folder, placement: placement, wallClock: clock)
        for (index, key) in keys.enumerated() { try cache.store(Data(count: 100 + index), for: key) }
        #expect(cache.verify() == DiskVerification(entryCount: 5, byteCount: 510))
        try change(cache.path(for: keys[0])) { try $0.truncate(atOffset: 50) }
        try change(cache.path(for: keys[1])) { try $0.write(contentsOf: Data([1])) }
        try Data([1]).write(to: URL(filePath: cache.path(for: CacheKey("new"))))
        if placement == .automatic {
            try FileManager.default.removeItem(atPath: cache.path(for: keys[2]))
            try FileManager.default.moveItem(
                atPath: cache.path(for: keys[3]), toPath: cache.path(for: keys[2]))
        }
        let temporary = DiskFileKind.temporaryName(DiskAddress(keys[4]).digest, unique: "1-1-1")
        try Data([1]).write(to: folder.url.appending(path: "entries/" + temporary))
        clock.advance(by: .seconds(1300))
        let looked = cache.verify(removesFaults: false)
        let expected: [DiskVerification.Kind: Int] =
            placement == .automatic
            ? [.damaged: 2, .withoutMetadata: 1, .wrongName: 1, .forgotten: 1]
            : [.withoutMetadata: 3, .forgotten: 1 + 0]
        let kinds = looked.faults.reduce(into: [:]) { $0[$1.kind, default: 0] += 1 }
        for (kind, count) in expected where kind != .forgotten { #expect(kinds[kind] == count, "\(kind)") }
        #expect((kinds[.forgotten] ?? 0) >= 1 && !looked.faults.contains { $0.isRemoved })
        let repaired = cache.verify()
        #expect(repaired.faults.count >= looked.faults.count && !repaired.faults.contains { !$0.isRemoved })
        _ = cache.verify()
        #expect(cache.verify().faults.isEmpty)
        #expect(cache.contains(keys[4]) && !cache.contains(keys[0]))
    }

    @Test("CA-44 moving a folder: a hundred files come as files, and the old folder goes")
    func CA_44_move() throws {
        let (old, new) = (folder.path + "/old", folder.path + "/a/b/new")
        try FileManager.default.createDirectory(atPath: old, withIntermediateDirectories: true)
        for index in 0..<100 { try Data([UInt8(index)]).write(to: URL(filePath: "\(old)/\(index).file")) }
        try DiskCache.moveFolder(from: old, to: new)
        #expect(folder.names("a/b/new").count == 100 && folder.names() == ["a"])
        // Once more, into a folder that is there.
        try FileManager.default.createDirectory(atPath: old, withIntermediateDirectories: true)
        for index in 50..<150 { try Data([200]).write(to: URL(filePath: "\(old)/\(index).file")) }
        try DiskCache.moveFolder(from: old, to: new)
        #expect(folder.names("a/b/new").count == 150 && folder.names() == ["a"])
        #expect(try Data(contentsOf: URL(filePath: new + "/60.file")) == Data([200]))
    }

    @Test func movingKeepsTheNewerEntryAndThePins() throws {
        let caches = ["one", "two"].map { DiskCache(folder: folder.path + "/" + $0, wallClock: clock) }
        try caches[0].store(Data("old".utf8), for: keys[0])
        try caches[1].store(Data("new".utf8), for: keys[1])
        clock.advance(by: .seconds(5))
        try caches[1].store(Data("new".utf8), for: keys[0])
        try caches[0].store(Data("newer".utf8), for: keys[1])
        try caches[0].pin(keys[1], tag: "a")
        try caches[1].pin(keys[0], tag: "b")
        caches[1].filter.make(in: caches[1].folder)
        try DiskCache.moveFolder(from: caches[0].folder, to: caches[1].folder)
        #expect(try caches[1].data(for: keys[0])?.data == Data("new".utf8))
        #expect(try caches[1].data(for: keys[1])?.data == Data("newer".utf8))
        #expect(caches[1].tags == ["a", "b"] && folder.names() == ["two"])
    }

    @Test func movingNothingOrToItselfDoesNothing() throws {
        let cache = DiskCache(folder)
        try cache.store(Data([1]), for: keys[0])
        try DiskCache.moveFolder(from: folder.path + "/nowhere", to: cache.folder)
        try DiskCache.moveFolder(from: cache.folder, to: cache.folder)
        try DiskCache.moveFolder(from: cache.folder, to: cache.folder + "/")
        #expect(cache.contains(keys[0]))
        try Data([1]).write(to: folder.url.appending(path: "file"))
        try DiskCache.moveFolder(from: cache.folder, to: folder.path + "/file")
        #expect(DiskCache(folder: folder.path + "/file").contains(keys[0]))
        let error = #expect(throws: ImageError.self) {
            try DiskCache.moveFolder(from: folder.path + "/file", to: "/proc/x/y")
        }
        #expect(error?.code == .storeFailed)
    }

    @Test func namespacesAreListedAndPurged() async throws {
        for namespace in ["ann", "b/b", ".c"] {
            let cache = ImageCache(
                namespace: namespace, directory: folder.url, coder: CodersManager(), clock: ManualClock())
            try cache.storeDataToDisk(Data([1]), for: keys[0])
        }
        #expect(ImageCache.namespaces(in: folder.url) == [".c", "ann", "b/b"])
        try ImageCache.purge(namespace: "ann", in: folder.url)
        #expect(ImageCache.namespaces(in: folder.url) == [".c", "b/b"])
        let cache = ImageCache(namespace: "b/b", directory: folder.url, coder: CodersManager(), clock: ManualClock())
        try cache.storeDataToDisk(Data([1]), for: keys[1])
        try await cache.purge()
        #expect(ImageCache.namespaces(in: folder.url) == [".c"])
    }
}
