/// What was asked of a disk and is not done yet. A value, held under a lock.
///
/// About one key reads run together and each change alone, in the order in which they were asked for. What empties the
/// disk runs alone, after all that was asked for before and before all that is asked for later. Keys of which nothing
/// is under way take no memory.
struct DiskLines {
    /// One who asked. Whoever has had the turn says so with `finish`.
    struct Place: Sendable {
        /// `nil`: the whole disk.
        fileprivate let key: CacheKey?
        fileprivate let isChange: Bool
        fileprivate let ticket: UInt64
    }

    /// Work that may begin, to be told so after the lock is given back.
    struct Turn: Sendable {
        let place: Place
        fileprivate let begin: @Sendable (Place) -> Void

        func callAsFunction() { begin(place) }
    }

    /// Calls between two that empty the disk. Only those of the first era run.
    private struct Era {
        var lines: [CacheKey: DiskLine] = [:]
        /// Empties the disk when the last of the calls is done.
        var end: Turn?
    }

    private struct Watch {
        var turn: Turn
        var missingCount: Int
    }

    private var eras = [Era()]
    private var isClearing = false
    private var watches: [Watch] = []
    private var lastTicket: UInt64 = 0
    private var count = 0

    /// Whether nothing is under way.
    var isEmpty: Bool { count == 0 && watches.isEmpty }

    /// What a read that is asked for now must see, where that is told without the disk.
    func known(_ key: CacheKey) -> DiskChange? {
        switch latest(key) {
        case .stored(let entry): .stored(entry)
        case .removed: .removed
        case .metadata, .unknown, nil: nil
        }
    }

    /// Takes a place in the line of a key, to read, or to change what `change` says; gives the turns that come of it.
    mutating func join(
        _ key: CacheKey, _ change: DiskChange?, begin: @escaping @Sendable (Place) -> Void
    ) -> (place: Place, turns: [Turn]) {
        let change = change.map { $0.after(latest(key)) }
        let place = makePlace(key, isChange: change != nil)
        let isFirstEra = eras.count == 1
        eras[eras.count - 1].lines[key, default: DiskLine()].append(Turn(place: place, begin: begin), change)
        return (place, isFirstEra ? next(key) : [])
    }

    /// Has work that empties the disk take its place.
    mutating func clear(begin: @escaping @Sendable (Place) -> Void) -> [Turn] {
        eras[eras.count - 1].end = Turn(place: makePlace(nil, isChange: true), begin: begin)
        eras.append(Era())
        return endOfEra()
    }

    /// Has work begin when all that was asked for is done; nobody waits for it, and it does not `finish`.
    mutating func afterAll(begin: @escaping @Sendable (Place) -> Void) -> [Turn] {
        lastTicket += 1
        let turn = Turn(place: Place(key: nil, isChange: false, ticket: lastTicket), begin: begin)
        guard count > 0 else { return [turn] }
        watches.append(Watch(turn: turn, missingCount: count))
        return []
    }

    /// Gives a place back.
    mutating func finish(_ place: Place) -> [Turn] {
        count -= 1
        var turns = noticed(place)
        if let key = place.key {
            eras[0].lines[key]?.leave(isChange: place.isChange)
            turns += next(key)
        } else {
            eras.removeFirst()
            isClearing = false
            for key in eras[0].lines.keys { turns += next(key) }
        }
        return turns + endOfEra()
    }

    private mutating func makePlace(_ key: CacheKey?, isChange: Bool) -> Place {
        count += 1
        lastTicket += 1
        return Place(key: key, isChange: isChange, ticket: lastTicket)
    }

    /// What was last asked for and is not done.
    private func latest(_ key: CacheKey) -> DiskChange? {
        for index in eras.indices.reversed() {
            if let change = eras[index].lines[key]?.latest { return change }
            if index > 0 { return .removed }
        }
        return nil
    }

    private mutating func next(_ key: CacheKey) -> [Turn] {
        guard let turns = eras[0].lines[key]?.next() else { return [] }
        if eras[0].lines[key]?.isEmpty == true { eras[0].lines[key] = nil }
        return turns
    }

    private mutating func endOfEra() -> [Turn] {
        guard !isClearing, eras[0].lines.isEmpty, let end = eras[0].end else { return [] }
        isClearing = true
        return [end]
    }

    private mutating func noticed(_ place: Place) -> [Turn] {
        for index in watches.indices where watches[index].turn.place.ticket > place.ticket {
            watches[index].missingCount -= 1
        }
        defer { watches.removeAll { $0.missingCount == 0 } }
        return watches.filter { $0.missingCount == 0 }.map(\.turn)
    }
}

/// Those who wait for one key, and those whose turn it is.
private struct DiskLine {
    private var readCount = 0
    private var isChanging = false
    /// Those that were asked for and are not done.
    private var changeCount = 0
    private var waiting: ArraySlice<DiskLines.Turn> = []
    /// The last change that was asked for, until all are done.
    private(set) var latest: DiskChange?

    var isEmpty: Bool { readCount == 0 && !isChanging && waiting.isEmpty }

    mutating func append(_ turn: DiskLines.Turn, _ change: DiskChange?) {
        waiting.append(turn)
        guard let change else { return }
        latest = change
        changeCount += 1
    }

    /// Those whose turn has come.
    mutating func next() -> [DiskLines.Turn] {
        var turns: [DiskLines.Turn] = []
        while let first = waiting.first, !isChanging, !first.place.isChange || readCount == 0 {
            waiting.removeFirst()
            if first.place.isChange { isChanging = true } else { readCount += 1 }
            turns.append(first)
        }
        return turns
    }

    mutating func leave(isChange: Bool) {
        guard isChange else {
            readCount -= 1
            return
        }
        isChanging = false
        changeCount -= 1
        if changeCount == 0 { latest = nil }
    }
}
