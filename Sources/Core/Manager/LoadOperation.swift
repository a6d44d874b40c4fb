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

    init(_ request: ImageRequest, progress: Progress?, completion: @escaping Completion) {
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

    /// Stops the load. The completion gets `cancelled`, before this returns when called on the callback queue and not
    /// from within the load's own progress closure; a result that was not delivered yet is dropped. After the
    /// completion it does nothing.
    public func cancel() {
        let error = ImageError.cancelled(stage.withLock { $0 })
        guard listener.end(.failure(error), replaces: true) else { return }
        current.cancel()
        deliver()
    }

    func enter(_ stage: LoadStage) {
        self.stage.withLock { $0 = stage }
    }

    /// The body is the manager's to read.
    func report(_ progress: LoadProgress) {
        var progress = progress
        progress.body = nil
        if listener.put(progress) { deliver() }
    }

    func finish(_ result: Result<LoadResult, ImageError>) {
        if listener.end(result) { deliver() }
    }

    private func deliver() {
        callbackQueue.async { [listener] in listener.deliver() }
    }
}
