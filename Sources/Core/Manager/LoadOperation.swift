import Synchronization
public import WebImageFoundation

/// A load under way: to cancel it, or to change its priority.
///
/// It delivers what its caller is told: progress while it lasts, then the completion, exactly once, all on the
/// caller's queue, one call at a time and in order, whatever kind of queue that is.
public final class LoadOperation: ImageOperation {
    /// Told how far the download has come, and for `progressiveLoad` what can be shown so far.
    public typealias Progress = @Sendable (LoadProgress) -> Void
    /// Told the picture or the one error.
    public typealias Completion = @Sendable (Result<LoadResult, ImageError>) -> Void

    /// The URL that was asked for.
    public let url: URL?
    /// The step of the path that is under way.
    let current: CurrentOperation
    private let callbackQueue: CallbackQueue
    private let stage = Mutex(LoadStage.request)
    private let listener: Listener<LoadResult>
    let trace: LoadTrace
    private let walk = Mutex(Walk())

    /// What does the load, apart from the step that is under way.
    private struct Walk {
        var task: Task<Void, Never>?
        var isOver = false
        var cacheOperation: (any ImageOperation)?
        var loaderOperation: (any ImageOperation)?
    }

    init(_ request: ImageRequest, trace: LoadTrace, progress: Progress?, completion: @escaping Completion) {
        self.trace = trace
        trace.began()
        url = request.url
        current = CurrentOperation(priority: request.options.priority)
        callbackQueue = request.context.callbackQueue
        listener = Listener(progress: progress, completion: completion)
    }

    /// Where it stands in the queues. May be changed at any time, from any thread.
    public var priority: LoadPriority {
        get { current.priority }
        set { current.priority = newValue }
    }

    /// Whether `cancel` came before the end.
    public var isCancelled: Bool { current.isCancelled }

    /// The half that looks in the disk cache, while it does; cancelling it cancels the load.
    public var cacheOperation: (any ImageOperation)? { walk.withLock { $0.cacheOperation } }

    /// The half that gets the original and decodes it, from when it begins; cancelling it cancels the load.
    public var loaderOperation: (any ImageOperation)? { walk.withLock { $0.loaderOperation } }

    /// Stops the load. The completion gets `cancelled`, before this returns when called on the callback queue and not
    /// from within the load's own progress closure; a result that was not delivered yet is dropped. After the
    /// completion it does nothing.
    public func cancel() {
        let error = ImageError.cancelled(stage.withLock { $0 })
        guard listener.end(.failure(error), replaces: true) else { return }
        end(.failure(error))?.cancel()
        current.cancel()
        deliver()
    }

    func enter(_ stage: LoadStage) {
        self.stage.withLock { $0 = stage }
    }

    /// Waits for a piece of shared work.
    func become(_ membership: any ImageOperation) {
        let stage = stage.withLock { $0 }
        walk.withLock { walk in
            walk.cacheOperation = stage == .cache ? membership : nil
            if stage == .load { walk.loaderOperation = membership }
        }
        current.become(membership)
    }

    /// Names the task that walks the path, to be cancelled with the load.
    func isWalked(by task: Task<Void, Never>) {
        let isOver = walk.withLock { walk in
            if !walk.isOver { walk.task = task }
            return walk.isOver
        }
        if isOver, isCancelled { task.cancel() }
    }

    /// Notes the end, once; the task that is to be cancelled with it.
    private func end(_ result: Result<LoadResult, ImageError>) -> Task<Void, Never>? {
        let (isFirst, task) = walk.withLock { walk in
            defer { walk.isOver = true }
            walk.cacheOperation = nil
            return (!walk.isOver, walk.task.take())
        }
        if isFirst { trace.ended(result) }
        return task
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
        deliver()
    }

    private func deliver() {
        guard !callbackQueue.callsAtOnce else { return listener.deliver() }
        callbackQueue.async { [listener] in listener.deliver() }
    }
}
