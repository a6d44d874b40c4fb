/// Which pictures a memory cache holds: a value that the cache keeps under its lock. Look-ups that hit need none of it.
///
/// A newcomer stands in the window, a quarter of the limits. Whoever leaves it enters the main part only when it was
/// used more often than those that would have to go for it; so a scan of a thousand pictures passes through the window
/// and pushes nothing out. In both parts the oldest goes first, unless it was used since it was last looked at: then it
/// gets another round. See `Documentation/Decisions` for what this was compared with.
///
/// Pictures that a call drops are handed out, so that the last reference to one never goes while a lock is held.
struct MemoryEntries {
    let index: MemoryIndex
    /// What may be held for its own sake.
    var limits: MemoryLimits
    /// Whether an evicted picture is found again while somebody else holds it.
    let findsEvicted: Bool

    private var window = MemoryQueue()
    private var main = MemoryQueue()
    private var sketch = FrequencySketch()
    private var evictedCount = 0
    private var purgeCount = Self.smallestPurge

    private static let smallestPurge = 64
    /// A tebibyte; so the sum of the costs of millions fits an `Int`.
    private static let largestCost = 1 << 40

    init(index: MemoryIndex, limits: MemoryLimits, findsEvicted: Bool) {
        self.index = index
        self.limits = limits
        self.findsEvicted = findsEvicted
    }

    /// What the pictures held for their own sake cost together.
    var cost: Int { window.cost + main.cost }
    /// How many pictures are held for their own sake.
    var count: Int { window.count + main.count }

    /// Puts a picture under a key.
    mutating func insert(_ image: DecodedImage, _ key: CacheKey, cost newCost: Int) -> [DecodedImage] {
        var dropped: [DecodedImage] = []
        let (entry, isNew, former) = index.put(image, for: key)
        if let former, former !== image { dropped.append(former) }
        let queue = entry.queue
        takeOut(entry)
        if queue == .none, !isNew { evictedCount -= 1 }
        entry.cost = min(max(newCost, 0), Self.largestCost)
        // One that fits under no circumstances must not push out all others first.
        guard entry.cost <= limits.largestImageCost else {
            evict(entry, &dropped)
            return dropped
        }
        if queue == .none {
            sketch.fit(count)
            sketch.add(key.hash, 1)
        } else {
            index.use(key)
        }
        putIn(entry, queue == .main ? .main : .window)
        settle(keeping: entry, &dropped)
        return dropped
    }

    /// Holds again what a look-up found alive, unless the key has changed since.
    mutating func revive(_ image: DecodedImage, _ key: CacheKey) -> [DecodedImage] {
        guard let entry = index.entry(key), entry.queue == .none else { return [] }
        return insert(image, key, cost: entry.cost)
    }

    /// Forgets a key whose picture a look-up found gone, unless it has another one since.
    mutating func forgetDead(_ key: CacheKey) -> [DecodedImage] {
        switch index.find(key, isUse: false) {
        case .dead: remove(key)
        case .alive(let image): [image]
        case .held, .missing: []
        }
    }

    /// Evicts until the limits are kept.
    mutating func trim() -> [DecodedImage] {
        var dropped: [DecodedImage] = []
        settle(keeping: nil, &dropped)
        return dropped
    }

    /// Evicts until at most a share of what is held is left: the least used of both parts.
    mutating func keep(share: Double) -> [DecodedImage] {
        var dropped: [DecodedImage] = []
        let (costLeft, countLeft) = (Int(Double(cost) * share), Int((Double(count) * share).rounded(.up)))
        while cost > costLeft || count > countLeft {
            let first: MemoryEntry.Queue = window.count * 3 > main.count ? .window : .main
            guard let victim = oldestUnused(first) ?? oldestUnused(first == .main ? .window : .main) else { break }
            evict(victim, &dropped)
        }
        purgeIfDue(&dropped)
        return dropped
    }

    mutating func remove(_ key: CacheKey) -> [DecodedImage] {
        guard let (entry, image) = index.remove(key) else { return [] }
        if entry.queue == .none { evictedCount -= 1 } else { takeOut(entry) }
        return image.map { [$0] } ?? []
    }

    mutating func removeVariants(of key: CacheKey, exceptMadeOf bodyDigest: String?) -> [DecodedImage] {
        var dropped: [DecodedImage] = []
        for (variant, image) in index.pictures(where: { $0.isVariant(of: key) }) {
            // Handed out even where it stays: others may let go of it at this very moment.
            dropped.append(image)
            if bodyDigest == nil || image.validators?.bodyDigest != bodyDigest { dropped += remove(variant) }
        }
        return dropped
    }

    mutating func removeAll() -> [DecodedImage] {
        let dropped = index.removeAll()
        self = MemoryEntries(index: index, limits: limits, findsEvicted: findsEvicted)
        return dropped
    }
}

extension MemoryEntries {
    private mutating func settle(keeping newest: MemoryEntry?, _ dropped: inout [DecodedImage]) {
        while window.count > 1, limits.isWindowOver(window), var candidate = oldestUnused(.window) {
            if candidate === newest {
                window.requeueOldest()
                candidate = window.oldest ?? candidate
            }
            admit(candidate, &dropped)
        }
        while limits.areOver(cost: cost, count: count) {
            guard let victim = oldestUnused(.main) ?? window.oldest else { break }
            evict(victim, &dropped)
        }
        purgeIfDue(&dropped)
    }

    /// Moves one from the window to the main part, if it was used more than those that have to go for it.
    private mutating func admit(_ candidate: MemoryEntry, _ dropped: inout [DecodedImage]) {
        takeOut(candidate)
        let frequency = sketch.frequency(candidate.key.hash)
        while limits.areOver(cost: cost + candidate.cost, count: count + 1) {
            guard let victim = oldestUnused(.main), frequency > sketch.frequency(victim.key.hash) else {
                return evict(candidate, &dropped)
            }
            evict(victim, &dropped)
        }
        putIn(candidate, .main)
    }

    /// The oldest one that was not used since it was last looked at; after a whole round the oldest in any case.
    private mutating func oldestUnused(_ queue: MemoryEntry.Queue) -> MemoryEntry? {
        for _ in 0..<(queue == .main ? main.count : window.count) {
            guard let entry = queue == .main ? main.oldest : window.oldest else { return nil }
            let uses = index.takeUses(entry.key)
            if uses == 0 { return entry }
            sketch.add(entry.key.hash, uses)
            if queue == .main { main.requeueOldest() } else { window.requeueOldest() }
        }
        return queue == .main ? main.oldest : window.oldest
    }

    private mutating func evict(_ entry: MemoryEntry, _ dropped: inout [DecodedImage]) {
        takeOut(entry)
        if let image = index.evict(entry, remembers: findsEvicted) { dropped.append(image) }
        if findsEvicted { evictedCount += 1 }
    }

    private mutating func takeOut(_ entry: MemoryEntry) {
        switch entry.queue {
        case .window: window.remove(entry)
        case .main: main.remove(entry)
        case .none: break
        }
        entry.queue = .none
    }

    private mutating func putIn(_ entry: MemoryEntry, _ queue: MemoryEntry.Queue) {
        entry.queue = queue
        if queue == .main { main.append(entry) } else { window.append(entry) }
    }

    /// Forgets the evicted that died, once there are twice as many as lived the last time; so each costs little.
    private mutating func purgeIfDue(_ dropped: inout [DecodedImage]) {
        guard evictedCount > purgeCount else { return }
        let (count, living) = index.forgetDead()
        evictedCount -= count
        dropped += living
        purgeCount = max(Self.smallestPurge, evictedCount * 2)
    }
}
