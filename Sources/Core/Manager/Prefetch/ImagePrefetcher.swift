import Synchronization
public import WebImageFoundation

/// Loads pictures before anyone asks for them, a few at a time and behind what is asked for.
///
/// All methods may be called on any thread. A URL that a real load wants meanwhile shares that load's download, and
/// takes its higher priority.
public final class ImagePrefetcher: Sendable {
    /// Told how far a list has come: how many of its URLs are done, with or without a picture, of how many.
    public typealias Progress = @Sendable (_ finishedCount: Int, _ totalCount: Int) -> Void
    /// Told that a list is done: how many of its URLs are done, and how many of those brought no picture.
    public typealias Completion = @Sendable (_ finishedCount: Int, _ skippedCount: Int) -> Void

    /// Where pictures are brought.
    public enum Destination: Sendable, Hashable {
        /// Into the caches that the context names, decoded, as a load brings them.
        case caches
        /// Onto disk alone, as the server sent them, without decoding: for many pictures that few will look at.
        case disk
    }

    /// How a prefetcher works.
    public struct Configuration: Sendable {
        /// Pictures loaded at once. Default 3.
        public var maxConcurrentPrefetchCount = 3
        /// Switches for every picture. Default `.lowPriority`.
        public var options: LoadOptions = .lowPriority
        /// All other choices. Closures are called on its callback queue, by default the main queue.
        public var context = LoadContext()
        /// Default `.caches`.
        public var destination = Destination.caches

        /// The defaults.
        public init() {}
    }

    /// What loads the pictures.
    public let manager: ImageManager

    private struct State {
        var configuration: Configuration
        var queue = PrefetchQueue()
        weak var delegate: (any ImagePrefetcherDelegate)?

        mutating func takeNext() -> PrefetchQueue.Item? {
            queue.takeNext(configuration.maxConcurrentPrefetchCount)
        }
    }

    private let state: Mutex<State>

    /// A prefetcher that fills the caches of a manager.
    public init(manager: ImageManager, configuration: Configuration = Configuration()) {
        self.manager = manager
        state = Mutex(State(configuration: configuration))
    }

    /// How it works. A changed number of pictures holds at once, all else for the lists that come after.
    public var configuration: Configuration {
        get { state.withLock { $0.configuration } }
        set {
            state.withLock { $0.configuration = newValue }
            startNext()
        }
    }

    /// Told of all lists together; held weakly, called before the closures of a list.
    public var delegate: (any ImagePrefetcherDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    /// While `true` nothing new is begun; what is under way ends.
    public var isPaused: Bool {
        get { state.withLock { $0.queue.isPaused } }
        set {
            state.withLock { $0.queue.isPaused = newValue }
            startNext()
        }
    }

    /// The priority of what is under way and of what comes; `nil`, the default, is that of the options.
    public var priority: LoadPriority? {
        get { state.withLock { $0.queue.priority } }
        set {
            let operations = state.withLock { $0.queue.setPriority(newValue) }
            guard let newValue else { return }
            for operation in operations { operation.priority = newValue }
        }
    }

    /// How many lists are not done.
    public var runningTokenCount: Int { state.withLock { $0.queue.tokens.count } }

    /// Loads a list of pictures, in its order, behind the lists that came before.
    ///
    /// - Parameters:
    ///   - urls: An empty list is done at once: before this returns, where the callback queue allows it.
    ///   - options: `nil` takes the configuration's.
    ///   - context: `nil` takes the configuration's.
    ///   - completion: Called once when all are done, on the context's callback queue; not after a cancel.
    ///   - progress: Called once for each URL, on the context's callback queue, before the completion.
    /// - Returns: The list, to cancel it; `nil` for an empty one.
    @discardableResult
    public func prefetch(
        _ urls: [URL], options: LoadOptions? = nil, context: LoadContext? = nil, completion: Completion? = nil,
        progress: Progress? = nil
    ) -> PrefetchToken? {
        guard !urls.isEmpty else {
            if let completion {
                let queue = (context ?? configuration.context).callbackQueue
                queue.async { completion(0, 0) }
            }
            return nil
        }
        let token = state.withLock { state in
            var template = ImageRequest(
                nil, options: options ?? state.configuration.options, context: context ?? state.configuration.context)
            let listener = PrefetchListener(template.context.callbackQueue, progress, completion)
            // The prefetcher's own closures follow on whatever thread a load ends.
            template.context.callbackQueue = .immediate
            let token = PrefetchToken(urls: urls, template: template, listener: listener, prefetcher: self)
            state.queue.add(token, state.configuration.destination)
            return token
        }
        startNext()
        return token
    }

    /// Cancels all lists; their closures are not called any more.
    public func cancelPrefetching() {
        for token in state.withLock({ Array($0.queue.tokens.values.map(\.token)) }) { token.cancel() }
    }

    func cancel(_ token: PrefetchToken) {
        let operations = state.withLock { $0.queue.remove(token) }
        for operation in operations { operation.cancel() }
        startNext()
    }

    /// Begins as many as may be under way. One call at a time does so: pictures in memory end while they begin, and a
    /// long list of them must not grow the stack.
    private func startNext() {
        guard state.withLock({ $0.queue.beginStarting() }) else { return }
        while let item = state.withLock({ $0.takeNext() }) { start(item) }
    }

    private func start(_ item: PrefetchQueue.Item) {
        let operation = CurrentOperation(priority: item.priority)
        guard state.withLock({ $0.queue.setOperation(operation, of: item) }) else { return }
        switch item.destination {
        case .caches:
            let load = manager.load(item.request) { result in
                self.end(item, isSkipped: result.isFailure)
            }
            operation.become(load)
        case .disk:
            Task { [manager] in
                if await manager.isOnDisk(item.request) { return self.end(item, isSkipped: false) }
                let result = await manager.data(for: item.request, operation)
                self.end(item, isSkipped: result.isFailure)
            }
        }
    }

    private func end(_ item: PrefetchQueue.Item, isSkipped: Bool) {
        let (news, delegate) = state.withLock { ($0.queue.end(item, isSkipped: isSkipped), $0.delegate) }
        if let news { tell(news, item, delegate) }
        startNext()
    }

    private func tell(
        _ news: PrefetchQueue.News, _ item: PrefetchQueue.Item, _ delegate: (any ImagePrefetcherDelegate)?
    ) {
        item.token.listener.tell { listener in
            delegate?.imagePrefetcher(
                self, didPrefetch: item.url, finishedCount: news.all.finished, totalCount: news.all.total)
            // Any of them may cancel the list.
            guard !listener.isClosed else { return }
            listener.progress?(news.list.finished, news.list.total)
            guard news.list.finished == news.list.total, !listener.isClosed else { return }
            if news.isLast {
                delegate?.imagePrefetcher(
                    self, didFinishWithTotalCount: news.all.total, skippedCount: news.all.skipped)
            }
            guard !listener.isClosed else { return }
            listener.completion?(news.list.finished, news.list.skipped)
        }
    }
}

/// Told of all that a prefetcher does.
public protocol ImagePrefetcherDelegate: AnyObject, Sendable {
    /// A URL is done, with or without a picture; the counts are of all lists since the prefetcher last had none.
    func imagePrefetcher(
        _ prefetcher: ImagePrefetcher, didPrefetch url: URL, finishedCount: Int, totalCount: Int)

    /// The last list is done; the counts are of all lists since the prefetcher last had none.
    func imagePrefetcher(
        _ prefetcher: ImagePrefetcher, didFinishWithTotalCount totalCount: Int, skippedCount: Int)
}

extension ImagePrefetcherDelegate {
    /// Nothing.
    public func imagePrefetcher(
        _ prefetcher: ImagePrefetcher, didPrefetch url: URL, finishedCount: Int, totalCount: Int
    ) {}

    /// Nothing.
    public func imagePrefetcher(
        _ prefetcher: ImagePrefetcher, didFinishWithTotalCount totalCount: Int, skippedCount: Int
    ) {}
}

extension Result {
    fileprivate var isFailure: Bool {
        if case .failure = self { true } else { false }
    }
}
