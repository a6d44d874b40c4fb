import Synchronization

/// The entries of a memory cache by key, in parts with a lock each, so that those who look up hardly meet.
///
/// Only `MemoryEntries` changes it, under its own lock and then the part's; look-ups take the part's alone.
final class MemoryIndex: Sendable {
    /// What is known of a key.
    enum Finding {
        case held(DecodedImage)
        /// Let go of, and alive elsewhere.
        case alive(DecodedImage)
        /// Let go of, and gone.
        case dead
        case missing
    }

    private final class Shard: Sendable {
        let entries = Mutex<[CacheKey: MemoryEntry]>([:])
    }

    private let shards = (0..<shardCount).map { _ in Shard() }
    /// A power of two.
    private static let shardCount = 32

    /// What is known of a key; counts as a use of what is held, unless told otherwise.
    func find(_ key: CacheKey, isUse: Bool = true) -> Finding {
        shard(key).entries.withLock { entries in
            guard let entry = entries[key] else { return .missing }
            if let image = entry.image {
                if isUse { entry.use() }
                return .held(image)
            }
            return entry.evicted.map { .alive($0) } ?? .dead
        }
    }

    /// Puts a picture under a key; tells the entry, whether it is a new one, and the picture that was held.
    func put(_ image: DecodedImage, for key: CacheKey) -> (entry: MemoryEntry, isNew: Bool, former: DecodedImage?) {
        shard(key).entries.withLock { entries in
            let known = entries[key]
            let entry = known ?? MemoryEntry(key: key)
            if known == nil { entries[key] = entry }
            let former = entry.image
            entry.image = image
            entry.evicted = nil
            return (entry, known == nil, former)
        }
    }

    /// The entry of a key.
    func entry(_ key: CacheKey) -> MemoryEntry? {
        shard(key).entries.withLock { $0[key] }
    }

    /// Lets go of an entry's picture and hands it out; remembers it where it can be found again.
    func evict(_ entry: MemoryEntry, remembers: Bool) -> DecodedImage? {
        shard(entry.key).entries.withLock { entries in
            let image = entry.image
            entry.image = nil
            if remembers { entry.evicted = image } else { entries[entry.key] = nil }
            return image
        }
    }

    /// Forgets a key.
    func remove(_ key: CacheKey) -> (entry: MemoryEntry, image: DecodedImage?)? {
        shard(key).entries.withLock { entries in
            guard let entry = entries.removeValue(forKey: key) else { return nil }
            // A use that is under way must not revive it.
            defer { (entry.image, entry.evicted) = (nil, nil) }
            return (entry, entry.image)
        }
    }

    /// Forgets all keys and hands the held pictures out.
    func removeAll() -> [DecodedImage] {
        shards.flatMap { shard in
            shard.entries.withLock { entries in
                defer { entries = [:] }
                return entries.values.compactMap(\.image)
            }
        }
    }

    /// Forgets the evicted that are gone; hands out those that live, as what others let go at this very moment must
    /// not die under a lock.
    func forgetDead() -> (count: Int, living: [DecodedImage]) {
        var (count, living) = (0, [DecodedImage]())
        for shard in shards {
            let (dead, alive) = shard.entries.withLock { entries in
                var alive: [DecodedImage] = []
                let before = entries.count
                entries = entries.filter { _, entry in
                    guard entry.image == nil else { return true }
                    guard let image = entry.evicted else { return false }
                    alive.append(image)
                    return true
                }
                return (before - entries.count, alive)
            }
            count += dead
            living += alive
        }
        return (count, living)
    }

    /// The pictures, held or alive elsewhere, of the keys that are wanted.
    func pictures(where isWanted: (CacheKey) -> Bool) -> [(key: CacheKey, image: DecodedImage)] {
        shards.flatMap { shard in
            shard.entries.withLock { entries in
                entries.values.filter { isWanted($0.key) }.compactMap { entry in
                    (entry.image ?? entry.evicted).map { (entry.key, $0) }
                }
            }
        }
    }

    /// How many keys something is remembered of.
    var count: Int {
        shards.reduce(0) { sum, shard in sum + shard.entries.withLock { $0.count } }
    }

    private func shard(_ key: CacheKey) -> Shard {
        // The low bits choose the place within the dictionary.
        shards[(key.hash >> 40) & (Self.shardCount - 1)]
    }
}
