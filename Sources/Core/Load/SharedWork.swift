import Synchronization

/// Work that several callers wait for is done once.
///
/// Each caller has its own priority, progress and completion. The work runs at the highest priority of those who wait,
/// and stops when the last of them cancels; who comes after that starts it anew. What it brought can be kept for those
/// who come late (`KeptShare`).
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Completion = Listener<Value>.Completion
    typealias Progress = Listener<Value>.Progress
    typealias Membership = SharedWorkMembership<Key, Value>
    typealias Run = SharedRun<Key, Value>

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

    /// How long what was brought is there for those who come late: it is told them at once.
    enum Keeping {
        /// Nor is anything taken that others keep.
        case nothing
        /// Until the operation lets go of the share; see `SteppedOperation`.
        case untilReleased
        /// As long as this `SharedWork` is there.
        case forGood
    }

    private let stage: LoadStage
    private let state = Mutex(SharedRuns<Key, Value>())

    /// - Parameter stage: What a cancelled caller was waiting for.
    init(stage: LoadStage) {
        self.stage = stage
    }

    /// How many different pieces of work are under way.
    var count: Int { state.withLock { $0.runs.count } }

    /// How many wait for each piece of work for which someone waits.
    var waiterCounts: [Int] { state.withLock { $0.runs.all.map(\.waiters.count).filter { $0 > 0 } } }

    /// Waits for the work of a key, which is started when nobody waits for it yet.
    ///
    /// - Parameters:
    ///   - progress: May be called at once, with how far the work has come. One call at a time, and none after the
    ///     completion. `nil` where nobody wants to know.
    ///   - completion: Called exactly once; by `cancel` of the returned operation before it returns, or after a call
    ///     of `progress` that is under way just then.
    ///   - start: Starts the work. May report before it returns.
    func join(
        _ key: Key, priority: LoadPriority, progress: Progress?, completion: @escaping Completion,
        start: (Reporter) -> any ImageOperation
    ) -> Membership {
        let membership = enter(key, priority, wantsToKeep: false, progress) { completion($0.map(Self.value)) }
        if membership.isFirst {
            _ = lead(membership.run, start(Reporter(work: self, run: membership.run)))
        }
        return membership
    }

    /// Waits for the work of a key in a task, and does it there when nobody waits for it yet. It goes on for the others
    /// when this one has left.
    ///
    /// - Parameters:
    ///   - operation: Who waits: cancelled and hurried through it.
    ///   - keeping: How long what was brought is there for those who come late.
    ///   - progress: As of the other `join`.
    ///   - work: The work; it is cancelled and hurried through the operation that it is given.
    func join(
        _ key: Key, as operation: some SteppedOperation, keeping: Keeping, progress: Progress?,
        work: (CurrentOperation, Reporter) async throws(ImageError) -> Value
    ) async throws(ImageError) -> Value {
        let membership = enter(key, for: operation, keeping, progress)
        if membership.isFirst { await lead(membership, work) }
        return try await outcome(membership, operation, keeping)
    }

    /// Waits for the work of a key in a task, and has it started when nobody waits for it yet.
    ///
    /// - Parameter start: Starts the work. May report before it returns.
    func join(
        _ key: Key, as operation: some SteppedOperation, keeping: Keeping, progress: Progress?,
        start: (Reporter) -> any ImageOperation
    ) async throws(ImageError) -> Value {
        let membership = enter(key, for: operation, keeping, progress)
        if membership.isFirst { _ = lead(membership.run, start(Reporter(work: self, run: membership.run))) }
        return try await outcome(membership, operation, keeping)
    }

    private func enter(
        _ key: Key, for operation: some SteppedOperation, _ keeping: Keeping, _ progress: Progress?
    ) -> Membership {
        let priority = operation.priority
        let membership = enter(key, priority, wantsToKeep: keeping != .nothing, progress, nil)
        operation.become(membership, told: priority)
        return membership
    }

    private func outcome(
        _ membership: Membership, _ operation: some SteppedOperation, _ keeping: Keeping
    ) async throws(ImageError) -> Value {
        let value = Self.value(try await membership.listener.result.get())
        if keeping == .untilReleased { operation.keep(KeptShare { membership.release() }) }
        return value
    }

    private func lead(
        _ membership: Membership, _ work: (CurrentOperation, Reporter) async throws(ImageError) -> Value
    ) async {
        let run = membership.run
        let step = CurrentOperation(priority: membership.priority)
        guard lead(run, step) else { return }
        do throws(ImageError) {
            let value = try await work(step, Reporter(work: self, run: run))
            finish(.success(value), run)
        } catch {
            finish(.failure(error), run)
        }
    }

    /// Cancels for everybody.
    func cancelAll() {
        let ended = state.withLock { state in state.runs.all.map { state.end($0, nil) } }
        for (operation, waiters) in ended {
            operation?.cancel()
            waiters.visit { $0.listener.finish(.failure(.cancelled(stage))) }
        }
    }

    private func enter(
        _ key: Key, _ priority: LoadPriority, wantsToKeep: Bool, _ progress: Progress?,
        _ completion: Membership.Teller.Completion?
    ) -> Membership {
        let joined = state.withLock { state in
            state.join(key, wantsToKeep: wantsToKeep) { run, isFirst in
                Membership(
                    self, run, isFirst: isFirst, priority, wantsToKeep: wantsToKeep,
                    Membership.Teller(progress: progress, completion: completion))
            }
        }
        let membership = joined.membership
        if let value = joined.value { membership.listener.finish(.success(value)) }
        if let latest = joined.progress { membership.listener.catchUp(latest) }
        if joined.changesPriority { passOnPriority(membership.run) }
        return membership
    }

    /// Names what does the work; `false` when that is over already, or everybody left while it started.
    private func lead(_ run: Run, _ operation: any ImageOperation) -> Bool {
        guard state.withLock({ $0.setOperation(operation, run) }) else {
            // Cancelling what is over does nothing.
            operation.cancel()
            return false
        }
        passOnPriority(run, told: operation.priority)
        return true
    }

    fileprivate func leave(_ membership: Membership) {
        guard let left = state.withLock({ $0.leave(membership) }) else { return }
        left.abandoned?.cancel()
        if left.changesPriority { passOnPriority(membership.run) }
        membership.listener.finish(.failure(.cancelled(stage)))
    }

    fileprivate func setPriority(_ priority: LoadPriority, _ membership: Membership) {
        if state.withLock({ $0.setPriority(priority, membership) }) { passOnPriority(membership.run) }
    }

    fileprivate func priority(_ membership: Membership) -> LoadPriority {
        state.withLock { _ in membership.currentPriority }
    }

    fileprivate func operation(_ run: Run) -> (any ImageOperation)? {
        state.withLock { _ in run.operation }
    }

    private func report(_ progress: LoadProgress, _ run: Run) {
        let waiters = state.withLock { _ in
            guard !run.isOver else { return [Membership]() }
            // For those who come late, too.
            run.progress = progress.following(run.progress)
            return run.waiters.wantingProgress
        }
        for waiter in waiters { waiter.listener.tell(progress) }
    }

    private func finish(_ result: Result<Value, ImageError>, _ run: Run) {
        let (_, waiters) = state.withLock { $0.end(run, try? result.get()) }
        let told: Result<any Sendable, ImageError> = result.map { $0 }
        waiters.visit { $0.listener.finish(told) }
    }

    /// What a listener was told.
    private static func value(_ told: any Sendable) -> Value {
        guard let value = told as? Value else { preconditionFailure("only values of this work are told") }
        return value
    }

    fileprivate func release(_ keeper: Membership) {
        _ = state.withLock { $0.release(keeper) }
    }

    /// Tells the work the highest priority of those who wait, again if that changed meanwhile: threads that change it
    /// may overtake each other.
    private func passOnPriority(_ run: Run, told known: LoadPriority? = nil) {
        var told = known
        while let (operation, priority) = state.withLock({ _ in run.running }), priority != told {
            operation.priority = priority
            told = priority
        }
    }
}

/// One caller's place among those who wait, and then among those who keep what was brought.
///
/// `@unchecked Sendable`: what varies is read and written under the lock of the work's state alone.
final class SharedWorkMembership<Key: Hashable & Sendable, Value: Sendable>: ImageOperation, @unchecked Sendable {
    private let work: SharedWork<Key, Value>
    let run: SharedRun<Key, Value>
    /// Whether nobody waited before: then this one sees to the work.
    let isFirst: Bool
    /// Told values. The type does not say so, for how to let go of a listener of values would be looked up each time.
    let listener: Teller
    let wantsToKeep: Bool
    let wantsProgress: Bool
    var isKeeping = false
    var currentPriority: LoadPriority

    typealias Teller = Listener<any Sendable>

    fileprivate init(
        _ work: SharedWork<Key, Value>, _ run: SharedRun<Key, Value>, isFirst: Bool, _ priority: LoadPriority,
        wantsToKeep: Bool, _ listener: consuming Teller
    ) {
        self.work = work
        self.run = run
        self.isFirst = isFirst
        wantsProgress = listener.wantsProgress
        self.listener = listener
        self.wantsToKeep = wantsToKeep
        currentPriority = priority
    }

    func cancel() {
        work.leave(self)
    }

    /// Keeps no longer what was brought.
    func release() {
        work.release(self)
    }

    /// The work itself, while it is under way.
    var operation: (any ImageOperation)? { work.operation(run) }

    var priority: LoadPriority {
        get { work.priority(self) }
        set { work.setPriority(newValue, self) }
    }
}
