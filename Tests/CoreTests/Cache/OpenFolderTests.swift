import Foundation
import Testing

@testable import WebImageCore

/// The folder that a cache holds open for its reads, while others do what they like to it.
@Suite struct OpenFolderTests {
    private let folder = try! CacheTestFolder()
    private let one = CacheKey("one")
    private let two = CacheKey("two")
    private var entries: String { folder.path + "/entries" }

    private func moveAway() throws {
        try FileManager.default.moveItem(atPath: entries, toPath: folder.path + "/gone-\(UUID().uuidString)")
    }

    @Test("What another process stores in a new folder is found at once")
    func newFolder() throws {
        let (cache, other) = (DiskCache(folder), DiskCache(folder))
        #expect(try cache.data(for: one) == nil)
        try other.store(Data([1]), for: one)
        #expect(try cache.data(for: one)?.data == Data([1]))
        try moveAway()
        try other.store(Data([2]), for: two)
        #expect(try cache.data(for: two)?.data == Data([2]))
        // Now it knows of the new one.
        #expect(try cache.data(for: one) == nil && !cache.contains(one))
    }

    @Test("Nothing of a former folder is read after a store or a removal", arguments: [true, false])
    func afterAChange(_ isStore: Bool) throws {
        let cache = DiskCache(folder)
        try cache.store(Data([1]), for: one)
        #expect(try cache.data(for: one) != nil)
        try moveAway()
        if isStore { try cache.store(Data([2]), for: two) } else { try cache.remove(two) }
        #expect(try cache.data(for: one) == nil && !cache.contains(one))
        try cache.setMetadata(DiskMetadata(url: "u"), for: one)
        #expect(try cache.data(for: one) == nil)
        #expect(try cache.data(for: two)?.data == (isStore ? Data([2]) : nil))
    }

    @Test("A folder that is a link is a folder", arguments: DiskCache.MetadataPlacement.allCases)
    func link(_ placement: DiskCache.MetadataPlacement) throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/far", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: entries, withDestinationPath: folder.path + "/far")
        let cache = DiskCache(folder, placement: placement)
        try cache.store(Data([1]), for: one)
        #expect(try cache.data(for: one)?.data == Data([1]))
        let lock = try FolderLock(entries, .exclusive, .short)
        #expect(lock.isOn(entries) && lock.isOn(folder.path + "/far"))
        #expect(throws: SystemError.wouldBlock) { _ = try FolderLock(entries, .shared, .short) }
        _ = consume lock
        try cache.removeAll()
        #expect(folder.names("far").allSatisfy { $0.hasPrefix(".filter") })
    }

    @Test("The same key of two folders, by turns in one place: each read is of a folder that was there")
    func byTurns() throws {
        let cache = DiskCache(folder)
        for turn in UInt8(0)..<20 {
            try DiskCache(folder).store(Data([turn]), for: one)
            // A second has not gone by: the former one may still be read, never anything else.
            let found = try #require(try cache.data(for: one)).data
            #expect(found == Data([turn]) || found == Data([turn &- 1]))
            cache.openFolder.checkAgain()
            #expect(try cache.data(for: one)?.data == Data([turn]))
            try moveAway()
        }
    }
}
