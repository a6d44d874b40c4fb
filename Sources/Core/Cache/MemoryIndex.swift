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

    private struct Slot {
        let entry: MemoryEntry
        /// Held for its own sake.
        var image: DecodedImage?
        /// How often it was used since that was last asked.
        var uses: UInt8 = 0

        static let mostUses: UInt8 = 15

        mutating func use() {
            if uses < Self.mostUses { uses += 1 }
        }
    }

    private final class Shard: Sendable {
        let slots = Mutex<[CacheKey: Slot]>([:])
    }

    private let shards = (0..<shardCount).map { _ in Shard() }
    /// A power of two.
    private static let shardCount = 32

    /// What is known of a key; counts as a use of what is held, unless told otherwise.
    func find(_ key: CacheKey, isUse: Bool = true) -> Finding {
        shard(key).slots.withLock { slots in
            guard let place = slots.index(forKey: key) else { return .missing }
            // In place: what a hit need not touch is not retained.
            if let image = slots.values[place].image {
                if isUse { slots.values[place].use() }
                return .held(image)
            }
            return slots.values[place].entry.evicted.map { .alive($0) } ?? .dead
        }
    }

    /// Puts a picture under a key; tells the entry, whether it is a new one, and the picture that was held.
    func put(_ image: DecodedImage, for key: CacheKey) -> (entry: MemoryEntry, isNew: Bool, former: DecodedImage?) {
        shard(key).slots.withLock { slots in
            let known = slots[key]
            let entry = known?.entry ?? MemoryEntry(key: key)
            slots[key] = Slot(entry: entry, image: image, uses: known?.uses ?? 0)
            entry.evicted = nil
            return (entry, known == nil, known?.image)
        }
    }

    /// The entry of a key.
    func entry(_ key: CacheKey) -> MemoryEntry? {
        shard(key).slots.withLock { $0[key]?.entry }
    }

    /// Notes a use of what is held under a key.
    func use(_ key: CacheKey) {
        shard(key).slots.withLock { $0[key]?.use() }
    }

    /// How often a key was used since this was last asked.
    func takeUses(_ key: CacheKey) -> UInt8 {
        shard(key).slots.withLock { slots in
            guard let place = slots.index(forKey: key) else { return 0 }
            let uses = slots.values[place].uses
            if uses > 0 { slots.values[place].uses = 0 }
            return uses
        }
    }

    /// Lets go of an entry's picture and hands it out; remembers it where it can be found again.
    func evict(_ entry: MemoryEntry, remembers: Bool) -> DecodedImage? {
        shard(entry.key).slots.withLock { slots in
            guard remembers else { return slots.removeValue(forKey: entry.key)?.image }
            let image = slots[entry.key]?.image
            slots[entry.key] = Slot(entry: entry)
            entry.evicted = image
            return image
        }
    }

    /// Forgets a key.
    func remove(_ key: CacheKey) -> (entry: MemoryEntry, image: DecodedImage?)? {
        shard(key).slots.withLock { slots in
            slots.removeValue(forKey: key).map { ($0.entry, $0.image) }
        }
    }

    /// Forgets all keys and hands the held pictures out.
    func removeAll() -> [DecodedImage] {
        shards.flatMap { shard in
            shard.slots.withLock { slots in
                defer { slots = [:] }
                return slots.values.compactMap(\.image)
            }
        }
    }

    /// Forgets the evicted that are gone; hands out those that live, as what others let go at this very moment must
    /// not die under a lock.
    func forgetDead() -> (count: Int, living: [DecodedImage]) {
        var (count, living) = (0, [DecodedImage]())
        for shard in shards {
            let (dead, alive) = shard.slots.withLock { slots in
                var alive: [DecodedImage] = []
                let before = slots.count
                slots = slots.filter { _, slot in
                    guard slot.image == nil else { return true }
                    guard let image = slot.entry.evicted else { return false }
                    alive.append(image)
                    return true
                }
                return (before - slots.count, alive)
            }
            count += dead
            living += alive
        }
        return (count, living)
    }

    /// The pictures, held or alive elsewhere, of the keys that are wanted.
    func pictures(where isWanted: (CacheKey) -> Bool) -> [(key: CacheKey, image: DecodedImage)] {
        shards.flatMap { shard in
            shard.slots.withLock { slots in
                slots.filter { isWanted($0.key) }.compactMap { key, slot in
                    (slot.image ?? slot.entry.evicted).map { (key, $0) }
                }
            }
        }
    }

    /// How many keys something is remembered of.
    var count: Int {
        shards.reduce(0) { sum, shard in sum + shard.slots.withLock { $0.count } }
    }

    private func shard(_ key: CacheKey) -> Shard {
        // The low bits choose the place within the dictionary.
        shards[(key.hash >> 40) & (Self.shardCount - 1)]
    }
}
