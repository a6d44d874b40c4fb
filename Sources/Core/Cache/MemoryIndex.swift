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
        let table = Mutex(MemoryTable())
    }

    private let shards = (0..<shardCount).map { _ in Shard() }
    /// A power of two.
    private static let shardCount = 32

    /// What is known of a key; counts as a use of what is held, unless told otherwise.
    func find(_ key: CacheKey, isUse: Bool = true) -> Finding {
        shard(key).table.withLock { table in
            guard let place = table.place(of: key) else { return .missing }
            if let image = table.slots[place].image {
                if isUse { table.slots[place].use() }
                return .held(image)
            }
            return table.slots[place].entry?.evicted.map { .alive($0) } ?? .dead
        }
    }

    /// Puts a picture under a key; tells the entry, whether it is a new one, and the picture that was held.
    func put(_ image: DecodedImage, for key: CacheKey) -> (entry: MemoryEntry, isNew: Bool, former: DecodedImage?) {
        shard(key).table.withLock { table in
            guard let place = table.place(of: key), let entry = table.slots[place].entry else {
                let entry = MemoryEntry(key: key)
                let place = table.insert(entry)
                table.slots[place].image = image
                return (entry, true, nil)
            }
            let former = table.slots[place].image
            table.slots[place].image = image
            entry.evicted = nil
            return (entry, false, former)
        }
    }

    /// The entry of a key.
    func entry(_ key: CacheKey) -> MemoryEntry? {
        shard(key).table.withLock { table in table.place(of: key).flatMap { table.slots[$0].entry } }
    }

    /// Notes a use of what is held under a key.
    func use(_ key: CacheKey) {
        shard(key).table.withLock { table in
            if let place = table.place(of: key) { table.slots[place].use() }
        }
    }

    /// How often a key was used since this was last asked.
    func takeUses(_ key: CacheKey) -> UInt8 {
        shard(key).table.withLock { table in
            guard let place = table.place(of: key) else { return 0 }
            return table.slots[place].takeUses()
        }
    }

    /// Lets go of an entry's picture and hands it out; remembers it where it can be found again.
    func evict(_ entry: MemoryEntry, remembers: Bool) -> DecodedImage? {
        shard(entry.key).table.withLock { table in
            guard let place = table.place(of: entry.key) else { return nil }
            guard remembers else { return table.remove(at: place).image }
            let image = table.slots[place].image
            table.slots[place].image = nil
            _ = table.slots[place].takeUses()
            entry.evicted = image
            return image
        }
    }

    /// Forgets a key.
    func remove(_ key: CacheKey) -> (entry: MemoryEntry, image: DecodedImage?)? {
        shard(key).table.withLock { table in
            guard let place = table.place(of: key) else { return nil }
            let slot = table.remove(at: place)
            return slot.entry.map { ($0, slot.image) }
        }
    }

    /// Forgets all keys and hands the held pictures out.
    func removeAll() -> [DecodedImage] {
        shards.flatMap { shard in
            shard.table.withLock { table in
                defer { table = MemoryTable() }
                return table.known.compactMap(\.image)
            }
        }
    }

    /// Forgets the evicted that are gone; hands out those that live, as what others let go at this very moment must
    /// not die under a lock.
    func forgetDead() -> (count: Int, living: [DecodedImage]) {
        var (count, living) = (0, [DecodedImage]())
        for shard in shards {
            let (dead, alive) = shard.table.withLock { table in
                var alive: [DecodedImage] = []
                let before = table.count
                table.removeAll { slot in
                    guard slot.image == nil else { return false }
                    guard let image = slot.entry?.evicted else { return true }
                    alive.append(image)
                    return false
                }
                return (before - table.count, alive)
            }
            count += dead
            living += alive
        }
        return (count, living)
    }

    /// The pictures, held or alive elsewhere, of the keys that are wanted.
    func pictures(where isWanted: (CacheKey) -> Bool) -> [(key: CacheKey, image: DecodedImage)] {
        shards.flatMap { shard in
            shard.table.withLock { table in
                table.known.compactMap { slot in
                    guard let entry = slot.entry, isWanted(entry.key) else { return nil }
                    return (slot.image ?? entry.evicted).map { (entry.key, $0) }
                }
            }
        }
    }

    /// How many keys something is remembered of.
    var count: Int {
        shards.reduce(0) { sum, shard in sum + shard.table.withLock { $0.count } }
    }

    private func shard(_ key: CacheKey) -> Shard {
        // The low bits choose the place within the table.
        shards[(key.hash >> 40) & (Self.shardCount - 1)]
    }
}
