public import WebImageFoundation

/// Makes the base of the cache key of a URL, for example without a token that changes with every visit.
public struct CacheKeyFilter: Sendable {
    private let body: @Sendable (URL) -> String

    /// - Parameter body: Called on the thread that starts the load; the same URL must give the same key.
    public init(_ body: @escaping @Sendable (URL) -> String) {
        self.body = body
    }

    /// The base of the URL's key.
    public func key(for url: URL) -> String {
        body(url)
    }
}
