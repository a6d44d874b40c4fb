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

    /// Waits for the work of a key, which is started when nobody waits for it yet.
    ///
    /// - Parameters:
    ///   - progress: May be called at once, with how far the work has come.
    ///   - completion: Called exactly once; by `cancel` of the returned operation before it returns.
    ///   - start: Starts the work. May report before it returns.
    func join(
        _ key: Key, priority: LoadPriority, progress: @escaping Progress, completion: @escaping Completion,
        start: (Reporter) -> any ImageOperation
    ) -> any ImageOperation {
        let waiter = Waiter(priority: priority, progress: progress, completion: completion)
        let joined = state.withLock { $0.join(waiter, key) }
        let membership = SharedWorkMembership(work: self, key: key, run: joined.run, waiter: joined.waiter)
        if joined.isFirst {
            let operation = start(Reporter(work: self, key: key, run: joined.run))
            guard let highest = state.withLock({ $0.setOperation(operation, key, joined.run) }) else {
                // Over already, or everybody left while it started: cancelling what is over does nothing.
                operation.cancel()
                return membership
            }
            operation.priority = highest
        } else {
            if let latest = joined.progress { progress(latest) }
            raise(joined.raise)
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
            for waiter in run.waiters.values { waiter.completion(.failure(.cancelled(stage))) }
        }
    }

    fileprivate func leave(_ key: Key, _ run: UInt64, _ waiter: UInt64) {
        let left = state.withLock { $0.leave(key, run, waiter) }
        guard let left else { return }
        left.abandoned?.cancel()
        raise(left.raise)
        left.waiter.completion(.failure(.cancelled(stage)))
    }

    fileprivate func setPriority(_ priority: LoadPriority, _ key: Key, _ run: UInt64, _ waiter: UInt64) {
        raise(state.withLock { $0.setPriority(priority, key, run, waiter) })
    }

    fileprivate func priority(_ key: Key, _ run: UInt64, _ waiter: UInt64) -> LoadPriority {
        state.withLock { $0.current(key, run)?.waiters[waiter]?.priority } ?? .normal
    }

    private func report(_ progress: LoadProgress, _ key: Key, _ run: UInt64) {
        let waiters = state.withLock { state in
            guard state.current(key, run) != nil else { return [Waiter]() }
            state.runs[key]?.progress = progress
            return Array((state.runs[key]?.waiters ?? [:]).values)
        }
        for waiter in waiters { waiter.progress(progress) }
    }

    private func finish(_ result: Result<Value, ImageError>, _ key: Key, _ run: UInt64) {
        let ended = state.withLock { state in
            state.current(key, run) == nil ? nil : state.runs.removeValue(forKey: key)
        }
        for waiter in (ended?.waiters ?? [:]).values { waiter.completion(result) }
    }

    private func raise(_ change: State.PriorityChange?) {
        change?.operation.priority = change?.priority ?? .normal
    }
}

extension SharedWork {
    fileprivate struct Waiter {
        var priority: LoadPriority
        let progress: Progress
        let completion: Completion
    }

    fileprivate struct Run {
        let id: UInt64
        var waiters: [UInt64: Waiter] = [:]
        var operation: (any ImageOperation)?
        var progress: LoadProgress?

        var priority: LoadPriority { waiters.values.map(\.priority).max() ?? .normal }
    }

    /// What is under way and who waits. A value: it decides, the class acts after unlocking.
    fileprivate struct State {
        typealias PriorityChange = (operation: any ImageOperation, priority: LoadPriority)

        var runs: [Key: Run] = [:]
        private var nextID: UInt64 = 0

        func current(_ key: Key, _ id: UInt64) -> Run? {
            runs[key].flatMap { $0.id == id ? $0 : nil }
        }

        mutating func join(_ waiter: Waiter, _ key: Key) -> Joined {
            let isFirst = runs[key] == nil
            let before = runs[key]?.priority
            let waiterID = makeID()
            var run = runs[key] ?? Run(id: makeID())
            run.waiters[waiterID] = waiter
            runs[key] = run
            return Joined(
                run: run.id, waiter: waiterID, isFirst: isFirst, progress: run.progress,
                raise: change(in: run, from: before))
        }

        /// Returns the priority to run at, or `nil` when the run is over.
        mutating func setOperation(_ operation: any ImageOperation, _ key: Key, _ id: UInt64) -> LoadPriority? {
            guard current(key, id) != nil else { return nil }
            runs[key]?.operation = operation
            return runs[key]?.priority
        }

        mutating func setPriority(
            _ priority: LoadPriority, _ key: Key, _ id: UInt64, _ waiter: UInt64
        ) -> PriorityChange? {
            guard var run = current(key, id) else { return nil }
            let before = run.priority
            run.waiters[waiter]?.priority = priority
            runs[key] = run
            return change(in: run, from: before)
        }

        mutating func leave(_ key: Key, _ id: UInt64, _ waiterID: UInt64) -> Left? {
            guard var run = current(key, id), let waiter = run.waiters[waiterID] else { return nil }
            let before = run.priority
            run.waiters[waiterID] = nil
            guard !run.waiters.isEmpty else {
                runs[key] = nil
                return Left(waiter: waiter, abandoned: run.operation, raise: nil)
            }
            runs[key] = run
            return Left(waiter: waiter, abandoned: nil, raise: change(in: run, from: before))
        }

        private func change(in run: Run, from before: LoadPriority?) -> PriorityChange? {
            guard let operation = run.operation, before != run.priority else { return nil }
            return (operation, run.priority)
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
        let raise: State.PriorityChange?
    }

    fileprivate struct Left {
        let waiter: Waiter
        let abandoned: (any ImageOperation)?
        let raise: State.PriorityChange?
    }
}

/// One caller's place among those who wait.
private final class SharedWorkMembership<Key: Hashable & Sendable, Value: Sendable>: ImageOperation {
    private let work: SharedWork<Key, Value>
    private let key: Key
    private let run: UInt64
    private let waiter: UInt64

    init(work: SharedWork<Key, Value>, key: Key, run: UInt64, waiter: UInt64) {
        self.work = work
        self.key = key
        self.run = run
        self.waiter = waiter
    }

    func cancel() {
        work.leave(key, run, waiter)
    }

    var priority: LoadPriority {
        get { work.priority(key, run, waiter) }
        set { work.setPriority(newValue, key, run, waiter) }
    }
}
