/// What a memory cache knows of one key beside the picture that it holds.
///
/// The picture that is held for its own sake stands in the index itself, so that a hit need not come here.
///
/// Unchecked, because two parties share it: `evicted` is touched under the lock of the shard that the entry is in,
/// `cost`, `queue` and `place` under the lock of `MemoryEntries`.
final class MemoryEntry: @unchecked Sendable {
    /// The queue that a held picture stands in.
    enum Queue { case none, window, main }

    let key: CacheKey
    /// Let go of, and perhaps still alive elsewhere.
    weak var evicted: DecodedImage?

    var cost = 0
    var queue = Queue.none
    /// Where the queue has it.
    var place = 0

    init(key: CacheKey) {
        self.key = key
    }
}
