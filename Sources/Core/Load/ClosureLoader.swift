import Synchronization
public import WebImageFoundation

extension ImageRequest {
    /// A wish for a picture whose file a closure brings, with all caching, sharing and processing.
    ///
    /// - Parameters:
    ///   - id: Names the picture in the caches; two closures of one id are taken to bring the same file.
    ///   - data: Called when no cache has it, on Swift's cooperative pool; its task is cancelled with the load.
    public init(
        id: String, options: LoadOptions = [], context: LoadContext = LoadContext(),
        data: @escaping @Sendable () async throws -> Data
    ) {
        self.init(id: id, options, context) { LoadedData(data: try await data()) }
    }

    /// A wish for a picture that a closure makes, with all caching, sharing and processing. On disk it is kept encoded.
    ///
    /// - Parameters:
    ///   - id: Names the picture in the caches; two closures of one id are taken to make the same picture.
    ///   - image: Called when no cache has it, on Swift's cooperative pool; its task is cancelled with the load.
    public init(
        id: String, options: LoadOptions = [], context: LoadContext = LoadContext(),
        image: @escaping @Sendable () async throws -> DecodedImage
    ) {
        self.init(id: id, options, context) { LoadedData(image: try await image()) }
    }

    private init(
        id: String, _ options: LoadOptions, _ context: LoadContext,
        _ bring: @escaping @Sendable () async throws -> LoadedData
    ) {
        var context = context
        context[ClosureKey.self] = Bringing(bring: bring)
        context.imageLoader = ClosureLoader.ofRequests
        let filter = context.cacheKeyFilter
        context.cacheKeyFilter = filter ?? CacheKeyFilter { _ in id }
        let escaped = Data(id.utf8).base64EncodedString().replacing("/", with: "_")
        self.init(URL(string: "webimage-closure:\(escaped)"), options: options, context: context)
    }
}

/// The closure of a request; all such requests share one loader, so that they share their work by id.
private struct Bringing: Sendable {
    let bring: @Sendable () async throws -> LoadedData
}

private enum ClosureKey: LoadContextKey {
    static var defaultValue: Bringing? { nil }
}

/// Brings what an async closure brings, for URLs of schemes of the program's own.
///
/// A picture that one closure brings for one request alone needs no loader: see `ImageRequest.init(id:data:)`.
public final class ClosureLoader: ImageLoader {
    private let schemes: Set<String>
    private let bring: @Sendable (ImageRequest) async throws -> LoadedData

    /// A loader of some schemes.
    ///
    /// - Parameters:
    ///   - schemes: In lower case, such as `["album"]`; URLs of others are not taken.
    ///   - bring: Called for a request that no cache answers, on Swift's cooperative pool, several at once; its task is
    ///     cancelled with the load. What it throws ends the load: an `ImageError` as it is, any other error as the
    ///     `underlying` one of a `loaderFailed`.
    public init(schemes: Set<String>, bring: @escaping @Sendable (ImageRequest) async throws -> LoadedData) {
        self.schemes = schemes
        self.bring = bring
    }

    /// Whether the scheme is one of the loader's.
    public func canLoad(_ url: URL) -> Bool { schemes.contains(url.scheme?.lowercased() ?? "") }

    /// Calls the closure in a task of its own, and the completion there. Tells no progress.
    public func load(
        _ request: ImageRequest, progress: @escaping @Sendable (LoadProgress) -> Void,
        completion: @escaping @Sendable (Result<LoadedData, ImageError>) -> Void
    ) -> any ImageOperation {
        ClosureLoad(request.options.priority, completion) { [bring] in try await bring(request) }
    }

    /// No: what a closure cannot bring now it may bring the next time.
    public func shouldBlockFailedURL(_ url: URL, error: ImageError) -> Bool { false }

    /// That of requests that bring their own closure.
    fileprivate static let ofRequests = ClosureLoader(schemes: ["webimage-closure"]) { request in
        guard let bringing = request.context[ClosureKey.self] else {
            throw ImageError(.invalidURL, .request, "the request has lost its closure; make a new one")
        }
        return try await bringing.bring()
    }
}

private final class ClosureLoad: ImageOperation {
    private let task: Task<Void, Never>
    private let current: Mutex<LoadPriority>

    init(
        _ priority: LoadPriority, _ completion: @escaping @Sendable (Result<LoadedData, ImageError>) -> Void,
        _ bring: @escaping @Sendable () async throws -> LoadedData
    ) {
        current = Mutex(priority)
        task = Task {
            do {
                let loaded = try await bring()
                completion(Task.isCancelled ? .failure(.cancelled(.load)) : .success(loaded))
            } catch {
                completion(.failure(Task.isCancelled ? .cancelled(.load) : Self.failure(error)))
            }
        }
    }

    var priority: LoadPriority {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    func cancel() { task.cancel() }

    private static func failure(_ error: any Error) -> ImageError {
        if error is CancellationError { return .cancelled(.load) }
        if let error = error as? ImageError { return error }
        let message = "the closure that brings the picture failed: \(error)"
        return ImageError(.loaderFailed, .load, message, underlying: error)
    }
}
