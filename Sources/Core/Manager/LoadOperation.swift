import Synchronization
public import WebImageFoundation

/// A load under way: to cancel it, or to change its priority.
///
/// It delivers what its caller is told: progress while it lasts, then the completion, exactly once, all on the
/// caller's queue, one call at a time and in order, whatever kind of queue that is.
///
/// Closures that are called at once stand in one another when one of them starts, or cancels, the next load. At the
/// 32nd that ends, for a stack has an end: the next is called, on the same thread, when that closure has returned.
public final class LoadOperation: ImageOperation {
    /// Told how far the download has come, and for `progressiveLoad` what can be shown so far.
    public typealias Progress = @Sendable (LoadProgress) -> Void
    /// Told the picture or the one error.
    public typealias Completion = @Sendable (Result<LoadResult, ImageError>) -> Void

    let trace: LoadTrace
    private let callbackQueue: CallbackQueue
    private let listener: Listener<LoadResult>
    /// The step of the path that is under way.
    private let step: CurrentStep
    private let walk = Mutex(Walk())
    private let rests = Mutex<[Rest]>([])

    /// What is to be done when the end has been told, for nobody waits for it.
    struct Rest: Sendable {
        /// Has it done by others, who then let go of what the load keeps, where that can be.
        let starts: @Sendable (LoadOperation) -> Bool
        /// Does it, where that cannot be.
        let work: @Sendable () async -> Void
    }

    /// What does the load, apart from the step that is under way.
    private struct Walk {
        var stage = LoadStage.request
        var task: Task<Void, Never>?
        /// Where it is listed as long as it lasts.
        var list: RunningLoads?
        var isOver = false
        var cacheOperation: (any ImageOperation)?
        var loaderOperation: (any ImageOperation)?
    }

    /// - Parameter completion: `nil` for one who asks for the `result` instead.
    init(
        _ priority: LoadPriority, on queue: CallbackQueue, trace: LoadTrace, progress: Progress?,
        completion: Completion?
    ) {
        self.trace = trace
        callbackQueue = queue
        step = CurrentStep(priority: priority)
        listener = Listener(progress: progress, completion: completion)
        trace.began()
    }

    /// The URL that was asked for.
    public var url: URL? { trace.url }

    /// Where it stands in the queues. May be changed at any time, from any thread.
    public var priority: LoadPriority {
        get { step.priority }
        set { step.setPriority(newValue) }
    }

    /// Whether `cancel` came before the end.
    public var isCancelled: Bool { step.isCancelled }

    /// The half that looks in the disk cache, while it does; cancelling it cancels the load.
    public var cacheOperation: (any ImageOperation)? { walk.withLock { $0.cacheOperation } }

    /// The half that gets the original and decodes it, from when it begins until the end; cancelling it cancels the
    /// load.
    public var loaderOperation: (any ImageOperation)? { walk.withLock { $0.loaderOperation } }

    /// What the completion would be told, for a load without one; to be asked for once.
    var result: Result<LoadResult, ImageError> {
        get async { await listener.result }
    }

    /// Whether the caller is told progress.
    var wantsProgress: Bool { listener.wantsProgress }

    /// Stops the load. The completion gets `cancelled`, before this returns when called on the callback queue and not
    /// from within the load's own progress closure; a result that was not delivered yet is dropped. After the
    /// completion it does nothing.
    public func cancel() {
        let error = ImageError.cancelled(walk.withLock { $0.stage })
        guard listener.end(.failure(error), replaces: true) else { return }
        end(.failure(error))?.cancel()
        step.cancel()
        deliver()
    }

    func enter(_ stage: LoadStage) {
        walk.withLock { $0.stage = stage }
    }

    /// Notes the end, once; the task that is to be cancelled with it.
    private func end(_ result: Result<LoadResult, ImageError>) -> Task<Void, Never>? {
        // What it waited for goes after unlocking.
        var walked = Walk(isOver: true)
        walk.withLock { walk in
            walked.stage = walk.stage
            swap(&walk, &walked)
        }
        walked.list?.remove(self)
        if !walked.isOver { trace.ended(result) }
        return walked.task
    }

    /// Leaves something to be done when the end has been told.
    func afterwards(_ rest: Rest) {
        rests.withLock { $0.append(rest) }
    }

    /// The body is the manager's to read.
    func report(_ progress: LoadProgress) {
        var progress = progress
        progress.body = nil
        if listener.put(progress) { deliver() }
    }

    func finish(_ result: Result<LoadResult, ImageError>) {
        guard listener.end(result) else { return }
        _ = end(result)
        step.end()
        deliver()
    }

    /// The same for a picture that memory has: nobody knows the load yet, and nothing is under way that would have to
    /// be stopped. So it is told as shortly as can be, where it may be told at once.
    func finish(inMemory result: LoadResult) {
        let nesting = CallNesting.ofThread
        guard callbackQueue.callsAtOnce, nesting.begin() else { return finish(.success(result)) }
        defer { nesting.end() }
        guard let ending = listener.endAtOnce() else { return finish(.success(result)) }
        walk.withLock { $0.isOver = true }
        trace.ended(inMemory: result)
        ending.tell(.success(result))
    }

    private func deliver() {
        guard callbackQueue.callsAtOnce else { return callbackQueue.async { self.listener.deliver() } }
        let nesting = CallNesting.ofThread
        guard nesting.begin() else { return nesting.later { self.listener.deliver() } }
        listener.deliver()
        nesting.end()
    }
}

extension LoadOperation: SteppedOperation {
    /// Waits for a piece of shared work, or for its turn in a queue.
    func become(_ step: any ImageOperation, told known: LoadPriority?) {
        walk.withLock { walk in
            walk.cacheOperation = walk.stage == .cache ? step : nil
            if walk.stage == .load { walk.loaderOperation = step }
        }
        self.step.become(step, told: known)
    }

    func keep(_ share: KeptShare) {
        step.keep(share)
    }

    /// Lets go of what is kept for loads that come late: from now on they find it in a cache, or not at all. Before the
    /// end is told, so that a load which follows it sees what the caches have; after that when they are yet to have it.
    func releaseShares() {
        for share in takeShares() { share.release() }
    }

    /// What is kept for them, which from now on the one who takes it has to let go of.
    func takeShares() -> [KeptShare] {
        step.takeKept()
    }
}

extension LoadOperation {
    /// Lists it among the loads that are under way, until it ends, and starts what does it.
    func start(in list: RunningLoads, _ work: @escaping @Sendable () async -> Result<LoadResult, ImageError>) {
        list.add(self)
        let task = Task {
            let result = await work()
            let rests = rests.withLock { $0 }
            if rests.isEmpty { releaseShares() }
            finish(result)
            for rest in rests where !rest.starts(self) { await rest.work() }
            releaseShares()
        }
        let isOver = walk.withLock { walk in
            if !walk.isOver { (walk.task, walk.list) = (task, list) }
            return walk.isOver
        }
        guard isOver else { return }
        list.remove(self)
        if isCancelled { task.cancel() }
    }
}
