/// One piece of shared work, from its start to its end. A class, so that whoever has to do with it need not look it up.
///
/// `@unchecked Sendable`: all but the key is read and written under the lock of the work's state alone.
final class SharedRun<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    typealias Membership = SharedWorkMembership<Key, Value>

    let key: Key
    private(set) var waiters = Waiters()
    var operation: (any ImageOperation)?
    var progress: LoadProgress?
    private(set) var isOver = false
    /// How many wait with each priority, so that the highest is known without asking all.
    private var counts = SIMD4<Int32>()

    /// Those who wait. Mostly it is one.
    struct Waiters {
        private var first: Membership?
        private var others: [ObjectIdentifier: Membership] = [:]

        var count: Int { (first == nil ? 0 : 1) + others.count }
        var isEmpty: Bool { first == nil && others.isEmpty }
        var all: [Membership] { (first.map { [$0] } ?? []) + others.values }

        mutating func add(_ waiter: Membership) {
            if first == nil { first = waiter } else { others[ObjectIdentifier(waiter)] = waiter }
        }

        /// Whether it was there.
        mutating func remove(_ waiter: Membership) -> Bool {
            guard first === waiter else { return others.removeValue(forKey: ObjectIdentifier(waiter)) != nil }
            first = nil
            return true
        }
    }

    init(key: Key) {
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

    /// Nobody waits any more; who did.
    func end() -> (operation: (any ImageOperation)?, waiters: [Membership]) {
        isOver = true
        // Its body knows the work, which knows this.
        progress = nil
        defer { waiters = Waiters() }
        return (operation.take(), waiters.all)
    }
}

/// The shared work that is under way and who waits. A value: it decides, `SharedWork` acts after unlocking.
struct SharedRuns<Key: Hashable & Sendable, Value: Sendable> {
    typealias Run = SharedRun<Key, Value>
    typealias Membership = SharedWorkMembership<Key, Value>

    private(set) var runs: [Key: Run] = [:]

    /// A place among those who wait for a key; how far the work has come, and whether its priority changes with that.
    mutating func join(
        _ key: Key, _ make: (_ run: Run, _ isFirst: Bool) -> Membership
    ) -> (membership: Membership, progress: LoadProgress?, changesPriority: Bool) {
        let known = runs[key]
        let run = known ?? Run(key: key)
        let before = run.priority
        let membership = make(run, known == nil)
        if known == nil { runs[key] = run }
        run.add(membership)
        return (membership, run.progress, known != nil && run.priority != before)
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
        return run.waiters.isEmpty ? (end(run).operation, false) : (nil, run.priority != before)
    }

    /// Ends a run, once; what did it, and who waited.
    mutating func end(_ run: Run) -> (operation: (any ImageOperation)?, waiters: [Membership]) {
        guard !run.isOver else { return (nil, []) }
        runs[run.key] = nil
        return run.end()
    }
}
