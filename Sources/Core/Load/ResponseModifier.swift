/// Changes the head of a server's answer before it is judged, or refuses it.
///
/// Redirects and questions for credentials are answered before; the modifier sees what is left. Two modifiers are equal
/// when one is a copy of the other: loads that bring the same one can share.
public struct ResponseModifier: Sendable, Hashable {
    private let identity = Identity()
    let body: Body

    enum Body: Sendable {
        case sync(@Sendable (HTTPResponse) -> HTTPResponse?)
        case async(@Sendable (HTTPResponse) async -> HTTPResponse?)
    }

    /// - Parameter body: Called once for each download, on a thread of the transport: it must return soon. `nil` ends
    ///   the download with `invalidDownloadResponse`.
    public init(_ body: @escaping @Sendable (HTTPResponse) -> HTTPResponse?) {
        self.body = .sync(body)
    }

    /// The same for what takes time. The body arrives meanwhile, within its limit, and is judged afterwards.
    public init(async body: @escaping @Sendable (HTTPResponse) async -> HTTPResponse?) {
        self.body = .async(body)
    }

    /// Sets the status, and header fields beside those that are there; a field of the same name is replaced.
    public init(statusCode: Int = 200, headers: HTTPHeaders = HTTPHeaders()) {
        self.init { response in
            var response = response
            response.statusCode = statusCode
            response.headers.replace(with: headers)
            return response
        }
    }

    /// Whether one is a copy of the other.
    public static func == (first: ResponseModifier, second: ResponseModifier) -> Bool {
        first.identity == second.identity
    }

    /// Feeds a hash of which modifier it is.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
    }
}
