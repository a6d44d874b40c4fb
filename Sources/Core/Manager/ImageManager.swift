import Synchronization
public import WebImageFoundation

/// Turns a request into a picture: request → cache → load → decode → transform → store.
///
/// Thread-safe. Each load ends with exactly one completion: a picture, an error, or `cancelled`. A picture in memory
/// is delivered before the call that asks returns; nothing else ever blocks the calling thread.
public final class ImageManager: Sendable {
    /// Where pictures are kept unless a load says otherwise.
    public let imageCache: any ImageCaching
    /// What gets bytes unless a load says otherwise.
    public let imageLoader: any ImageLoader
    /// What decodes and encodes unless a load says otherwise.
    public let imageCoder: any ImageCoder
    /// How the manager works; fixed.
    public let configuration: Configuration

    let sources = SharedWork<SourceKey, SourceImage>(stage: .load)
    let files = ArrivedFiles()
    let decodeQueue: StageQueue
    let transformQueue: StageQueue
    let encodeQueue: StageQueue
    let failedURLs: Mutex<FailedURLs>
    private let time: ElapsedTime
    let diagnostics: LoadDiagnostics
    private let weakDelegate = Mutex(WeakDelegate())
    /// Whether any request is another after `processed`.
    private let changesRequests: Bool
    let running = RunningLoads()

    /// How a manager works.
    public struct Configuration: Sendable {
        /// For loads that bring none of their own.
        public var transformer: (any ImageTransformer)?
        /// For loads that bring none of their own.
        public var cacheKeyFilter: CacheKeyFilter?
        /// For loads that bring none of their own.
        public var cacheSerializer: CacheSerializer?
        /// Sees every load before anything is done, after the three above were filled in. Default none.
        public var optionsProcessor: OptionsProcessor?
        /// Switches for every load, beside its own. Default none.
        public var defaultOptions: LoadOptions = []
        /// Stand around the path of every load, the first outermost. Default none. See `LoadInterceptor`.
        public var interceptors: [any LoadInterceptor] = []
        /// Turn values of a model into requests; the last is asked first. Default none.
        public var mappers: [ImageMapper] = []
        /// Are told what happens. Default none, which costs nothing.
        public var observers: [LoadObserver] = []
        /// Whether bytes are dear just now: then `ImageRequest.lowDataURL` is loaded first. Called on the thread that
        /// asks for a load. Default never.
        public var isNetworkConstrained: @Sendable () -> Bool = { false }
        /// How long cached pictures are good, for loads that do not say. Default `untilExpired`.
        public var cachePolicy: CachePolicy
        /// What tells the date, for that. Default the machine's clock.
        public var wallClock: any WallClock
        /// What measures how long a failed URL is blocked. Default the machine's.
        public var clock: any Clock<Duration>
        /// Pictures decoded at once. Default: one for each processor core.
        public var maxConcurrentDecodes: Int
        /// Pictures transformed at once. Default: one for each processor core.
        public var maxConcurrentTransforms: Int
        /// Pictures encoded for the disk at once. Default 1.
        public var maxConcurrentEncodes: Int
        /// How many failed URLs are remembered. Default 1,000; the oldest are forgotten first.
        public var maxFailedURLCount: Int
        /// How long a failed URL is blocked. Default 10 minutes.
        public var failedURLLifetime: Duration

        /// The defaults.
        public init() {
            let cores = ProcessInfo.processInfo.activeProcessorCount
            cachePolicy = .untilExpired
            wallClock = .system
            clock = ContinuousClock()
            maxConcurrentDecodes = cores
            maxConcurrentTransforms = cores
            maxConcurrentEncodes = 1
            maxFailedURLCount = 1000
            failedURLLifetime = .seconds(600)
        }
    }

    /// A manager of the given parts; the product `WebImage` has one ready, `ImageManager.shared`.
    public init(
        cache: any ImageCaching, loader: any ImageLoader, coder: any ImageCoder,
        configuration: Configuration = Configuration()
    ) {
        imageCache = cache
        imageLoader = loader
        imageCoder = coder
        self.configuration = configuration
        changesRequests = configuration.changesRequests
        decodeQueue = StageQueue(.decode, limit: configuration.maxConcurrentDecodes)
        transformQueue = StageQueue(.transform, limit: configuration.maxConcurrentTransforms)
        encodeQueue = StageQueue(.store, limit: configuration.maxConcurrentEncodes)
        diagnostics = LoadDiagnostics(observers: configuration.observers)
        time = ElapsedTime(configuration.clock)
        failedURLs = Mutex(
            FailedURLs(limit: configuration.maxFailedURLCount, lifetime: configuration.failedURLLifetime))
    }

    /// Starts a load.
    ///
    /// - Parameters:
    ///   - request: What to load and how.
    ///   - progress: How far the download has come, for `progressiveLoad` what can be shown so far, and for
    ///     `refreshCached` the cached picture first; on the context's callback queue, before the completion.
    ///   - completion: The picture or the one error; exactly once, on the context's callback queue.
    /// - Returns: The load, to cancel it or to change its priority.
    @discardableResult
    public func load(
        _ request: ImageRequest, progress: LoadOperation.Progress? = nil,
        completion: @escaping LoadOperation.Completion
    ) -> LoadOperation {
        load(request, on: request.context.callbackQueue, progress, completion)
    }

    /// The same, on another queue than the request's; without a completion for one who asks for the result instead.
    func load(
        _ request: ImageRequest, on queue: CallbackQueue, _ progress: LoadOperation.Progress?,
        _ completion: LoadOperation.Completion?
    ) -> LoadOperation {
        changesRequests
            ? load(processed: processed(request), on: queue, progress, completion)
            : load(processed: request, on: queue, progress, completion)
    }

    private func load(
        processed request: ImageRequest, on queue: CallbackQueue, _ progress: LoadOperation.Progress?,
        _ completion: LoadOperation.Completion?
    ) -> LoadOperation {
        let operation = LoadOperation(
            request.options.priority, on: queue, trace: diagnostics.trace(request.url), progress: progress,
            completion: completion)
        do throws(ImageError) {
            try begin(request, operation)
        } catch {
            operation.finish(.failure(error))
        }
        return operation
    }

    /// Answers at once where that can be, else starts to walk.
    private func begin(_ request: ImageRequest, _ operation: LoadOperation) throws(ImageError) {
        guard configuration.interceptors.isEmpty, request.hasOneSource(configuration.isNetworkConstrained) else {
            return start(operation) { await self.walkAround(request, operation) }
        }
        let keys = try LoadKeys(request)
        try checkNotFailed(request, keys.url)
        let hit = imageInMemory(request, keys)
        if let hit, request.isContentWithMemory {
            return operation.finish(inMemory: LoadResult(inMemory: request.atScale(hit.image), of: keys.url))
        }
        let plan = LoadPlan(request, keys, manager: self, operation.trace)
        if let hit = hit ?? imageOnDisk(plan) {
            plan.mayUseAtOnce(hit.image, at: wallNow)
                ? deliver(hit, plan, operation) : ask(about: hit, plan, operation)
        } else {
            start(operation) { await self.walk(plan, operation) }
        }
    }

    /// Decides what a single load cannot know; held weakly.
    public var delegate: (any ImageManagerDelegate)? {
        get { weakDelegate.withLock { $0.delegate } }
        set { weakDelegate.withLock { $0.delegate = newValue } }
    }

    /// What this manager did since it was made, and what it has to do.
    public var metrics: LoadMetrics {
        LoadMetrics(
            diagnostics, running: running.count,
            waiting: [
                .decode: decodeQueue.waitingCount, .transform: transformQueue.waitingCount,
                .store: encodeQueue.waitingCount,
            ])
    }

    /// Whether any load is under way.
    public var isRunning: Bool { running.count > 0 }

    /// Cancels every load that is under way; each gets `cancelled`.
    public func cancelAll() {
        running.cancelAll()
    }

    /// Why a URL is blocked, or `nil` when it is not.
    ///
    /// A URL is blocked for `failedURLLifetime` when it failed in a way that its loader, or the delegate, takes for
    /// lasting: undecodable bytes, refused redirects, and statuses such as 400, 404, 410 and 500; never when the caller
    /// cancelled, or the network or a busy server was the cause. Its loads end with `blackListed`, unless they have
    /// `retryFailed`.
    public func failure(of url: URL) -> ImageError? {
        failedURLs.withLock { $0.isEmpty ? nil : $0.reason(for: url, at: time.now) }
    }

    /// Lets a URL that failed before be tried again.
    public func removeFailedURL(_ url: URL) {
        failedURLs.withLock { $0.remove(url) }
    }

    /// Lets all URLs that failed before be tried again.
    public func removeAllFailedURLs() {
        failedURLs.withLock { $0.removeAll() }
    }

    /// The key under which the result of a request is kept; `nil` for a request without a URL.
    public func cacheKey(for request: ImageRequest) -> CacheKey? {
        try? LoadKeys(processed(request)).result
    }

    /// The request with the manager's own parts where it has none, after the options processor.
    func processed(_ request: ImageRequest) -> ImageRequest {
        var request = request
        request.options.formUnion(configuration.defaultOptions)
        request.context.transformer = request.context.transformer ?? configuration.transformer
        request.context.cacheKeyFilter = request.context.cacheKeyFilter ?? configuration.cacheKeyFilter
        request.context.cacheSerializer = request.context.cacheSerializer ?? configuration.cacheSerializer
        request.context.cachePolicy = request.context.cachePolicy ?? configuration.cachePolicy
        return configuration.optionsProcessor?.processed(request) ?? request
    }

    func start(
        _ operation: LoadOperation, _ work: @escaping @Sendable () async -> Result<LoadResult, ImageError>
    ) {
        operation.start(in: running, work)
    }

    func checkNotFailed(_ request: ImageRequest, _ url: URL) throws(ImageError) {
        guard !request.options.contains(.retryFailed), let reason = failure(of: url) else { return }
        throw ImageError(
            .blackListed, .request,
            "the URL failed before (\(reason.message)); load it with retryFailed to try again",
            statusCode: reason.statusCode, underlying: reason)
    }

    func noteFailure(_ error: ImageError, _ plan: LoadPlan) {
        guard !error.isCancelled else { return }
        let verdict = delegate?.imageManager(self, shouldBlock: plan.url, error: error)
        guard verdict ?? plan.loader.shouldBlockFailedURL(plan.url, error: error) else { return }
        failedURLs.withLock { $0.add(plan.url, error, at: time.now) }
    }
}

private struct WeakDelegate {
    weak var delegate: (any ImageManagerDelegate)?
}

extension ImageManager.Configuration {
    fileprivate var changesRequests: Bool {
        transformer != nil || cacheKeyFilter != nil || cacheSerializer != nil || optionsProcessor != nil
            || !defaultOptions.isEmpty || cachePolicy != .untilExpired
    }
}
