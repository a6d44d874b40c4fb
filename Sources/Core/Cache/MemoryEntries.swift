/// The entries of a memory cache: a value that the cache holds under its lock.
///
/// Pictures that a call drops are handed out, so that the last reference to one never goes while the lock is held.
struct MemoryEntries {
    /// What the pictures held for their own sake may cost together; 0 is no limit.
    var costLimit: Int
    /// How many pictures may be held for their own sake; 0 is no limit.
    var countLimit: Int
    /// Whether an evicted picture is found again while somebody else holds it.
    let findsEvicted: Bool

    /// What the pictures held for their own sake cost together.
    private(set) var cost = 0
    /// How many pictures are held for their own sake.
    private(set) var count = 0

    private var slots: [Slot] = []
    private var places: [CacheKey: Int] = [:]
    private var freePlaces: [Int] = []
    private var newest = Slot.nowhere
    private var oldest = Slot.nowhere
    private var evictedCount = 0
    private var purgeCount = Self.smallestPurge

    private static let smallestPurge = 64
    /// A tebibyte; so the sum of the costs of millions fits an `Int`.
    private static let largestCost = 1 << 40

    init(costLimit: Int, countLimit: Int, findsEvicted: Bool) {
        self.costLimit = costLimit
        self.countLimit = countLimit
        self.findsEvicted = findsEvicted
    }

    /// A place for one key. Held pictures are linked from the newest to the oldest.
    private struct Slot {
        static let nowhere = -1
        static let empty = Slot(key: CacheKey(""), held: nil, evicted: nil, cost: 0)

        var key: CacheKey
        var held: DecodedImage?
        weak var evicted: DecodedImage?
        var cost: Int
        var newer = Slot.nowhere
        var older = Slot.nowhere
    }

    /// What is held or still alive under a key, now the newest; and what had to go for it.
    mutating func find(_ key: CacheKey) -> (image: DecodedImage?, dropped: [DecodedImage]) {
        guard let place = places[key] else { return (nil, []) }
        if let image = slots[place].held {
            if place != newest {
                unlink(place)
                link(place)
            }
            return (image, [])
        }
        guard let image = slots[place].evicted else {
            forget(place)
            return (nil, [])
        }
        return (image, insert(image, key, cost: slots[place].cost))
    }

    /// What is held or still alive under a key, its order unchanged.
    func peek(_ key: CacheKey) -> DecodedImage? {
        guard let place = places[key] else { return nil }
        return slots[place].held ?? slots[place].evicted
    }

    /// Puts a picture under a key as the newest.
    mutating func insert(_ image: DecodedImage, _ key: CacheKey, cost newCost: Int) -> [DecodedImage] {
        var dropped: [DecodedImage] = []
        let place = places[key] ?? freshPlace(key)
        if let former = slots[place].held {
            if former !== image { dropped.append(former) }
            release(place)
        } else {
            evictedCount -= 1
        }
        slots[place].held = image
        slots[place].evicted = nil
        slots[place].cost = min(max(newCost, 0), Self.largestCost)
        cost += slots[place].cost
        count += 1
        link(place)
        // One that fits under no circumstances must not push out all others first.
        if costLimit > 0, slots[place].cost > costLimit { evict(place, &dropped) }
        return dropped + trim()
    }

    /// Evicts the oldest until the limits are kept.
    mutating func trim() -> [DecodedImage] {
        var dropped: [DecodedImage] = []
        while oldest != Slot.nowhere, isOverLimit { evict(oldest, &dropped) }
        purgeIfDue(&dropped)
        return dropped
    }

    /// Evicts all; those still alive elsewhere can be found again.
    mutating func evictAll() -> [DecodedImage] {
        var dropped: [DecodedImage] = []
        while oldest != Slot.nowhere { evict(oldest, &dropped) }
        purgeIfDue(&dropped)
        return dropped
    }

    mutating func remove(_ key: CacheKey) -> DecodedImage? {
        guard let place = places[key] else { return nil }
        let held = slots[place].held
        if held != nil {
            release(place)
            slots[place].held = nil
            evictedCount += 1
        }
        forget(place)
        return held
    }

    mutating func removeVariants(of key: CacheKey, exceptMadeOf bodyDigest: String?) -> [DecodedImage] {
        var dropped: [DecodedImage] = []
        for variant in places.keys where variant.isVariant(of: key) {
            guard let image = peek(variant), bodyDigest == nil || image.validators?.bodyDigest != bodyDigest else {
                continue
            }
            dropped.append(image)
            _ = remove(variant)
        }
        return dropped
    }

    mutating func removeAll() -> [DecodedImage] {
        let dropped = slots.compactMap(\.held)
        self = MemoryEntries(costLimit: costLimit, countLimit: countLimit, findsEvicted: findsEvicted)
        return dropped
    }

    /// How many keys something is remembered of.
    var placeCount: Int { places.count }

    private var isOverLimit: Bool {
        (costLimit > 0 && cost > costLimit) || (countLimit > 0 && count > countLimit)
    }
}

extension MemoryEntries {
    /// A place that counts as evicted until a picture is put there.
    private mutating func freshPlace(_ key: CacheKey) -> Int {
        let slot = Slot(key: key, held: nil, evicted: nil, cost: 0)
        let place = freePlaces.popLast() ?? slots.count
        if place == slots.count { slots.append(slot) } else { slots[place] = slot }
        places[key] = place
        evictedCount += 1
        return place
    }

    private mutating func evict(_ place: Int, _ dropped: inout [DecodedImage]) {
        guard let image = slots[place].held else { return }
        dropped.append(image)
        release(place)
        slots[place].held = nil
        evictedCount += 1
        if findsEvicted { slots[place].evicted = image } else { forget(place) }
    }

    /// Takes a held picture out of the order and the sums.
    private mutating func release(_ place: Int) {
        unlink(place)
        cost -= slots[place].cost
        count -= 1
    }

    /// Gives a place back that holds nothing.
    private mutating func forget(_ place: Int) {
        places[slots[place].key] = nil
        slots[place] = Slot.empty
        freePlaces.append(place)
        evictedCount -= 1
    }

    /// Forgets the evicted that died, once there are twice as many as lived the last time; so each costs little.
    private mutating func purgeIfDue(_ dropped: inout [DecodedImage]) {
        guard evictedCount > purgeCount else { return }
        for place in Array(places.values) where slots[place].held == nil {
            // A picture that others let go at this very moment must outlive the lock too.
            if let image = slots[place].evicted { dropped.append(image) } else { forget(place) }
        }
        purgeCount = max(Self.smallestPurge, evictedCount * 2)
    }

    private mutating func link(_ place: Int) {
        slots[place].newer = Slot.nowhere
        slots[place].older = newest
        if newest == Slot.nowhere { oldest = place } else { slots[newest].newer = place }
        newest = place
    }

    private mutating func unlink(_ place: Int) {
        let (newer, older) = (slots[place].newer, slots[place].older)
        if newer == Slot.nowhere { newest = older } else { slots[newer].older = older }
        if older == Slot.nowhere { oldest = newer } else { slots[older].newer = newer }
    }
}
