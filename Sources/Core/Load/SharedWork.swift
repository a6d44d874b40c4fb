import Synchronization

/// Work that several callers wait for is done once.
///
/// Each caller keeps its own priority, progress and completion. The work runs at the highest priority of those who
/// wait, and stops when the last of them cancels; who comes after that starts it anew.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Completion = @Sendable (Result<Value, ImageError>) -> Void
    typealias Progress = @Sendable (LoadProgress) -> Void

    /// Through which the one who does the work tells all who wait.
    struct Reporter: Sendable {
        fileprivate let work: SharedWork
        fileprivate let run: Run

        func progress(_ progress: LoadProgress) {
            work.report(progress, run)
        }

        /// Ends the work; only the first call counts.
        func finish(_ result: Result<Value, ImageError>) {
            work.finish(result, run)
        }
    }

    private let stage: LoadStage
    private let state = Mutex(State())

    /// - Parameter stage: What a cancelled caller was waiting for.
    init(stage: LoadStage) {
        self.stage = stage
    }

    /// How many different pieces of work are under way.
    var count: Int { state.withLock { $0.runs.count } }

    /// How many wait, for whatever work.
    var waiterCount: Int { state.withLock { $0.runs.values.reduce(0) { $0 + $1.waiters.count } } }

    /// Waits for the work of a key, which is started when nobody waits for it yet.
    ///
    /// - Parameters:
    ///   - progress: May be called at once, with how far the work has come. One call at a time, and none after the
    ///     completion.
    ///   - completion: Called exactly once; by `cancel` of the returned operation before it returns, or after a call
    ///     of `progress` that is under way just then.
    ///   - start: Starts the work. May report before it returns.
    func join(
        _ key: Key, priority: LoadPriority, progress: @escaping Progress, completion: @escaping Completion,
        start: (Reporter) -> any ImageOperation
    ) -> SharedWorkMembership<Key, Value> {
        let listener = Listener(progress: progress, completion: completion)
        let joined = state.withLock { $0.join(listener, priority, key) }
        let run = joined.run
        let membership = SharedWorkMembership(work: self, run: run, waiter: joined.waiter)
        guard joined.isFirst else {
            if let latest = joined.progress { listener.catchUp(latest) }
            if joined.changesPriority { passOnPriority(run) }
            return membership
        }
        let operation = start(Reporter(work: self, run: run))
        if state.withLock({ $0.setOperation(operation, run) }) {
            passOnPriority(run)
        } else {
            // Over already, or everybody left while it started: cancelling what is over does nothing.
            operation.cancel()
        }
        return membership
    }

    /// Cancels for everybody.
    func cancelAll() {
        let ended = state.withLock { state in state.runs.values.map { state.end($0) } }
        for (operation, waiters) in ended {
            operation?.cancel()
            for waiter in waiters { waiter.listener.finish(.failure(.cancelled(stage))) }
        }
    }

    fileprivate func leave(_ run: Run, _ waiter: UInt64) {
        guard let left = state.withLock({ $0.leave(run, waiter) }) else { return }
        left.abandoned?.cancel()
        if left.changesPriority { passOnPriority(run) }
        left.listener.finish(.failure(.cancelled(stage)))
    }

    fileprivate func setPriority(_ priority: LoadPriority, _ run: Run, _ waiter: UInt64) {
        if state.withLock({ $0.setPriority(priority, run, waiter) }) { passOnPriority(run) }
    }

    fileprivate func priority(_ run: Run, _ waiter: UInt64) -> LoadPriority {
        state.withLock { _ in run.waiters[waiter]?.priority } ?? .normal
    }

    fileprivate func operation(_ run: Run) -> (any ImageOperation)? {
        state.withLock { _ in run.operation }
    }

    private func report(_ progress: LoadProgress, _ run: Run) {
        let waiters = state.withLock { _ in
            guard !run.isOver else { return [Waiter]() }
            run.progress = progress.following(run.progress)
            return Array(run.waiters.values)
        }
        for waiter in waiters { waiter.listener.tell(progress) }
    }

    private func finish(_ result: Result<Value, ImageError>, _ run: Run) {
        let (_, waiters) = state.withLock { $0.end(run) }
        for waiter in waiters { waiter.listener.finish(result) }
    }

    /// Tells the work the highest priority of those who wait, again if that changed meanwhile: threads that change it
    /// may overtake each other.
    private func passOnPriority(_ run: Run) {
        var told: LoadPriority?
        while let (operation, priority) = state.withLock({ _ in run.running }), priority != told {
            operation.priority = priority
            told = priority
        }
    }
}

extension SharedWork {
    fileprivate struct Waiter {
        var priority: LoadPriority
        let listener: Listener<Value>
    }

    /// One piece of work, from its start to its end. A class, so that whoever has to do with it need not look it up.
    ///
    /// `@unchecked Sendable`: all but the key is read and written under the lock of the work's state alone.
    fileprivate final class Run: @unchecked Sendable {
        let key: Key
        private(set) var waiters: [UInt64: Waiter] = [:]
        var operation: (any ImageOperation)?
        var progress: LoadProgress?
        var isOver = false
        /// How many wait with each priority, so that the highest is known without asking all.
        private var counts = SIMD4<Int>()

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

        func add(_ waiter: Waiter, _ id: UInt64) {
            waiters[id] = waiter
            counts[waiter.priority.rawValue] += 1
        }

        func remove(_ id: UInt64) -> Waiter? {
            guard let waiter = waiters.removeValue(forKey: id) else { return nil }
            counts[waiter.priority.rawValue] -= 1
            return waiter
        }

        /// Nobody waits any more; who did.
        func end() -> (operation: (any ImageOperation)?, waiters: [Waiter]) {
            isOver = true
            let waiting = Array(waiters.values)
            waiters = [:]
            // Its body knows the work, which knows this.
            progress = nil
            return (operation.take(), waiting)
        }
    }

    /// What is under way and who waits. It decides, the class acts after unlocking.
    fileprivate struct State {
        var runs: [Key: Run] = [:]
        private var nextID: UInt64 = 0

        mutating func join(_ listener: Listener<Value>, _ priority: LoadPriority, _ key: Key) -> Joined {
            nextID += 1
            let known = runs[key]
            let before = known?.priority
            let run = known ?? Run(key: key)
            if known == nil { runs[key] = run }
            run.add(Waiter(priority: priority, listener: listener), nextID)
            return Joined(
                run: run, waiter: nextID, isFirst: known == nil, progress: run.progress,
                changesPriority: run.priority != before)
        }

        /// `false` when the run is over.
        func setOperation(_ operation: any ImageOperation, _ run: Run) -> Bool {
            guard !run.isOver else { return false }
            run.operation = operation
            return true
        }

        /// Whether that changes the priority of the run.
        func setPriority(_ priority: LoadPriority, _ run: Run, _ waiterID: UInt64) -> Bool {
            let before = run.priority
            guard var waiter = run.remove(waiterID) else { return false }
            waiter.priority = priority
            run.add(waiter, waiterID)
            return run.priority != before
        }

        mutating func leave(_ run: Run, _ waiterID: UInt64) -> Left? {
            let before = run.priority
            guard let waiter = run.remove(waiterID) else { return nil }
            guard run.waiters.isEmpty else {
                return Left(listener: waiter.listener, abandoned: nil, changesPriority: run.priority != before)
            }
            return Left(listener: waiter.listener, abandoned: end(run).operation, changesPriority: false)
        }

        /// Ends a run, once; what did it, and who waited.
        mutating func end(_ run: Run) -> (operation: (any ImageOperation)?, waiters: [Waiter]) {
            guard !run.isOver else { return (nil, []) }
            runs[run.key] = nil
            return run.end()
        }
    }

    fileprivate struct Joined {
        let run: Run
        let waiter: UInt64
        let isFirst: Bool
        let progress: LoadProgress?
        let changesPriority: Bool
    }

    fileprivate struct Left {
        let listener: Listener<Value>
        let abandoned: (any ImageOperation)?
        let changesPriority: Bool
    }
}

/// One caller's place among those who wait.
final class SharedWorkMembership<Key: Hashable & Sendable, Value: Sendable>: ImageOperation {
    private let work: SharedWork<Key, Value>
    private let run: SharedWork<Key, Value>.Run
    private let waiter: UInt64

    fileprivate init(work: SharedWork<Key, Value>, run: SharedWork<Key, Value>.Run, waiter: UInt64) {
        self.work = work
        self.run = run
        self.waiter = waiter
    }

    func cancel() {
        work.leave(run, waiter)
    }

    /// The work itself, while it is under way.
    var operation: (any ImageOperation)? { work.operation(run) }

    var priority: LoadPriority {
        get { work.priority(run, waiter) }
        set { work.setPriority(newValue, run, waiter) }
    }
}
