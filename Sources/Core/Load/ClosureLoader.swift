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
        context.imageLoader = ClosureLoader.shared
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

/// Brings what the closure of a request brings.
private final class ClosureLoader: ImageLoader {
    static let shared = ClosureLoader()

    func canLoad(_ url: URL) -> Bool { url.scheme == "webimage-closure" }

    func load(
        _ request: ImageRequest, progress: @escaping @Sendable (LoadProgress) -> Void,
        completion: @escaping @Sendable (Result<LoadedData, ImageError>) -> Void
    ) -> any ImageOperation {
        guard let bringing = request.context[ClosureKey.self] else {
            completion(.failure(ImageError(.invalidURL, .request, "the request has lost its closure; make a new one")))
            return CurrentOperation()
        }
        return ClosureLoad(bringing, completion)
    }

    func shouldBlockFailedURL(_ url: URL, error: ImageError) -> Bool { false }
}

private final class ClosureLoad: ImageOperation {
    private let task: Task<Void, Never>
    private let current: Mutex<LoadPriority>

    init(_ bringing: Bringing, _ completion: @escaping @Sendable (Result<LoadedData, ImageError>) -> Void) {
        current = Mutex(.normal)
        task = Task {
            do {
                let loaded = try await bringing.bring()
                completion(Task.isCancelled ? .failure(.cancelled(.load)) : .success(loaded))
            } catch {
                completion(.failure(Self.failure(error)))
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
        return ImageError(.loaderFailed, .load, "the request's closure failed: \(error)", underlying: error)
    }
}
