import Foundation
import Testing

@testable import WebImageCore

@Suite struct DiskCacheFailureTests {
    private let folder = try! CacheTestFolder()
    private let key = CacheKey("https://h/a.png")

    @Test("B04 unwritable folder: one error with path, reason and remedy, and nothing left")
    func B04_unwritable() throws {
        // A mode without the write bit would not stop root; a file in place of a folder, and /proc, stop everybody.
        try Data().write(to: folder.url.appending(path: "file"))
        for path in [folder.path + "/file/entries", "/proc/webimage"] {
            let cache = DiskCache(folder: path)
            let error = #expect(throws: ImageError.self) { try cache.store(Data([1]), for: key) }
            #expect(error?.code == .storeFailed && error?.stage == .store)
            #expect(error?.message.hasPrefix("cannot write \(path)/") == true, "\(error?.message ?? "")")
            #expect(error?.message.hasSuffix("choose another folder") == true, "\(error?.message ?? "")")
            #expect(error?.underlying is SystemError)
            #expect(try cache.data(for: key) == nil)
            cache.removeExpired()
            try cache.removeAll()
        }
        #expect(folder.names() == ["file"])
    }

    @Test("B04 full disk, as a limit on the size of files: an error, the former entry stays, nothing is left")
    func B04_fileSizeLimit() throws {
        let cache = DiskCache(folder)
        try cache.store(Data([1]), for: key)
        let limit = 64 << 20
        let error = try withFileSizeLimit(limit) {
            #expect(throws: ImageError.self) { try cache.store(Data(count: limit + 1), for: key) }
        }
        #expect(error?.code == .storeFailed)
        #expect(error?.message.contains("raise the limit on the size of files") == true, "\(error?.message ?? "")")
        #expect(try cache.data(for: key)?.data == Data([1]))
        #expect(folder.names("entries") == [DiskAddress(key).fileName])
    }

    /// The limit is the process's: far above what other tests write.
    private func withFileSizeLimit<Result>(_ byteCount: Int, _ body: () throws -> Result) throws -> Result {
        signal(SIGXFSZ, SIG_IGN)
        var former = rlimit()
        try #require(getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &former) == 0)
        var limited = former
        limited.rlim_cur = rlim_t(byteCount)
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limited) == 0)
        defer { _ = setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &former) }
        return try body()
    }

    @Test(
        "B04 full disk, a tmpfs of 64 KB: an error that says so, and nothing left",
        .enabled(if: geteuid() == 0, "only root may mount; the limit on the size of files is tested everywhere"))
    func B04_fullDisk() throws {
        let disk = folder.path + "/entries"
        guard try MemoryDisk.mount(at: disk, "size=64k") else {
            return print("B04: mount is not allowed here")
        }
        defer { MemoryDisk.unmount(disk) }
        let cache = DiskCache(folder: disk)
        try cache.store(Data(count: 30_000), for: key)
        let error = #expect(throws: ImageError.self) { try cache.store(Data(count: 100_000), for: key) }
        #expect(error?.message.contains("No space left on device; free some space") == true, "\(error?.message ?? "")")
        #expect(try cache.data(for: key)?.data == Data(count: 30_000))
        #expect(folder.names("entries") == [DiskAddress(key).fileName])
    }

    @Test("B04 folder removed under a running cache: made again", arguments: DiskCache.MetadataPlacement.allCases)
    func B04_folderRemoved(placement: DiskCache.MetadataPlacement) throws {
        let cache = DiskCache(folder, placement: placement)
        try cache.store(Data([1]), for: key)
        try FileManager.default.removeItem(atPath: folder.path)
        #expect(try cache.data(for: key) == nil)
        #expect(cache.totalCount == 0)
        try cache.store(Data([2]), for: CacheKey("K2"))
        #expect(try cache.data(for: CacheKey("K2"))?.data == Data([2]))
        #expect(cache.totalCount == 1)
    }

    @Test("what is named like an entry and is no file is neither counted nor removed, and is no entry")
    func foreignKinds() throws {
        let cache = DiskCache(folder)
        try cache.store(Data([1]), for: key)
        let names = ["0", "1", "2"].map { DiskAddress(CacheKey($0)).fileName }
        let paths = names.map { cache.folder + "/" + $0 }
        try FileManager.default.createDirectory(atPath: paths[0], withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: paths[1], withDestinationPath: "/etc/passwd")
        try #require(mkfifo(paths[2], 0o600) == 0)
        #expect(cache.totalCount == 1 && cache.totalSize == 1 && cache.entries().count == 1)
        for name in ["0", "1", "2"] {
            #expect(try cache.data(for: CacheKey(name)) == nil && !cache.contains(CacheKey(name)))
        }
        #expect(cache.verify().faults.isEmpty)
        cache.removeExpired()
        try cache.removeAll()
        #expect(folder.names("entries").filter { !$0.hasPrefix(".") } == names.sorted())
    }

    @Test("a folder that cannot be listed fails a removal of all, which would seem done otherwise")
    func unlistable() throws {
        // A loop of links cannot be opened by anybody, root included.
        let loop = folder.path + "/loop"
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
        let error = #expect(throws: ImageError.self) { try DiskCache(folder: loop).removeAll() }
        #expect(error?.message.hasPrefix("cannot list \(loop): ") == true)
    }
}
