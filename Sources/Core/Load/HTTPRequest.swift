public import WebImageFoundation

/// What goes on the wire, or is compared to tell whether two loads may share one download.
public struct HTTPRequest: Sendable, Hashable {
    /// Where to; its fragment is not sent.
    public var url: URL
    /// Upper case, such as `GET`.
    public var method: String
    /// What is sent beside what the transport adds itself, such as `Host`.
    public var headers: HTTPHeaders
    /// Seconds without a byte received until the transfer fails with `timedOut`. Time in a queue does not count.
    public var timeout: Double
    /// `nil` where all of it is as by default, so that equal requests are equal.
    private var extras: Extras?

    /// What hardly any request has. Apart, for every step of a download has the request.
    private struct Choices: Hashable, Sendable {
        var body: Data?
        var allowsInvalidCertificate = false
        var cookieJar: CookieJar?
        var clientCertificate: ClientCertificate?
        var proxy = HTTPProxy.environment
        var addressPolicy = AddressPolicy.any
    }

    private final class Extras: Sendable, Hashable {
        let choices: Choices

        init(_ choices: Choices) {
            self.choices = choices
        }

        static func == (first: Extras, second: Extras) -> Bool {
            first === second || first.choices == second.choices
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(choices)
        }
    }

    /// A request; by default a plain GET.
    public init(
        url: URL, method: String = "GET", headers: HTTPHeaders = HTTPHeaders(), body: Data? = nil,
        timeout: Double = 15, allowsInvalidCertificate: Bool = false
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.timeout = timeout
        self.body = body
        self.allowsInvalidCertificate = allowsInvalidCertificate
    }

    /// Whether nothing but URL, header fields and timeout tells it from any other.
    package var isPlain: Bool { extras == nil && method == "GET" }

    private mutating func choose(_ change: (inout Choices) -> Void) {
        var choices = extras?.choices ?? Choices()
        change(&choices)
        extras = choices == Choices() ? nil : Extras(choices)
    }
}

extension HTTPRequest {
    /// What is sent after the head; `nil` sends nothing.
    public var body: Data? {
        get { extras?.choices.body }
        set { if newValue != body { choose { $0.body = newValue } } }
    }

    /// Whether a server whose certificate cannot be verified is accepted, for this request only. Default `false`.
    public var allowsInvalidCertificate: Bool {
        get { extras?.choices.allowsInvalidCertificate ?? false }
        set { if newValue != allowsInvalidCertificate { choose { $0.allowsInvalidCertificate = newValue } } }
    }

    /// The cookies to send and to keep; `nil` sends and keeps none.
    public var cookieJar: CookieJar? {
        get { extras?.choices.cookieJar }
        set { if newValue != cookieJar { choose { $0.cookieJar = newValue } } }
    }

    /// What tells a server who asks, where it wants a certificate for that.
    public var clientCertificate: ClientCertificate? {
        get { extras?.choices.clientCertificate }
        set { if newValue != clientCertificate { choose { $0.clientCertificate = newValue } } }
    }

    /// The way to the server. Default as the environment says.
    public var proxy: HTTPProxy {
        get { extras?.choices.proxy ?? .environment }
        set { if newValue != proxy { choose { $0.proxy = newValue } } }
    }

    /// Which addresses may be connected to. Default any.
    public var addressPolicy: AddressPolicy {
        get { extras?.choices.addressPolicy ?? .any }
        set { if newValue != addressPolicy { choose { $0.addressPolicy = newValue } } }
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
