import Synchronization
public import WebImageFoundation

/// The loaders in use. The last one added is asked first; a URL that none takes is the error `noLoader`.
public final class LoadersManager: ImageLoader {
    private let registered: Mutex<[any ImageLoader]>

    /// A manager of loaders, of which the last is asked first.
    public init(_ loaders: [any ImageLoader] = []) {
        registered = Mutex(loaders)
    }

    /// In the order in which they were added.
    public var loaders: [any ImageLoader] { registered.withLock { $0 } }

    /// Adds a loader that is asked before all present ones.
    public func add(_ loader: any ImageLoader) {
        registered.withLock { $0.append(loader) }
    }

    /// Removes a loader.
    public func remove(_ loader: any ImageLoader) {
        registered.withLock { $0.removeAll { $0 === loader } }
    }

    /// Whether any loader takes the URL.
    public func canLoad(_ url: URL) -> Bool {
        loader(for: url) != nil
    }

    /// Asks the loader that takes the URL; `noLoader` when none does.
    public func load(
        _ request: ImageRequest, progress: @escaping @Sendable (LoadProgress) -> Void,
        completion: @escaping @Sendable (Result<LoadedData, ImageError>) -> Void
    ) -> any ImageOperation {
        guard let url = request.url, let loader = loader(for: url) else {
            completion(.failure(.noLoader(for: request.url)))
            return CurrentOperation()
        }
        return loader.load(request, progress: progress, completion: completion)
    }

    /// Asks the loader that takes the URL; `false` when none does.
    public func shouldBlockFailedURL(_ url: URL, error: ImageError) -> Bool {
        loader(for: url)?.shouldBlockFailedURL(url, error: error) ?? false
    }

    /// Asks the loader that takes the URL.
    public func headers(for request: ImageRequest) -> HTTPHeaders {
        request.url.flatMap(loader(for:))?.headers(for: request) ?? request.context.headers
    }

    private func loader(for url: URL) -> (any ImageLoader)? {
        loaders.last { $0.canLoad(url) }
    }
}

extension ImageError {
    static func noLoader(for url: URL?) -> ImageError {
        guard let url else { return ImageError(.invalidURL, .request, "there is no URL") }
        let scheme = url.scheme.map { "the scheme \"\($0)\"" } ?? "a URL without a scheme"
        return ImageError(.noLoader, .load, "no loader takes \(scheme); use http, https, file or data, or add a loader")
    }
}
