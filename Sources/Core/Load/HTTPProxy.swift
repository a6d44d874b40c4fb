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

extension HTTPProxy {
    /// Whether a host is one of the exceptions: named as it is, the domain that it lies in, or `*`.
    package func reachesStraight(_ host: String) -> Bool {
        guard case .url(_, let exceptions) = self else { return true }
        let host = Self.name(host)
        return exceptions.contains { exception in
            let name = Self.name(exception)
            return name == "*" || (!name.isEmpty && (host == name || host.hasSuffix("." + name)))
        }
    }

    /// In lower case, without brackets, and without a dot at either end.
    private static func name(_ host: String) -> String {
        var name = host.lowercased()[...]
        if name.hasPrefix("[") { name = name.dropFirst() }
        if name.hasSuffix("]") { name = name.dropLast() }
        if name.hasPrefix(".") { name = name.dropFirst() }
        if name.hasSuffix(".") { name = name.dropLast() }
        return String(name)
    }
}
