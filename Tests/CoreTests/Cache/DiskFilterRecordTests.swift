import Foundation
import Testing
import WebImageTesting

@testable import WebImageCore

@Suite("DiskFilter: copies of records")
struct DiskFilterRecordTests {
    private let folder = try! CacheTestFolder()
    private let clock = CacheTestWallClock()
    private let key = CacheKey("https://h/a.png")

    /// A cache with a filter and one entry, old enough that its record may be kept.
    private func filtered() throws -> DiskCache {
        let cache = DiskCache(folder, wallClock: clock)
        try cache.store(Data([1, 2]), for: key, metadata: DiskMetadata(url: "u"))
        cache.filter.make(in: cache.folder)
        clock.advance(by: .seconds(3))
        return cache
    }

    private func url(_ cache: DiskCache) throws -> String? { try cache.data(for: key)?.metadata.url }

    private func setAttribute(_ cache: DiskCache, _ change: (inout DiskRecord) -> Void) throws {
        let file = try FileDescriptor(cache.path(for: key), .read)
        var record = try #require(file.extendedAttribute(DiskCache.attributeName).flatMap { DiskRecord($0) })
        change(&record)
        try file.setExtendedAttribute(DiskCache.attributeName, to: try #require(record.encoded()))
    }

    @Test("a record that was read once is not read from its attribute again, by any cache of the folder")
    func isKept() throws {
        let cache = try filtered()
        let first = try #require(try cache.data(for: key))
        try FileDescriptor(cache.path(for: key), .read).removeExtendedAttribute(DiskCache.attributeName)
        #expect(try cache.data(for: key) == first && first.metadata.url == "u")
        #expect(try DiskCache(folder, wallClock: clock).data(for: key) == first)
        // Those who look at the entry itself see what is there.
        #expect(cache.verify(removesFaults: false).faults.map(\.kind) == [.withoutMetadata])
    }

    @Test("the record of a file that changed of late is not kept")
    func isNotKeptWhenYoung() throws {
        let cache = try filtered()
        try cache.store(Data([3]), for: key, metadata: DiskMetadata(url: "v"))
        #expect(try url(cache) == "v")
        try setAttribute(cache) { $0.metadata.url = "w" }
        #expect(try url(cache) == "w")
    }

    @Test("what is stored or replaced later is what is found")
    func changes() throws {
        let cache = try filtered()
        #expect(try url(cache) == "u")
        try cache.setMetadata(DiskMetadata(url: "v"), for: key)
        #expect(try url(cache) == "v")
        clock.advance(by: .seconds(3))
        #expect(try url(cache) == "v")
        // At the very time that the copy has, for the clock is set back.
        clock.advance(by: .seconds(-3))
        try cache.setMetadata(DiskMetadata(url: "w"), for: key)
        #expect(try url(cache) == "w")
        clock.advance(by: .seconds(3))
        #expect(try url(cache) == "w")
        try DiskCache(folder, wallClock: clock).store(Data([5]), for: key, metadata: DiskMetadata(url: "x"))
        #expect(try cache.data(for: key)?.data == Data([5]))
        #expect(try url(cache) == "x")
        try cache.remove(key)
        #expect(try cache.data(for: key) == nil)
    }

    @Test("a copy says nothing of a file that was changed since, and a cut one is still found out")
    func isNotBelieved() throws {
        let cache = try filtered()
        #expect(try url(cache) == "u")
        try setAttribute(cache) { $0.metadata.url = "v" }
        try FileSystem.setTimes(cache.path(for: key), accessed: clock.now, modified: clock.now)
        #expect(try url(cache) == "v")
        clock.advance(by: .seconds(3))
        #expect(try url(cache) == "v")
        let file = try #require(FileHandle(forUpdatingAtPath: cache.path(for: key)))
        try file.truncate(atOffset: 1)
        #expect(try cache.data(for: key) == nil)
    }

    @Test("large records are read from their attributes")
    func large() throws {
        let cache = try filtered()
        let data = Data((0..<600).map { UInt8(truncatingIfNeeded: $0) })
        try cache.setMetadata(DiskMetadata(extendedData: data), for: key)
        clock.advance(by: .seconds(3))
        for _ in 0..<2 { #expect(try cache.data(for: key)?.metadata.extendedData == data) }
    }

    @Test("many keys in few places: each finds its own")
    func crowd() throws {
        let cache = try filtered()
        let keys = (0..<400).map { CacheKey("https://h/\($0 % 7)/\($0).png") }
        for key in keys { try cache.store(Data(key.text.utf8), for: key, metadata: DiskMetadata(url: key.text)) }
        clock.advance(by: .seconds(3))
        for _ in 0..<3 {
            for key in keys {
                let entry = try #require(try cache.data(for: key))
                #expect(entry.data == Data(key.text.utf8) && entry.metadata.url == key.text)
            }
        }
    }

    @Test("fuzz: a slot of any bytes is the record or none")
    func fuzz() throws {
        var generator = SeededGenerator(seed: 9)
        let cache = try filtered()
        let good = try #require(try cache.data(for: key))
        let file = try FileDescriptor(cache.folder + "/.filter", .update)
        let pair = DiskFilter.recordsStart + Int(DiskAddress(key).digest.low % (1 << 13)) * 1024
        for round in 0..<2000 {
            let place = Int.random(in: 0..<(round % 2 == 0 ? 1024 : 200), using: &generator)
            try file.write(.random(in: 0...255, using: &generator), at: pair + place)
            #expect(try cache.data(for: key) == good)
        }
    }
}
