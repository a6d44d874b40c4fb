public import WebImageFoundation

/// Gets the bytes of a picture from where its URL says.
public protocol ImageLoader: AnyObject, Sendable {
    /// Whether this loader takes the URL. Asked before `load`.
    func canLoad(_ url: URL) -> Bool

    /// Starts to get the bytes.
    ///
    /// - Parameters:
    ///   - request: Its URL is one that `canLoad` agreed to.
    ///   - progress: Called any number of times before the completion, on any thread, one call at a time.
    ///   - completion: Called exactly once, on any thread; with `cancelled` when the operation was cancelled first.
    func load(
        _ request: ImageRequest, progress: @escaping @Sendable (LoadProgress) -> Void,
        completion: @escaping @Sendable (Result<LoadedData, ImageError>) -> Void
    ) -> any ImageOperation

    /// Whether a URL that failed so should not be tried again by itself.
    func shouldBlockFailedURL(_ url: URL, error: ImageError) -> Bool

    /// The header fields that a request is sent with, before any modifier: what `Vary` of an answer speaks of.
    func headers(for request: ImageRequest) -> HTTPHeaders
}

extension ImageLoader {
    /// Those of the request's context.
    public func headers(for request: ImageRequest) -> HTTPHeaders { request.context.headers }
}

/// Something under way that can be stopped, or hurried.
public protocol ImageOperation: AnyObject, Sendable {
    /// Stops it. Any thread, any number of times; after the end it does nothing.
    func cancel()
    /// Where it stands in the queues. May change at any time, from any thread.
    var priority: LoadPriority { get set }
}

/// What a loader brought.
public struct LoadedData: Sendable {
    /// The file, content encoding undone.
    public var data: Data
    /// The head of the server's answer; `nil` where there was no server.
    public var response: HTTPResponse?
    /// How the download went; `nil` where there was none.
    public var metrics: DownloadMetrics?
    /// The picture, from a loader that makes one rather than get a file; it is not decoded.
    public var image: DecodedImage?

    /// Bytes, and the answer that brought them.
    public init(data: Data, response: HTTPResponse? = nil, metrics: DownloadMetrics? = nil) {
        self.data = data
        self.response = response
        self.metrics = metrics
    }

    /// What the server called the file.
    var contentType: String? { response?.headers["Content-Type"] }

    /// A picture that is no file.
    public init(image: DecodedImage) {
        data = Data()
        self.image = image
    }
}
