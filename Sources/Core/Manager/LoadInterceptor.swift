/// Stands around the whole path of every load of a manager: watches it, changes its request, answers in its place, or
/// tries it again. Loads of bytes alone (`ImageManager.data(for:)`) have none around them.
public protocol LoadInterceptor: Sendable {
    /// Brings the picture: mostly by `chain.proceed`, before and after which it does its own; or a `LoadResult` of its
    /// own, for which nobody else is asked.
    ///
    /// Called on Swift's cooperative pool; the task is cancelled when the load is. A manager that has interceptors
    /// answers no load before the call that asks returns, since each of them has its say first.
    ///
    /// - Throws: What the load is to fail with.
    func intercept(_ chain: LoadChain) async throws(ImageError) -> LoadResult
}

/// The rest of the way of a load, as an interceptor sees it.
public struct LoadChain: Sendable {
    /// What is to be loaded, after the interceptors before this one.
    public let request: ImageRequest
    private let rest: @Sendable (ImageRequest) async throws(ImageError) -> LoadResult

    init(
        request: ImageRequest, rest: @escaping @Sendable (ImageRequest) async throws(ImageError) -> LoadResult
    ) {
        self.request = request
        self.rest = rest
    }

    /// Goes on with the request, or with another one.
    ///
    /// May be called again to try again. A URL that failed for good, as with 404, is blocked from then on: such a one
    /// is tried again by a request with `retryFailed`.
    public func proceed(with request: ImageRequest? = nil) async throws(ImageError) -> LoadResult {
        try await rest(request ?? self.request)
    }

    /// The chain of interceptors before the path itself.
    static func make(
        _ interceptors: ArraySlice<any LoadInterceptor>, _ request: ImageRequest,
        path: @escaping @Sendable (ImageRequest) async throws(ImageError) -> LoadResult
    ) -> LoadChain {
        guard let first = interceptors.first else { return LoadChain(request: request, rest: path) }
        let others = interceptors.dropFirst()
        return LoadChain(request: request) { request async throws(ImageError) in
            let chain = make(others, request, path: path)
            return try await first.intercept(chain)
        }
    }
}
