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
    let decodeQueue: StageQueue
    let transformQueue: StageQueue
    let encodeQueue: StageQueue
    let failedURLs: Mutex<FailedURLs>
    private let running = Mutex<[ObjectIdentifier: any ImageOperation]>([:])

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
        decodeQueue = StageQueue(.decode, limit: configuration.maxConcurrentDecodes)
        transformQueue = StageQueue(.transform, limit: configuration.maxConcurrentTransforms)
        encodeQueue = StageQueue(.store, limit: configuration.maxConcurrentEncodes)
        failedURLs = Mutex(
            FailedURLs(limit: configuration.maxFailedURLCount, lifetime: configuration.failedURLLifetime))
    }

    /// Starts a load.
    ///
    /// - Parameters:
    ///   - request: What to load and how.
    ///   - progress: How far the download has come, and for `progressiveLoad` what can be shown so far; on the
    ///     context's callback queue, before the completion.
    ///   - completion: The picture or the one error; exactly once, on the context's callback queue.
    /// - Returns: The load, to cancel it or to change its priority.
    @discardableResult
    public func load(
        _ request: ImageRequest, progress: LoadOperation.Progress? = nil,
        completion: @escaping LoadOperation.Completion
    ) -> LoadOperation {
        let request = processed(request)
        let operation = LoadOperation(request, progress: progress, completion: completion)
        do throws(ImageError) {
            let plan = try LoadPlan(request, manager: self)
            try checkNotFailed(plan)
            if let hit = imageAtOnce(plan) {
                deliver(hit, plan, operation)
            } else {
                start(plan, operation) { await self.walk(plan, operation) }
            }
        } catch {
            operation.finish(.failure(error))
        }
        return operation
    }

    /// Whether any load is under way.
    public var isRunning: Bool { running.withLock { !$0.isEmpty } }

    /// Cancels every load that is under way; each gets `cancelled`.
    public func cancelAll() {
        for operation in running.withLock({ Array($0.values) }) { operation.cancel() }
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
        try? LoadPlan(processed(request), manager: self).key
    }

    /// The request with the manager's own parts where it has none, after the options processor.
    func processed(_ request: ImageRequest) -> ImageRequest {
        var request = request
        request.context.transformer = request.context.transformer ?? configuration.transformer
        request.context.cacheKeyFilter = request.context.cacheKeyFilter ?? configuration.cacheKeyFilter
        request.context.cacheSerializer = request.context.cacheSerializer ?? configuration.cacheSerializer
        return configuration.optionsProcessor?.processed(request) ?? request
    }

    func start(
        _ plan: LoadPlan, _ operation: LoadOperation,
        _ work: @escaping @Sendable () async -> Result<LoadResult, ImageError>
    ) {
        noteStart(operation)
        Task {
            let result = await work()
            noteEnd(operation)
            operation.finish(result)
        }
    }

    func noteStart(_ operation: any ImageOperation) {
        running.withLock { $0[ObjectIdentifier(operation)] = operation }
    }

    func noteEnd(_ operation: any ImageOperation) {
        _ = running.withLock { $0.removeValue(forKey: ObjectIdentifier(operation)) }
    }

    func checkNotFailed(_ plan: LoadPlan) throws(ImageError) {
        guard !plan.options.contains(.retryFailed) else { return }
        guard let reason = failedURLs.withLock({ $0.reason(for: plan.url, at: .now) }) else { return }
        throw ImageError(
            .blackListed, .request,
            "the URL failed before (\(reason.message)); load it with retryFailed to try again",
            statusCode: reason.statusCode, underlying: reason)
    }

    func noteFailure(_ error: ImageError, _ plan: LoadPlan) {
        guard !error.isCancelled, plan.loader.shouldBlockFailedURL(plan.url, error: error) else { return }
        failedURLs.withLock { $0.add(plan.url, error, at: .now) }
    }
}
