/// One piece of shared work, from its start to its end, or until nobody keeps its result any more. A class, so that
/// whoever has to do with it need not look it up.
///
/// `@unchecked Sendable`: all but the key is read and written under the lock of the work's state alone.
final class SharedRun<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    typealias Membership = SharedWorkMembership<Key, Value>

    let key: RunKey<Key>
    private(set) var waiters = Waiters()
    var operation: (any ImageOperation)?
    var progress: LoadProgress?
    private(set) var isOver = false
    /// What it brought, for those who come late: as long as someone keeps it. Always a `Value`, which the type does not
    /// say, for how to let go of one would be looked up each time.
    private(set) var value: (any Sendable)?
    private var keeperCount = 0
    /// How many wait with each priority, so that the highest is known without asking all.
    private var counts = SIMD4<Int32>()

    /// Those who wait. Mostly it is one.
    struct Waiters {
        private var first: Membership?
        private var others: [ObjectIdentifier: Membership] = [:]
        /// How many want to know how far the work has come.
        private var progressCount = 0

        var count: Int { (first == nil ? 0 : 1) + others.count }
        var isEmpty: Bool { first == nil && others.isEmpty }
        var all: [Membership] { (first.map { [$0] } ?? []) + others.values }

        /// Those who want to know how far the work has come; mostly that is nobody.
        var wantingProgress: [Membership] { progressCount == 0 ? [] : all.filter(\.wantsProgress) }

        /// Does something for each, without an array of them.
        func visit(_ body: (Membership) -> Void) {
            if let first { body(first) }
            for waiter in others.values { body(waiter) }
        }

        mutating func add(_ waiter: Membership) {
            if first == nil { first = waiter } else { others[ObjectIdentifier(waiter)] = waiter }
            if waiter.wantsProgress { progressCount += 1 }
        }

        /// Whether it was there.
        mutating func remove(_ waiter: Membership) -> Bool {
            if first === waiter {
                first = nil
            } else if others.removeValue(forKey: ObjectIdentifier(waiter)) == nil {
                return false
            }
            if waiter.wantsProgress { progressCount -= 1 }
            return true
        }
    }

    init(key: RunKey<Key>) {
        self.key = key
    }

    var priority: LoadPriority {
        counts[LoadPriority.high.rawValue] > 0
            ? .high : counts[LoadPriority.normal.rawValue] > 0 || waiters.isEmpty ? .normal : .low
    }

    var running: ((any ImageOperation), LoadPriority)? {
        isOver ? nil : operation.map { ($0, priority) }
    }

    func add(_ waiter: Membership) {
        waiters.add(waiter)
        counts[waiter.currentPriority.rawValue] += 1
    }

    /// Whether it was there.
    func remove(_ waiter: Membership) -> Bool {
        guard waiters.remove(waiter) else { return false }
        counts[waiter.currentPriority.rawValue] -= 1
        return true
    }

    /// Nobody waits any more; who did. Those who want to keep the value do so from now on.
    func end(_ value: (any Sendable)?) -> (operation: (any ImageOperation)?, waiters: Waiters) {
        isOver = true
        // Its body knows the work, which knows this.
        progress = nil
        let all = waiters
        waiters = Waiters()
        if let value {
            all.visit { if $0.wantsToKeep { keep(value, $0) } }
        }
        return (operation.take(), all)
    }

    /// One more keeps the value.
    func keep(_ value: any Sendable, _ keeper: Membership) {
        self.value = value
        keeper.isKeeping = true
        keeperCount += 1
    }

    /// One fewer keeps the value; that goes with the last one, after unlocking.
    func release(_ keeper: Membership) -> (any Sendable)? {
        guard keeper.isKeeping else { return nil }
        keeper.isKeeping = false
        keeperCount -= 1
        return keeperCount == 0 ? value.take() : nil
    }
}

/// The shared work that is under way and who waits. A value: it decides, `SharedWork` acts after unlocking.
struct SharedRuns<Key: Hashable & Sendable, Value: Sendable> {
    typealias Run = SharedRun<Key, Value>
    typealias Membership = SharedWorkMembership<Key, Value>

    private(set) var runs = RunTable<Key, Value>()

    /// What one who joins finds.
    struct Joined {
        let membership: Membership
        /// How far the work has come.
        let progress: LoadProgress?
        /// What the work brought, where it is over.
        let value: (any Sendable)?
        /// Whether its priority is another one now.
        let changesPriority: Bool
    }

    /// A place among those who wait for a key, or who keep what was brought: who wants to keep nothing takes nothing
    /// that was kept.
    mutating func join(
        _ key: Key, wantsToKeep: Bool, _ make: (_ run: Run, _ isFirst: Bool) -> Membership
    ) -> Joined {
        let key = RunKey(key)
        let present = runs[key]
        let known = present.flatMap { $0.isOver && !wantsToKeep ? nil : $0 }
        let run = known ?? Run(key: key)
        let membership = make(run, known == nil)
        if let value = run.value {
            run.keep(value, membership)
            return Joined(membership: membership, progress: nil, value: value, changesPriority: false)
        }
        let before = run.priority
        if known == nil {
            if let present { runs.remove(present) }
            runs.insert(run)
        }
        run.add(membership)
        return Joined(
            membership: membership, progress: run.progress, value: nil,
            changesPriority: known != nil && run.priority != before)
    }

    /// `false` when the run is over.
    func setOperation(_ operation: any ImageOperation, _ run: Run) -> Bool {
        guard !run.isOver else { return false }
        run.operation = operation
        return true
    }

    /// Whether that changes the priority of the run.
    func setPriority(_ priority: LoadPriority, _ waiter: Membership) -> Bool {
        guard waiter.currentPriority != priority else { return false }
        let run = waiter.run
        let before = run.priority
        let isWaiting = run.remove(waiter)
        waiter.currentPriority = priority
        if isWaiting { run.add(waiter) }
        return isWaiting && run.priority != before
    }

    /// What is to be done when one leaves; `nil` when that one has left already.
    mutating func leave(_ waiter: Membership) -> (abandoned: (any ImageOperation)?, changesPriority: Bool)? {
        let run = waiter.run
        let before = run.priority
        guard run.remove(waiter) else { return nil }
        return run.waiters.isEmpty ? (end(run, nil).operation, false) : (nil, run.priority != before)
    }

    /// Ends a run, once; what did it, and who waited.
    mutating func end(
        _ run: Run, _ value: Value?
    ) -> (operation: (any ImageOperation)?, waiters: Run.Waiters) {
        guard !run.isOver else { return (nil, Run.Waiters()) }
        let ended = run.end(value)
        if run.value == nil { runs.remove(run) }
        return ended
    }

    /// What goes with the last one who kept it.
    mutating func release(_ keeper: Membership) -> (any Sendable)? {
        let run = keeper.run
        guard let value = run.release(keeper) else { return nil }
        runs.remove(run)
        return value
    }
}
