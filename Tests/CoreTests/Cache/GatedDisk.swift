import Synchronization
import WebImageFoundation
import WebImageTesting

@testable import WebImageCore

/// A disk in memory that waits at gates.
final class GatedDisk: DiskCaching {
    let folder = "/gated"
    /// Where reads wait.
    let readGate = Gate()
    /// Where stores wait.
    let storeGate = Gate()
    private let entries = Mutex<[CacheKey: CachedData]>([:])
    private let settings = Mutex(ImageCacheConfiguration())

    init(_ entries: [CacheKey: Data]) {
        self.entries.withLock { $0 = entries.mapValues { CachedData(data: $0) } }
    }

    var configuration: ImageCacheConfiguration {
        get { settings.withLock { $0 } }
        set { settings.withLock { $0 = newValue } }
    }

    func data(for key: CacheKey) -> CachedData? {
        readGate.waitBlocking()
        return entries.withLock { $0[key] }
    }

    func metadata(for key: CacheKey) -> DiskMetadata? { data(for: key)?.metadata }
    func contains(_ key: CacheKey) -> Bool { data(for: key) != nil }

    func store(_ data: Data, for key: CacheKey, metadata: DiskMetadata) {
        storeGate.waitBlocking()
        entries.withLock { $0[key] = CachedData(data: data, metadata: metadata) }
    }

    func setMetadata(_ metadata: DiskMetadata, for key: CacheKey) { entries.withLock { $0[key]?.metadata = metadata } }
    func remove(_ key: CacheKey) { entries.withLock { $0[key] = nil } }
    func removeAll() { entries.withLock { $0 = [:] } }
    func removeExpired() {}
    var totalCount: Int { entries.withLock { $0.count } }
    var totalSize: Int { entries.withLock { $0.values.reduce(0) { $0 + $1.data.count } } }
    func path(for key: CacheKey) -> String { folder + "/" + key.text }
}
