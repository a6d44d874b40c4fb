import Synchronization

/// A query of a cache that is under way.
///
/// Its completion is called exactly once: with what was found, or, when it is cancelled first, with nothing, through
/// the same callback queue; so at once when that is the main queue and the caller is on it.
public final class CacheToken: ImageOperation {
    /// The key that is looked for.
    public let key: CacheKey
    let operation: CurrentOperation
    private let queue: CallbackQueue
    private let completion: Mutex<(@Sendable (CacheQueryResult) -> Void)?>

    init(_ key: CacheKey, _ queue: CallbackQueue, _ completion: @escaping @Sendable (CacheQueryResult) -> Void) {
        self.key = key
        self.queue = queue
        self.completion = Mutex(completion)
        operation = CurrentOperation()
    }

    /// Ends the query with nothing found, unless it has ended. Any thread, any number of times.
    public func cancel() {
        finish(.missing)
        operation.cancel()
    }

    /// Whether the completion has been called, or is on its way to its queue.
    public var isFinished: Bool { completion.withLock { $0 == nil } }

    /// Its place among the reads that wait. Default normal.
    public var priority: LoadPriority {
        get { operation.priority }
        set { operation.priority = newValue }
    }

    /// Calls the completion, unless that has been done.
    func finish(_ result: CacheQueryResult) {
        guard let completion = completion.withLock({ $0.take() }) else { return }
        queue.async { completion(result) }
    }
}
