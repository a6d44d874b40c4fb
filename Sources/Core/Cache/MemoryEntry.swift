import Synchronization

/// What a memory cache knows of one key: the picture it holds, or that it held one.
///
/// Unchecked, because three parties share it: `image` and `evicted` are touched under the lock of the shard that the
/// entry is in, `cost`, `queue` and `place` under the lock of `MemoryEntries`, and `uses` is atomic.
final class MemoryEntry: @unchecked Sendable {
    /// The queue that a held picture stands in.
    enum Queue { case none, window, main }

    let key: CacheKey
    /// Held for its own sake.
    var image: DecodedImage?
    /// Let go of, and perhaps still alive elsewhere.
    weak var evicted: DecodedImage?

    var cost = 0
    var queue = Queue.none
    /// Where the queue has it.
    var place = 0

    private let uses = Atomic<UInt8>(0)
    private static let mostUses: UInt8 = 15

    init(key: CacheKey) {
        self.key = key
    }

    /// Notes a use. Two at once may count as one.
    func use() {
        let count = uses.load(ordering: .relaxed)
        if count < Self.mostUses { uses.store(count + 1, ordering: .relaxed) }
    }

    /// How often it was used since this was last asked.
    func takeUses() -> UInt8 {
        let count = uses.load(ordering: .relaxed)
        if count > 0 { uses.store(0, ordering: .relaxed) }
        return count
    }
}
