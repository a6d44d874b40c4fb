import Synchronization
public import WebImageFoundation

/// Loads http and https URLs: a queue with priorities and a window for each host in front of a transport.
///
/// Concurrent downloads that are equal on the wire (URL, method, header fields, body) are one.
public final class ImageDownloader: ImageLoader {
    private let transport: any HTTPTransport
    private let sharing = SharedWork<HTTPRequest, LoadedData>(stage: .load)
    private let state: Mutex<State>

    private struct State {
        var configuration: DownloaderConfiguration
        var headers: HTTPHeaders
        var queue: DownloadQueue
        var waiting: [DownloadQueue.ID: Download] = [:]
        var nextID: DownloadQueue.ID = 0
    }

    /// - Parameter transport: Carries the exchanges; one may serve many downloaders.
    public init(transport: any HTTPTransport, configuration: DownloaderConfiguration = DownloaderConfiguration()) {
        self.transport = transport
        state = Mutex(
            State(
                configuration: configuration, headers: Self.defaultHeaders,
                queue: DownloadQueue(limits: configuration.queueLimits)))
    }

    /// What is sent with every request unless it is replaced.
    public static let defaultHeaders: HTTPHeaders = [
        "Accept": "image/*,*/*;q=0.8",
        "User-Agent": "WebImage/0.1",
    ]

    /// May be changed at any time; holds for downloads that start later.
    public var configuration: DownloaderConfiguration {
        get { state.withLock { $0.configuration } }
        set {
            state.withLock { state in
                state.configuration = newValue
                state.queue.limits = newValue.queueLimits
            }
            startAdmitted()
        }
    }

    /// How many downloads wait or run; shared ones count once.
    public var currentDownloadCount: Int { sharing.count }

    /// The value that is sent with every request under the given name.
    public func value(forHTTPHeaderField name: String) -> String? {
        state.withLock { $0.headers[name] }
    }

    /// Sets what is sent with every later request; `nil` sends nothing under that name.
    public func setValue(_ value: String?, forHTTPHeaderField name: String) {
        state.withLock { $0.headers[name] = value }
    }

    /// Cancels everything; each caller gets `cancelled`.
    public func cancelAllDownloads() {
        sharing.cancelAll()
    }

    /// Whether the scheme is `http` or `https`.
    public func canLoad(_ url: URL) -> Bool {
        let scheme = url.scheme?.lowercased()
        return scheme == "http" || scheme == "https"
    }

    /// Downloads by themselves, without cache or decoding.
    ///
    /// - Parameters:
    ///   - progress: Called on a thread of the transport, and by a download that others began perhaps before this
    ///     returns; one call at a time, before the completion.
    ///   - completion: Called exactly once, on a thread of the transport, or of the one who cancels unless progress is
    ///     being told just then, or before this returns for a missing URL. A cancelled caller gets `cancelled`; others
    ///     of the same download do not notice.
    @discardableResult
    public func load(
        _ request: ImageRequest, progress: @escaping @Sendable (LoadProgress) -> Void = { _ in },
        completion: @escaping @Sendable (Result<LoadedData, ImageError>) -> Void
    ) -> any ImageOperation {
        guard let url = request.url, !url.absoluteString.isEmpty else {
            completion(.failure(ImageError(.invalidURL, .request, "there is no URL")))
            return CurrentOperation()
        }
        guard canLoad(url), let host = url.host, !host.isEmpty else {
            completion(.failure(.noHost(url)))
            return CurrentOperation()
        }
        let (wire, configuration) = state.withLock { state in
            (HTTPRequest(request, url: url, defaults: state.headers, state.configuration), state.configuration)
        }
        return sharing.join(
            wire, priority: request.options.priority, progress: progress, completion: completion
        ) { reporter in
            start(wire, configuration, request.options.priority, reporter)
        }
    }

    /// Damaged bytes and what a server will say again are blocked; what the network did, and a server that is busy,
    /// is not.
    public func shouldBlockFailedURL(_ url: URL, error: ImageError) -> Bool {
        switch error.code {
        case .invalidURL, .badImageData, .unknownFormat: true
        case .invalidDownloadStatusCode: [400, 404, 405, 410, 414, 451, 500, 501].contains(error.statusCode)
        default: false
        }
    }

    private func start(
        _ wire: HTTPRequest, _ configuration: DownloaderConfiguration, _ priority: LoadPriority,
        _ reporter: SharedWork<HTTPRequest, LoadedData>.Reporter
    ) -> any ImageOperation {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let download = Download(
            id: id, request: wire, downloader: self, configuration: configuration, report: reporter)
        enqueue(download, priority)
        return download
    }

    private func enqueue(_ download: Download, _ priority: LoadPriority) {
        let host = download.host
        state.withLock { state in
            state.waiting[download.id] = download
            state.queue.enqueue(download.id, host: host, priority: priority)
        }
        startAdmitted()
    }

    private func startAdmitted() {
        let admitted = state.withLock { state in
            state.queue.admit().compactMap { state.waiting.removeValue(forKey: $0) }
        }
        for download in admitted { download.begin(on: transport) }
    }
}

extension ImageDownloader: Downloading {
    func setPriority(_ priority: LoadPriority, of download: Download) {
        state.withLock { $0.queue.setPriority(priority, of: download.id) }
    }

    func noteMultiplexed(_ download: Download) {
        let host = download.host
        state.withLock { $0.queue.noteMultiplexed(host: host) }
        startAdmitted()
    }

    func withdraw(_ download: Download) -> Bool {
        state.withLock { state in
            state.waiting[download.id] = nil
            return state.queue.remove(download.id)
        }
    }

    func requeue(_ download: Download) {
        let (host, priority) = (download.host, download.priority)
        state.withLock { state in
            state.waiting[download.id] = download
            state.queue.requeue(download.id, host: host, priority: priority)
        }
        // It may have changed before there was a place for it to change.
        setPriority(download.priority, of: download)
        startAdmitted()
    }

    func release(_ download: Download) {
        state.withLock { $0.queue.finished(download.id) }
        startAdmitted()
    }
}

extension HTTPRequest {
    /// What goes on the wire for a request.
    init(_ request: ImageRequest, url: URL, defaults: HTTPHeaders, _ configuration: DownloaderConfiguration) {
        var headers = defaults
        for field in request.context.headers.fields { headers[field.name] = nil }
        for field in request.context.headers.fields { headers.append(name: field.name, value: field.value) }
        self.init(
            url: url, headers: headers,
            timeout: configuration.downloadTimeout > 0 ? configuration.downloadTimeout : 15,
            allowsInvalidCertificate: request.options.contains(.allowInvalidSSLCertificates))
    }
}

extension ImageError {
    fileprivate static func noHost(_ url: URL) -> ImageError {
        ImageError(.invalidURL, .request, "\(url.withoutCredentials) names no http or https server")
    }
}
