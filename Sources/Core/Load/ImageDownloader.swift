import Synchronization
public import WebImageFoundation

/// Loads http and https URLs: a queue with priorities and a window for each host in front of a transport.
///
/// Concurrent downloads that are equal on the wire (URL, method, header fields, body, cookies, certificate) and bring
/// the same response modifier and decryptor are one. Thread-safe.
public final class ImageDownloader: ImageLoader {
    let transport: any HTTPTransport
    let time: ElapsedTime
    let wallClock: any WallClock
    private let sharing = Download.Sharing(stage: .load)
    let memory = BodyMemory()
    let state: Mutex<State>
    let health = Mutex(HostHealth())
    let lastID = Atomic<DownloadQueue.ID>(0)

    struct State {
        var settings: DownloadSettings
        var headers: HTTPHeaders
        var cookieJar = CookieJar()
        var queue: DownloadQueue
        var isSuspended = false
        var waiting: [DownloadQueue.ID: Download] = [:]
        /// How many requests an asynchronous modifier has.
        var modifyingCount = 0

        func headers(for request: ImageRequest) -> HTTPHeaders {
            var headers = headers
            headers.replace(with: request.context.headers)
            return headers
        }
    }

    /// - Parameters:
    ///   - transport: Carries the exchanges; one may serve many downloaders.
    ///   - clock: Measures the waits of `retryPolicy` and `circuitBreaker`.
    ///   - wallClock: Tells the date, for `Retry-After`.
    public init(
        transport: any HTTPTransport, configuration: DownloaderConfiguration = DownloaderConfiguration(),
        clock: any Clock<Duration> = ContinuousClock(), wallClock: any WallClock = .system
    ) {
        self.transport = transport
        self.wallClock = wallClock
        time = ElapsedTime(clock)
        var queue = DownloadQueue(limits: configuration.queueLimits)
        queue.order = configuration.executionOrder
        state = Mutex(State(settings: DownloadSettings(configuration), headers: Self.defaultHeaders, queue: queue))
    }

    /// What is sent with every request unless it is replaced.
    public static let defaultHeaders: HTTPHeaders = [
        "Accept": "image/*,*/*;q=0.8",
        "User-Agent": "WebImage/0.1",
    ]

    /// May be changed at any time; holds for downloads that start later, and the queue's limits and order at once.
    public var configuration: DownloaderConfiguration {
        get { state.withLock { $0.settings.configuration } }
        set {
            state.withLock { state in
                state.settings = DownloadSettings(newValue)
                state.queue.limits = newValue.queueLimits
                state.queue.order = newValue.executionOrder
            }
            startAdmitted()
        }
    }

    /// Whether nothing more is begun. What runs goes on; what is asked for waits. Default `false`.
    public var isSuspended: Bool {
        get { state.withLock { $0.isSuspended } }
        set {
            state.withLock { $0.isSuspended = newValue }
            startAdmitted()
        }
    }

    /// How many downloads wait or run; shared ones count once.
    public var currentDownloadCount: Int { sharing.count + state.withLock { $0.modifyingCount } }

    /// How many wait for each download.
    var waiterCounts: [Int] { sharing.waiterCounts }

    /// The value that is sent with every request under the given name.
    public func value(forHTTPHeaderField name: String) -> String? {
        state.withLock { $0.headers[name] }
    }

    /// Sets what is sent with every later request; `nil` sends nothing under that name.
    public func setValue(_ value: String?, forHTTPHeaderField name: String) {
        state.withLock { $0.headers[name] = value }
    }

    /// Forgets every cookie; what runs already still sends and keeps those of before.
    public func removeAllCookies() {
        state.withLock { $0.cookieJar = CookieJar() }
    }

    /// Cancels everything; each caller gets `cancelled`.
    public func cancelAllDownloads() {
        sharing.cancelAll()
    }

    /// Whether the scheme is `http` or `https`.
    public func canLoad(_ url: URL) -> Bool {
        Origin(url).isWeb
    }

    /// As `download`, for a manager.
    @discardableResult
    public func load(
        _ request: ImageRequest, progress: @escaping @Sendable (LoadProgress) -> Void = { _ in },
        completion: @escaping @Sendable (Result<LoadedData, ImageError>) -> Void
    ) -> any ImageOperation {
        download(request, progress: progress, completion: completion)
    }

    /// Downloads by themselves, without cache or decoding.
    ///
    /// - Parameters:
    ///   - progress: Called on a thread of the transport, and by a download that others began perhaps before this
    ///     returns; one call at a time, before the completion. `nil` costs least.
    ///   - completion: Called exactly once, on a thread of the transport, or of the one who cancels unless progress is
    ///     being told just then, or before this returns for a missing URL. A cancelled caller gets `cancelled`; others
    ///     of the same download do not notice.
    @discardableResult
    public func download(
        _ request: ImageRequest, progress: (@Sendable (LoadProgress) -> Void)? = nil,
        completion: @escaping @Sendable (Result<LoadedData, ImageError>) -> Void
    ) -> DownloadToken {
        let token = DownloadToken(request, progress: progress, completion: completion)
        do throws(ImageError) {
            let url = try checked(request.url)
            let (wire, settings) = state.withLock { state in
                (HTTPRequest(request, url: url, state), state.settings)
            }
            if request.options.contains(.continueInBackground) {
                token.holdApplication(with: settings.configuration.backgroundActivity)
            }
            try modify(wire, request, settings, token)
        } catch {
            token.finish(.failure(error))
        }
        return token
    }

    /// Damaged bytes and what a server will say again, redirects that lead nowhere among it, are blocked; what the
    /// network did, and a server that is busy, is not; nor is what the configuration does not allow.
    public func shouldBlockFailedURL(_ url: URL, error: ImageError) -> Bool {
        switch error.code {
        case .invalidURL, .badImageData, .unknownFormat, .redirectRefused: true
        case .invalidDownloadStatusCode: [400, 404, 405, 410, 414, 451, 500, 501].contains(error.statusCode)
        default: false
        }
    }

    /// The downloader's own, and over them those of the request's context.
    public func headers(for request: ImageRequest) -> HTTPHeaders {
        state.withLock { $0.headers(for: request) }
    }

    private func checked(_ url: URL?) throws(ImageError) -> URL {
        guard let url, !url.absoluteString.isEmpty else {
            throw ImageError(.invalidURL, .request, "there is no URL")
        }
        let origin = Origin(url)
        guard origin.isWeb, !origin.host.isEmpty else { throw .noHost(url) }
        return url
    }

    private func modify(
        _ wire: HTTPRequest, _ request: ImageRequest, _ settings: DownloadSettings, _ token: DownloadToken
    ) throws(ImageError) {
        switch (request.context.requestModifier ?? settings.configuration.requestModifier)?.body {
        case nil:
            join(wire, request, settings, token)
        case .sync(let body):
            join(try checked(body(wire)), request, settings, token)
        case .async(let body):
            state.withLock { $0.modifyingCount += 1 }
            Task {
                let modified = await body(wire)
                state.withLock { $0.modifyingCount -= 1 }
                do throws(ImageError) {
                    join(try checked(modified), request, settings, token)
                } catch {
                    token.finish(.failure(error))
                }
            }
        }
    }

    private func checked(_ modified: HTTPRequest?) throws(ImageError) -> HTTPRequest {
        guard let modified else {
            throw ImageError(.invalidDownloadOperation, .load, "the request modifier refused the request")
        }
        _ = try checked(modified.url)
        return modified
    }

    private func join(
        _ wire: HTTPRequest, _ request: ImageRequest, _ settings: DownloadSettings, _ token: DownloadToken
    ) {
        guard !token.isCancelled else { return }
        do throws(ImageError) { try settings.check(wire.url) } catch {
            return token.finish(.failure(error))
        }
        let key = DownloadKey(
            request: wire,
            responseModifier: request.context.responseModifier ?? settings.configuration.responseModifier,
            decryptor: request.context.decryptor ?? settings.configuration.decryptor)
        let priority = token.priority
        let membership = sharing.join(
            key, priority: priority, progress: token.teller, completion: { token.finish($0) }
        ) { reporter in
            start(key, settings, priority, reporter)
        }
        token.join(membership)
    }

    private func start(
        _ key: DownloadKey, _ settings: DownloadSettings, _ priority: LoadPriority,
        _ reporter: Download.Sharing.Reporter
    ) -> any ImageOperation {
        let attempts = DownloadAttempts(key, self, settings, priority, reporter)
        attempts.begin()
        return attempts
    }
}

extension HTTPRequest {
    /// What goes on the wire for a request, before any modifier.
    fileprivate init(_ request: ImageRequest, url: URL, _ state: ImageDownloader.State) {
        let configuration = state.settings.configuration
        self.init(
            url: url, headers: state.headers(for: request),
            timeout: configuration.downloadTimeout > 0 ? configuration.downloadTimeout : 15,
            allowsInvalidCertificate: request.options.contains(.allowInvalidSSLCertificates))
        cookieJar = request.options.contains(.handleCookies) ? state.cookieJar : nil
        proxy = configuration.proxy
        addressPolicy = configuration.addressPolicy
    }
}

extension ImageError {
    fileprivate static func noHost(_ url: URL) -> ImageError {
        ImageError(.invalidURL, .request, "\(url.withoutCredentials) names no http or https server")
    }
}
