public import WebImageFoundation

/// What goes on the wire, or is compared to tell whether two loads may share one download.
public struct HTTPRequest: Sendable, Hashable {
    /// Where to; its fragment is not sent.
    public var url: URL
    /// Upper case, such as `GET`.
    public var method: String
    /// What is sent beside what the transport adds itself, such as `Host`.
    public var headers: HTTPHeaders
    /// What is sent after the head; `nil` sends nothing.
    public var body: Data?
    /// Seconds without a byte received until the transfer fails with `timedOut`. Time in a queue does not count.
    public var timeout: Double
    /// Whether a server whose certificate cannot be verified is accepted, for this request only. Default `false`.
    public var allowsInvalidCertificate: Bool
    /// The cookies to send and to keep; `nil` sends and keeps none.
    public var cookieJar: CookieJar?
    /// What tells a server who asks, where it wants a certificate for that.
    public var clientCertificate: ClientCertificate?
    /// The way to the server. Default as the environment says.
    public var proxy: HTTPProxy
    /// Which addresses may be connected to. Default any.
    public var addressPolicy: AddressPolicy

    /// A request; by default a plain GET.
    public init(
        url: URL, method: String = "GET", headers: HTTPHeaders = HTTPHeaders(), body: Data? = nil,
        timeout: Double = 15, allowsInvalidCertificate: Bool = false
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.allowsInvalidCertificate = allowsInvalidCertificate
        proxy = .environment
        addressPolicy = .any
    }
}

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible {
    /// Method and URL, without the URL's credentials; no header, which may be a secret.
    public var description: String { "\(method) \(url.withoutCredentials)" }
    /// As `description`.
    public var debugDescription: String { description }
}

extension HTTPRequest {
    /// What stands in the request line: path and query as the URL spells them.
    var target: String {
        let text = url.absoluteString.prefix { $0 != "#" }
        guard let authority = text.firstRange(of: "://") else { return String(text) }
        let rest = text[authority.upperBound...]
        guard let start = rest.firstIndex(where: { $0 == "/" || $0 == "?" }) else { return "/" }
        return rest[start] == "?" ? "/" + rest[start...] : String(rest[start...])
    }
}
