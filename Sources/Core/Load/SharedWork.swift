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
        fileprivate let key: Key
        fileprivate let run: UInt64

        func progress(_ progress: LoadProgress) {
            work.report(progress, key, run)
        }

        /// Ends the work; only the first call counts.
        func finish(_ result: Result<Value, ImageError>) {
            work.finish(result, key, run)
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
        let membership = SharedWorkMembership(work: self, key: key, run: joined.run, waiter: joined.waiter)
        guard joined.isFirst else {
            if let latest = joined.progress { listener.catchUp(latest) }
            if joined.changesPriority { passOnPriority(key, joined.run) }
            return membership
        }
        let operation = start(Reporter(work: self, key: key, run: joined.run))
        if state.withLock({ $0.setOperation(operation, key, joined.run) }) {
            passOnPriority(key, joined.run)
        } else {
            // Over already, or everybody left while it started: cancelling what is over does nothing.
            operation.cancel()
        }
        return membership
    }

    /// Cancels for everybody.
    func cancelAll() {
        let ended = state.withLock { state in
            let runs = Array(state.runs.values)
            state.runs.removeAll()
            return runs
        }
        for run in ended {
            run.operation?.cancel()
            for waiter in run.waiters.values { waiter.listener.finish(.failure(.cancelled(stage))) }
        }
    }

    fileprivate func leave(_ key: Key, _ run: UInt64, _ waiter: UInt64) {
        guard let left = state.withLock({ $0.leave(key, run, waiter) }) else { return }
        left.abandoned?.cancel()
        if left.changesPriority { passOnPriority(key, run) }
        left.listener.finish(.failure(.cancelled(stage)))
    }

    fileprivate func setPriority(_ priority: LoadPriority, _ key: Key, _ run: UInt64, _ waiter: UInt64) {
        if state.withLock({ $0.setPriority(priority, key, run, waiter) }) { passOnPriority(key, run) }
    }

    fileprivate func priority(_ key: Key, _ run: UInt64, _ waiter: UInt64) -> LoadPriority {
        state.withLock { $0.current(key, run)?.waiters[waiter]?.priority } ?? .normal
    }

    fileprivate func operation(_ key: Key, _ run: UInt64) -> (any ImageOperation)? {
        state.withLock { $0.current(key, run)?.operation }
    }

    private func report(_ progress: LoadProgress, _ key: Key, _ run: UInt64) {
        let waiters = state.withLock { state in
            guard state.current(key, run) != nil else { return [Waiter]() }
            let news = progress.following(state.runs[key]?.progress)
            state.runs[key]?.progress = news
            return state.runs[key].map { Array($0.waiters.values) } ?? []
        }
        for waiter in waiters { waiter.listener.tell(progress) }
    }

    private func finish(_ result: Result<Value, ImageError>, _ key: Key, _ run: UInt64) {
        let ended = state.withLock { state in
            state.current(key, run) == nil ? nil : state.runs.removeValue(forKey: key)
        }
        for waiter in (ended?.waiters ?? [:]).values { waiter.listener.finish(result) }
    }

    /// Tells the work the highest priority of those who wait, again if that changed meanwhile: threads that change it
    /// may overtake each other.
    private func passOnPriority(_ key: Key, _ run: UInt64) {
        var told: LoadPriority?
        while let (operation, priority) = state.withLock({ $0.running(key, run) }), priority != told {
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

    fileprivate struct Run {
        let id: UInt64
        private(set) var waiters: [UInt64: Waiter] = [:]
        var operation: (any ImageOperation)?
        var progress: LoadProgress?
        /// How many wait with each priority, so that the highest is known without asking all.
        private var counts: [LoadPriority: Int] = [:]

        init(id: UInt64) {
            self.id = id
        }

        var priority: LoadPriority { counts.keys.max() ?? .normal }

        mutating func add(_ waiter: Waiter, _ id: UInt64) {
            waiters[id] = waiter
            counts[waiter.priority, default: 0] += 1
        }

        mutating func remove(_ id: UInt64) -> Waiter? {
            guard let waiter = waiters.removeValue(forKey: id) else { return nil }
            counts[waiter.priority] = counts[waiter.priority].flatMap { $0 > 1 ? $0 - 1 : nil }
            return waiter
        }
    }

    /// What is under way and who waits. A value: it decides, the class acts after unlocking.
    fileprivate struct State {
        var runs: [Key: Run] = [:]
        private var nextID: UInt64 = 0

        func current(_ key: Key, _ id: UInt64) -> Run? {
            runs[key].flatMap { $0.id == id ? $0 : nil }
        }

        func running(_ key: Key, _ id: UInt64) -> (any ImageOperation, LoadPriority)? {
            current(key, id).flatMap { run in run.operation.map { ($0, run.priority) } }
        }

        mutating func join(_ listener: Listener<Value>, _ priority: LoadPriority, _ key: Key) -> Joined {
            let waiter = makeID()
            let before = runs[key]?.priority
            let run = runs[key]?.id ?? makeID()
            runs[key, default: Run(id: run)].add(Waiter(priority: priority, listener: listener), waiter)
            return Joined(
                run: run, waiter: waiter, isFirst: before == nil, progress: runs[key]?.progress,
                changesPriority: runs[key]?.priority != before)
        }

        /// `false` when the run is over.
        mutating func setOperation(_ operation: any ImageOperation, _ key: Key, _ id: UInt64) -> Bool {
            guard current(key, id) != nil else { return false }
            runs[key]?.operation = operation
            return true
        }

        /// Whether that changes the priority of the run.
        mutating func setPriority(_ priority: LoadPriority, _ key: Key, _ id: UInt64, _ waiterID: UInt64) -> Bool {
            guard let before = current(key, id)?.priority, var waiter = runs[key]?.remove(waiterID) else {
                return false
            }
            waiter.priority = priority
            runs[key]?.add(waiter, waiterID)
            return runs[key]?.priority != before
        }

        mutating func leave(_ key: Key, _ id: UInt64, _ waiterID: UInt64) -> Left? {
            guard let before = current(key, id)?.priority, let waiter = runs[key]?.remove(waiterID) else { return nil }
            guard let run = runs[key], !run.waiters.isEmpty else {
                let abandoned = runs.removeValue(forKey: key)?.operation
                return Left(listener: waiter.listener, abandoned: abandoned, changesPriority: false)
            }
            return Left(listener: waiter.listener, abandoned: nil, changesPriority: run.priority != before)
        }

        private mutating func makeID() -> UInt64 {
            nextID += 1
            return nextID
        }
    }

    fileprivate struct Joined {
        let run: UInt64
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
    private let key: Key
    private let run: UInt64
    private let waiter: UInt64

    fileprivate init(work: SharedWork<Key, Value>, key: Key, run: UInt64, waiter: UInt64) {
        self.work = work
        self.key = key
        self.run = run
        self.waiter = waiter
    }

    func cancel() {
        work.leave(key, run, waiter)
    }

    /// The work itself, while it is under way.
    var operation: (any ImageOperation)? { work.operation(key, run) }

    var priority: LoadPriority {
        get { work.priority(key, run, waiter) }
        set { work.setPriority(newValue, key, run, waiter) }
    }
}
