public import WebImageFoundation

/// Changes what a download sends, or refuses to send it.
///
/// Two modifiers are equal when one is a copy of the other: loads that bring the same one can share.
public struct RequestModifier: Sendable, Hashable {
    private let identity = Identity()
    let body: Body

    enum Body: Sendable {
        case sync(@Sendable (HTTPRequest) -> HTTPRequest?)
        case async(@Sendable (HTTPRequest) async -> HTTPRequest?)
    }

    /// - Parameter body: Called once for each load, on the thread that starts it, before the load looks for others to
    ///   share with. `nil` ends the load with `invalidDownloadOperation`.
    public init(_ body: @escaping @Sendable (HTTPRequest) -> HTTPRequest?) {
        self.body = .sync(body)
    }

    /// The same for what takes time, such as fetching a token: the load waits without holding a place in the queue.
    public init(async body: @escaping @Sendable (HTTPRequest) async -> HTTPRequest?) {
        self.body = .async(body)
    }

    /// Sets method and body, and header fields beside those that are there; a field of the same name is replaced.
    public init(method: String = "GET", headers: HTTPHeaders = HTTPHeaders(), body: Data? = nil) {
        self.init { request in
            var request = request
            request.method = method
            request.body = body
            request.headers.replace(with: headers)
            return request
        }
    }

    /// Whether one is a copy of the other.
    public static func == (first: RequestModifier, second: RequestModifier) -> Bool {
        first.identity == second.identity
    }

    /// Feeds a hash of which modifier it is.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
    }
}
