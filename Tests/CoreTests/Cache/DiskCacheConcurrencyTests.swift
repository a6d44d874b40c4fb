import Foundation
import Synchronization
import Testing
import WebImageTesting

@testable import WebImageCore

@Suite struct DiskCacheConcurrencyTests {
    private let folder = try! CacheTestFolder()

    /// Two caches on one folder, as two processes would have them; the cache has no state beside the folder. A second
    /// process itself is part of the tests of the command-line tool.
    @Test("B04 writers and readers of one key: whole or missing", arguments: DiskCache.MetadataPlacement.allCases)
    func B04_wholeOrMissing(placement: DiskCache.MetadataPlacement) throws {
        let caches = [DiskCache(folder, placement: placement), DiskCache(folder, placement: placement)]
        let bodies = [Data(repeating: 0x41, count: 1 << 20), Data(repeating: 0x42, count: 1 << 20)]
        let key = CacheKey("https://h/k.png")
        let writers = Atomic<Int>(4)
        let hits = Atomic<Int>(0)
        let faults = Atomic<Int>(0)
        onThreads(12) { thread in
            let cache = caches[thread % 2]
            if thread < 4 {
                for round in 0..<25 where (try? cache.store(bodies[(thread + round) % 2], for: key)) == nil {
                    faults.wrappingAdd(1, ordering: .relaxed)
                }
                writers.wrappingSubtract(1, ordering: .relaxed)
                return
            }
            while writers.load(ordering: .relaxed) > 0 {
                let entry: CachedData?
                do { entry = try cache.data(for: key) } catch {
                    faults.wrappingAdd(1, ordering: .relaxed)
                    continue
                }
                guard let entry else { continue }
                hits.wrappingAdd(1, ordering: .relaxed)
                if !bodies.contains(entry.data) { faults.wrappingAdd(1, ordering: .relaxed) }
            }
        }
        let (hitCount, faultCount) = (hits.load(ordering: .relaxed), faults.load(ordering: .relaxed))
        #expect(faultCount == 0)
        // With sidecars, that every read falls between two of the eight is possible though unlikely.
        #expect(placement == .sidecar || hitCount > 0)
        #expect(caches[0].totalCount == 1 && caches[0].totalSize == 1 << 20)
        // A sidecar for each of the two bodies; the one that is not needed goes with a sweep.
        // The filter may be there, or be made just now: readers have looked in vain at first.
        let filter = ".tmp-" + DiskDigest((0, 0)).text
        let names = folder.names("entries").filter { $0 != ".filter" && !$0.hasPrefix(filter) }
        #expect(!names.contains { $0.hasPrefix(".tmp-") } && names.count <= (placement == .sidecar ? 3 : 1))
        try caches[0].store(bodies[0], for: key)
        #expect(try caches[1].data(for: key)?.data == bodies[0])
    }

    @Test("metadata stay while another store is under way, and a body without them is no fault then")
    func busyFolder() throws {
        let cache = DiskCache(folder, placement: .sidecar)
        let (first, second) = (CacheKey("first"), CacheKey("second"))
        try cache.store(Data([1]), for: first)
        // As a store of another process holds it between its metadata and its body.
        guard let lock = try? FolderLock(cache.folder, .shared, .short) else {
            Issue.record("the folder cannot be locked")
            return
        }
        try cache.removeAll()
        let names = folder.names("entries").filter { $0 != ".filter" }
        #expect(names.count == 1 && names.allSatisfy { $0.hasSuffix(".meta") })
        try cache.store(Data([2]), for: second)
        for name in folder.names("entries") where name.hasSuffix(".meta") {
            try FileManager.default.removeItem(atPath: cache.folder + "/" + name)
        }
        #expect(cache.verify(removesFaults: false).faults.isEmpty)
        _ = consume lock
        #expect(cache.verify().faults.map(\.kind) == [.withoutMetadata])
        #expect(cache.totalCount == 0)
    }

    @Test("a store that others do not let to the metadata fails, and the former entry is still there")
    func lockedFolder() throws {
        let cache = DiskCache(
            folder: folder.path + "/entries", configuration: ImageCacheConfiguration(), wallClock: .system,
            placement: .sidecar, lockPatience: .short)
        let key = CacheKey("key")
        try cache.store(Data([1]), for: key)
        // As a process that was stopped while it cleared.
        let lock = try FolderLock(cache.folder, .exclusive, .short)
        let error = #expect(throws: ImageError.self) { try cache.store(Data([2]), for: key) }
        #expect(error?.code == .storeFailed && error?.message.contains("end it") == true)
        #expect(try cache.data(for: key)?.data == Data([1]))
        #expect(!folder.names("entries").contains { $0.hasPrefix(".tmp-") })
        _ = consume lock
        try cache.store(Data([2]), for: key)
        #expect(try cache.data(for: key)?.data == Data([2]))
    }

    @Test("stores, reads, removals, sweeps and the folder's removal at once: no fault and no crash")
    func everythingAtOnce() throws {
        var configuration = ImageCacheConfiguration()
        configuration.maxDiskSize = 4_000
        let caches = [
            DiskCache(folder, configuration: configuration), DiskCache(folder, configuration: configuration),
        ]
        let path = folder.path
        let faults = Mutex<[String]>([])
        onThreads(8) { thread in
            var generator = SeededGenerator(seed: UInt64(thread + 1))
            let cache = caches[thread % 2]
            for _ in 0..<300 {
                let name = "\(Int.random(in: 0..<10, using: &generator))"
                let body = Data(repeating: UInt8(name)!, count: 500)
                do {
                    switch Int.random(in: 0..<40, using: &generator) {
                    case 0: cache.removeExpired()
                    case 1: try cache.removeAll()
                    case 2: try? FileManager.default.removeItem(atPath: path + "/entries")
                    case 3: try cache.remove(CacheKey(name))
                    case 4: _ = cache.entries()
                    case 5...20: try cache.store(body, for: CacheKey(name))
                    default:
                        let entry = try cache.data(for: CacheKey(name))
                        if let entry, entry.data != body { faults.withLock { $0.append("wrong bytes") } }
                    }
                } catch {
                    faults.withLock { $0.append("\(error)") }
                }
            }
        }
        #expect(faults.withLock { $0 } == [])
        // Who only reads notices within a second that the folder is another one, who stores at once.
        for cache in caches { try cache.store(Data([0]), for: CacheKey("first")) }
        try caches[0].store(Data([1]), for: CacheKey("last"))
        #expect(try caches[1].data(for: CacheKey("last"))?.data == Data([1]))
        #expect(folder.names("entries").allSatisfy { !$0.hasPrefix(".tmp-") })
    }
}
