import Foundation
import Synchronization
import Testing

@testable import WebImageCore

@Suite struct DiskFilterTests {
    private let folder = try! CacheTestFolder()
    private let keys = (0..<50).map { CacheKey("https://h/\($0).png") }
    private var entries: String { folder.path + "/entries" }

    /// A cache with a filter that knows the first ten keys.
    private func filtered() throws -> DiskCache {
        let cache = DiskCache(folder)
        for key in keys[..<10] { try cache.store(Data([1]), for: key) }
        cache.filter.make(in: entries)
        return cache
    }

    private func found(_ cache: DiskCache) -> Int { keys.count { cache.contains($0) } }

    private func mayContain(_ cache: DiskCache, _ key: CacheKey) -> Bool {
        cache.filter.mayContain(DiskAddress(key).digest)
    }

    @Test func itTellsWhatIsThereAndWhatIsNot() throws {
        let cache = try filtered()
        #expect(folder.names("entries").contains(".filter"))
        #expect(keys[..<10].allSatisfy { mayContain(cache, $0) })
        #expect(!keys[10...].contains { mayContain(cache, $0) })
        #expect(found(cache) == 10 && cache.totalCount == 10)
    }

    @Test func whatAnotherStoresIsSeenAtOnce() throws {
        let cache = try filtered()
        let other = DiskCache(folder)
        for (index, key) in keys[10...].enumerated() {
            #expect(!cache.contains(key))
            try other.store(Data([2]), for: key)
            #expect(try cache.data(for: key)?.data == Data([2]), "\(index)")
        }
    }

    @Test func whoStoredBeforeTheFileWasMadeIsFound() throws {
        let other = DiskCache(folder)
        #expect(!other.contains(keys[20]))
        let cache = try filtered()
        try other.store(Data([3]), for: keys[20])
        #expect(cache.contains(keys[20]))
    }

    @Test func aSweepRenewsWhatTellsTooLittle() throws {
        let cache = try filtered()
        for index in 0..<3_000 {
            let digest = DiskAddress(CacheKey("gone \(index)")).digest
            cache.filter.insert(digest, isInPlace: true)
        }
        #expect(mayContain(cache, CacheKey("gone 7")))
        for _ in 0..<300 {
            for index in 0..<5 { cache.filter.insert(DiskAddress(CacheKey("gone \(index)")).digest, isInPlace: true) }
        }
        cache.removeExpired()
        #expect(!mayContain(cache, CacheKey("gone 7")) && found(cache) == 10)
    }

    @Test func epochsComeRound() throws {
        let cache = try filtered()
        for round in 0..<520 {
            cache.filter.renew(in: entries)
            if round % 40 == 0 {
                #expect(keys[..<10].allSatisfy { mayContain(cache, $0) }, "\(round)")
                #expect(!mayContain(cache, keys[20]))
            }
        }
    }

    @Test func storesWhileItIsRenewedAreFound() throws {
        let cache = try filtered()
        let other = DiskCache(folder)
        let missed = Atomic<Int>(0)
        let running = Atomic<Int>(2)
        onThreads(3) { thread in
            guard thread < 2 else {
                while running.load(ordering: .relaxed) > 0 { other.filter.renew(in: entries) }
                return
            }
            for index in 0..<100 {
                let key = CacheKey("\(thread) \(index)")
                try? cache.store(Data([1]), for: key)
                if !other.contains(key) { missed.wrappingAdd(1, ordering: .relaxed) }
            }
            running.wrappingSubtract(1, ordering: .relaxed)
        }
        #expect(missed.load(ordering: .relaxed) == 0)
    }

    @Test func renewalsAtOnceForgetNobody() throws {
        let cache = try filtered()
        let missed = Atomic<Int>(0)
        let running = Atomic<Int>(2)
        onThreads(4) { thread in
            guard thread < 2 else {
                while running.load(ordering: .relaxed) > 0 {
                    let lost = keys[..<10].count { !mayContain(cache, $0) }
                    missed.wrappingAdd(lost, ordering: .relaxed)
                }
                return
            }
            for _ in 0..<200 { cache.filter.renew(in: entries) }
            running.wrappingSubtract(1, ordering: .relaxed)
        }
        #expect(missed.load(ordering: .relaxed) == 0 && found(cache) == 10)
    }

    @Test func aFolderThatIsRemovedAndMadeAgainIsSeenByWhoStores() throws {
        let cache = try filtered()
        try FileManager.default.removeItem(atPath: entries)
        try cache.store(Data([4]), for: keys[30])
        #expect(cache.contains(keys[30]) && !cache.contains(keys[0]))
    }

    @Test func aFileOfOthersInItsPlaceSaysNothing() throws {
        try FileManager.default.createDirectory(atPath: entries, withIntermediateDirectories: true)
        for bytes in [Data(), Data("WIF2".utf8), Data(count: DiskFilter.byteCount)] {
            try bytes.write(to: URL(filePath: entries + "/.filter"))
            let cache = DiskCache(folder)
            try cache.store(Data([1]), for: keys[0])
            #expect(cache.contains(keys[0]) && mayContain(cache, keys[1]))
            cache.removeExpired()
            #expect(cache.contains(keys[0]))
        }
    }

    @Test(.timeLimit(.minutes(20))) func manyMissesMakeIt() async throws {
        let cache = DiskCache(folder)
        try cache.store(Data([1]), for: keys[0])
        for _ in 0..<64 { #expect(!cache.contains(keys[1])) }
        // It is made in the background, and nobody else makes it at that time.
        while mayContain(cache, keys[1]), !Task.isCancelled {
            cache.filter.make(in: entries)
            await Task.yield()
        }
        #expect(!mayContain(cache, keys[1]) && cache.contains(keys[0]))
    }
}
