import Foundation
import Testing
import WebImageTesting

@testable import WebImageCore

@Suite(.timeLimit(.minutes(20))) struct ImageCacheOrderTests {
    private let folder = try! CacheTestFolder()
    private let key = CacheKey("key")
    private let other = CacheKey("other")

    private func cache() -> ImageCache {
        ImageCache(directory: folder.url, coder: CodersManager(), clock: ManualClock())
    }

    /// A cache that has `key` and `other` on a disk with gates.
    private func gated() -> (cache: ImageCache, disk: GatedDisk) {
        let disk = GatedDisk([key: Data([1]), other: Data([9])])
        var configuration = ImageCacheConfiguration()
        configuration.makeDiskCache = { _, _, _ in disk }
        let cache = ImageCache(
            directory: folder.url, configuration: configuration, coder: CodersManager(), clock: ManualClock())
        return (cache, disk)
    }

    @Test func callsAboutOneKeyKeepTheirOrder() async {
        let cache = cache()
        for index in 0..<200 {
            let key = CacheKey("key \(index % 7)")
            let found = await withCheckedContinuation { continuation in
                cache.storeData(Data("\(index)".utf8), for: key, metadata: DiskMetadata()) { _ in }
                cache.data(for: key) { continuation.resume(returning: $0) }
            }
            cache.remove(key, from: .disk) {}
            #expect(await cache.data(for: key) == nil)
            #expect(found?.data == Data("\(index)".utf8))
        }
    }

    @Test func aChangeWaitsForTheReadsThatWereAskedForBefore() async {
        let (cache, disk) = gated()
        async let first = cache.data(for: key)
        async let second = cache.contains(key, in: .disk)
        // Side by side: neither has been let through.
        await disk.readGate.waitForArrivals(2)
        let removed = Gate()
        cache.remove(key, from: .disk) { removed.open() }
        // Later calls about others do not wait, and one about this key knows what will be.
        await cache.remove(other)
        #expect(await cache.data(for: key) == nil)
        #expect(disk.totalCount == 1)
        disk.readGate.open()
        #expect(await first?.data == Data([1]))
        #expect(await second == .disk)
        await removed.wait()
        #expect(disk.totalCount == 0)
    }

    @Test func aReadSeesTheLastStoreBeforeItAndNoneAfter() async {
        let (cache, disk) = gated()
        cache.storeData(Data([2]), for: key, metadata: DiskMetadata()) { _ in }
        async let read = cache.data(for: key)
        #expect(await read?.data == Data([2]))
        // What only the disk can tell waits for its turn, between two changes.
        let found = AsyncStream<Data?>.makeStream()
        cache.setMetadata(DiskMetadata(contentType: "m"), for: other) { _ in }
        cache.data(for: other) {
            found.continuation.yield($0?.data)
            found.continuation.finish()
        }
        // What it does comes after the read; its completion may be called on another thread before that of the read.
        let removed = Gate()
        cache.remove(other, from: .disk) { removed.open() }
        disk.readGate.open()
        disk.storeGate.open()
        var all: [Data?] = []
        for await data in found.stream { all.append(data) }
        #expect(all == [Data([9])])
        await removed.wait()
        #expect(cache.diskData(for: key)?.data == Data([2]))
        #expect(await cache.contains(other) == .none)
    }

    @Test func aClearWaitsForReadsBeforeAndStoresAfterWaitForIt() async {
        let (cache, disk) = gated()
        disk.storeGate.open()
        async let read = cache.data(for: key)
        await disk.readGate.waitForArrivals(1)
        let order = AsyncStream<String>.makeStream()
        cache.clearDisk { order.continuation.yield("clear") }
        cache.storeData(Data([3]), for: other, metadata: DiskMetadata()) { _ in order.continuation.finish() }
        #expect(disk.totalCount == 2)
        #expect(await cache.data(for: other)?.data == Data([3]))
        #expect(await cache.data(for: key) == nil)
        disk.readGate.open()
        #expect(await read?.data == Data([1]))
        for await _ in order.stream {}
        #expect(disk.totalSize == 1 && cache.diskData(for: other)?.data == Data([3]))
    }

    @Test func aClearTakesWhatWasStoredBeforeAndNotAfter() async {
        let cache = cache()
        for round in 0..<20 {
            for index in 0..<10 {
                cache.storeData(Data([1]), for: CacheKey("before \(index)"), metadata: DiskMetadata()) { _ in }
            }
            cache.clearDisk {}
            for index in 0..<10 {
                cache.storeData(Data([2]), for: CacheKey("after \(index)"), metadata: DiskMetadata()) { _ in }
            }
            for index in 0..<10 {
                #expect(await cache.data(for: CacheKey("before \(index)")) == nil, "round \(round)")
                #expect(await cache.data(for: CacheKey("after \(index)"))?.data == Data([2]), "round \(round)")
            }
        }
    }

    @Test func aSweepAndACountWaitForWhatWasStoredBefore() async {
        let cache = cache()
        for index in 0..<50 {
            cache.storeData(Data(count: 10), for: CacheKey("\(index)"), metadata: DiskMetadata()) { _ in }
        }
        let (count, size) = await withCheckedContinuation { continuation in
            cache.calculateSize { continuation.resume(returning: ($0, $1)) }
        }
        #expect(count == 50 && size == 500)
        for index in 50..<100 {
            cache.storeData(Data(count: 10), for: CacheKey("\(index)"), metadata: DiskMetadata()) { _ in }
        }
        cache.configuration.maxDiskSize = 999
        await cache.removeExpired()
        #expect(cache.totalDiskSize <= 500)
    }

    @Test func waitingCallsInCompletionsDoNotWaitForEver() async {
        let cache = cache()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<100 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        cache.storeData(Data([1]), for: CacheKey("\(index)"), metadata: DiskMetadata()) { _ in
                            for other in 0..<8 { _ = cache.diskDataExists(for: CacheKey("\(other)")) }
                            continuation.resume()
                        }
                    }
                }
            }
        }
        #expect(cache.totalDiskCount == 100)
    }

    @Test func metadataAreReplacedInOrder() async throws {
        let cache = cache()
        let key = CacheKey("k")
        try await cache.storeData(Data([1]), for: key, metadata: DiskMetadata(contentType: "a"))
        let error = await withCheckedContinuation { continuation in
            cache.setMetadata(DiskMetadata(contentType: "b"), for: key) { continuation.resume(returning: $0) }
        }
        #expect(error == nil)
        #expect(cache.diskData(for: key)?.metadata.contentType == "b")
    }
}
