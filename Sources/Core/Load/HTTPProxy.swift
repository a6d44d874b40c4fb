public import WebImageFoundation

/// The way to servers.
public enum HTTPProxy: Sendable, Hashable, CustomStringConvertible {
    /// As the environment says: `http_proxy`, `https_proxy`, `all_proxy`, and `no_proxy` for the exceptions.
    case environment
    /// Straight, whatever the environment says.
    case none
    /// Through this one: `http`, `https`, `socks4`, `socks5` or `socks5h` with host and port, perhaps with user name
    /// and password. Hosts in the second value, such as `localhost` or `.example.org`, are reached straight.
    case url(URL, except: [String])

    /// Without user name and password.
    public var description: String {
        switch self {
        case .environment: "the environment's proxy"
        case .none: "no proxy"
        case .url(let url, _): "the proxy \(url.withoutCredentials)"
        }
    }
}
