import Synchronization
public import WebImageFoundation

/// A load under way: to cancel it, or to change its priority.
///
/// It delivers what its caller is told: progress while it lasts, then the completion, exactly once, all on the
/// caller's queue, one call at a time and in order, whatever kind of queue that is.
public final class LoadOperation: ImageOperation {
    /// Told how far the download has come.
    public typealias Progress = @Sendable (LoadProgress) -> Void
    /// Told the picture or the one error.
    public typealias Completion = @Sendable (Result<LoadResult, ImageError>) -> Void

    /// The URL that was asked for.
    public let url: URL?
    /// The step of the path that is under way.
    let current: CurrentOperation
    private let callbackQueue: CallbackQueue
    private let mailbox: Mutex<Mailbox>

    init(_ request: ImageRequest, progress: Progress?, completion: @escaping Completion) {
        url = request.url
        current = CurrentOperation(priority: request.options.priority)
        callbackQueue = request.context.callbackQueue
        mailbox = Mutex(Mailbox(progress: progress, completion: completion))
    }

    /// Where it stands in the queues. May be changed at any time, from any thread.
    public var priority: LoadPriority {
        get { current.priority }
        set { current.priority = newValue }
    }

    /// Whether `cancel` came before the end.
    public var isCancelled: Bool { current.isCancelled }

    /// Stops the load. The completion gets `cancelled`, before this returns when called on the callback queue; a
    /// result that was not delivered yet is dropped. After the completion it does nothing.
    public func cancel() {
        let isFirst = mailbox.withLock { $0.end(with: .failure(.cancelled($0.stage)), replaces: true) }
        guard isFirst else { return }
        current.cancel()
        deliver()
    }

    func enter(_ stage: LoadStage) {
        mailbox.withLock { $0.stage = stage }
    }

    func report(_ progress: LoadProgress) {
        if mailbox.withLock({ $0.put(progress) }) { deliver() }
    }

    func finish(_ result: Result<LoadResult, ImageError>) {
        if mailbox.withLock({ $0.end(with: result, replaces: false) }) { deliver() }
    }

    private func deliver() {
        callbackQueue.async { self.drain() }
    }

    private func drain() {
        guard mailbox.withLock({ $0.beginDraining() }) else { return }
        while let letter = mailbox.withLock({ $0.takeNext() }) {
            switch letter {
            case .progress(let progress, let closure): closure(progress)
            case .completion(let result, let closure): closure(result)
            }
        }
    }
}

/// What is still to be told to a caller. A value under the operation's lock; closures are called after unlocking.
private struct Mailbox {
    enum Letter {
        case progress(LoadProgress, LoadOperation.Progress)
        case completion(Result<LoadResult, ImageError>, LoadOperation.Completion)
    }

    var stage = LoadStage.request
    private var progress: LoadOperation.Progress?
    private var completion: LoadOperation.Completion?
    private var latestProgress: LoadProgress?
    private var outcome: Result<LoadResult, ImageError>?
    private var isDraining = false

    init(progress: LoadOperation.Progress?, completion: @escaping LoadOperation.Completion) {
        self.progress = progress
        self.completion = completion
    }

    /// Only the latest progress is kept: a slow caller's queue must not fill up.
    mutating func put(_ news: LoadProgress) -> Bool {
        guard progress != nil, outcome == nil else { return false }
        latestProgress = news
        return true
    }

    mutating func end(with result: Result<LoadResult, ImageError>, replaces: Bool) -> Bool {
        guard completion != nil, outcome == nil || replaces else { return false }
        outcome = result
        if replaces { latestProgress = nil }
        return true
    }

    mutating func beginDraining() -> Bool {
        guard !isDraining else { return false }
        isDraining = true
        return true
    }

    mutating func takeNext() -> Letter? {
        if let news = latestProgress.take(), let progress { return .progress(news, progress) }
        if let outcome, let completion = completion.take() {
            progress = nil
            return .completion(outcome, completion)
        }
        isDraining = false
        return nil
    }
}
