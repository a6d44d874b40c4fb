/// What one part of the index knows, by key: an open table in which a key has one slot and all of it side by side.
///
/// A `Dictionary` keeps keys and values apart and hands values out as copies, so that a hit would fetch twice as many
/// lines of memory and count references to what it does not use.
struct MemoryTable {
    /// What is known of a key, or nothing.
    struct Slot {
        /// `nil` where the slot is free.
        fileprivate(set) var entry: MemoryEntry?
        /// Held for its own sake.
        var image: DecodedImage?
        fileprivate var hash = 0
        fileprivate var text = ""
        /// How often it was used since that was last asked.
        fileprivate(set) var uses: UInt8 = 0

        private static let mostUses: UInt8 = 15

        fileprivate init() {}

        fileprivate init(_ entry: MemoryEntry) {
            self.entry = entry
            hash = entry.key.hash
            text = entry.key.text
        }

        mutating func use() {
            if uses < Self.mostUses { uses += 1 }
        }

        /// How often it was used since this was last called.
        mutating func takeUses() -> UInt8 {
            defer { uses = 0 }
            return uses
        }
    }

    /// A power of two; a key stands in the slot that its hash names or in one of those after it, with no free one
    /// between. Half of them are free at least, so that few are looked at.
    var slots: ContiguousArray<Slot>
    /// How many keys there are.
    private(set) var count = 0

    private static let smallestSlotCount = 8

    init() {
        slots = Self.free(Self.smallestSlotCount)
    }

    /// The slot of a key, good until the next change.
    func place(of key: CacheKey) -> Int? {
        var place = key.hash & (slots.count - 1)
        while slots[place].entry != nil {
            if slots[place].hash == key.hash {
                // Most likely the one: who looks will want it.
                Memory.prefetch(slots[place].image)
                if key.hasText(slots[place].text) { return place }
            }
            place = next(place)
        }
        return nil
    }

    /// Makes a slot for an entry, whose key must have none.
    mutating func insert(_ entry: MemoryEntry) -> Int {
        if (count + 1) * 2 > slots.count { resize(for: count + 1) }
        var slot = Slot(entry)
        return putIn(&slot)
    }

    /// Frees a slot and hands out what was in it.
    mutating func remove(at place: Int) -> Slot {
        var removed = Slot()
        swap(&removed, &slots[place])
        count -= 1
        // Those behind it move up, so that none is cut off from where its hash says it is.
        var (hole, candidate) = (place, next(place))
        while slots[candidate].entry != nil {
            let home = slots[candidate].hash & (slots.count - 1)
            if distance(home, candidate) >= distance(hole, candidate) {
                slots.swapAt(hole, candidate)
                hole = candidate
            }
            candidate = next(candidate)
        }
        return removed
    }

    /// Frees the slots of which that is said.
    mutating func removeAll(where isUnwanted: (Slot) -> Bool) {
        refill(Self.free(slots.count)) { !isUnwanted($0) }
        if count * 8 < slots.count { resize(for: count) }
    }

    /// What is known, in no order.
    var known: some Sequence<Slot> { slots.lazy.filter { $0.entry != nil } }

    /// Puts what is in a slot elsewhere into the first free one from where its hash says, and leaves nothing there.
    private mutating func putIn(_ slot: inout Slot) -> Int {
        var place = slot.hash & (slots.count - 1)
        while slots[place].entry != nil { place = next(place) }
        swap(&slots[place], &slot)
        count += 1
        return place
    }

    private mutating func resize(for keyCount: Int) {
        var slotCount = Self.smallestSlotCount
        while slotCount < keyCount * 3 { slotCount *= 2 }
        refill(Self.free(slotCount)) { _ in true }
    }

    /// Moves what stays to other slots, all free; copies would touch every entry, picture and text.
    private mutating func refill(_ free: ContiguousArray<Slot>, where stays: (Slot) -> Bool) {
        var former = free
        swap(&former, &slots)
        count = 0
        for place in former.indices where former[place].entry != nil && stays(former[place]) {
            _ = putIn(&former[place])
        }
    }

    private func next(_ place: Int) -> Int { (place + 1) & (slots.count - 1) }

    private func distance(_ from: Int, _ to: Int) -> Int { (to - from) & (slots.count - 1) }

    private static func free(_ count: Int) -> ContiguousArray<Slot> { ContiguousArray(repeating: Slot(), count: count) }
}
