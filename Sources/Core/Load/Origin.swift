public import WebImageFoundation

/// Scheme, host and port: whom a secret is meant for (RFC 6454).
public struct Origin: Hashable, Sendable {
    /// Lower case.
    public let scheme: String
    /// Lower case; an IPv6 address without its brackets.
    public let host: String
    /// The scheme's own where the URL names none.
    public let port: Int

    /// The origin of a URL.
    public init(_ url: URL) {
        scheme = url.scheme?.lowercased() ?? ""
        host = url.host?.lowercased() ?? ""
        port = url.port ?? (scheme == "https" ? 443 : 80)
    }

    /// `https://host:443`.
    var text: String { "\(scheme)://\(host):\(port)" }
}

extension URL {
    /// The URL as it may be shown and logged: without user name and password.
    package var withoutCredentials: String {
        guard user != nil || password != nil, var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else {
            return absoluteString
        }
        parts.user = nil
        parts.password = nil
        return parts.string ?? "a URL with credentials"
    }
}
