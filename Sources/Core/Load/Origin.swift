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
        if let plain = Origin(plain: url.absoluteString) {
            self = plain
        } else {
            self.init(
                scheme: url.scheme?.lowercased() ?? "", host: url.host?.lowercased() ?? "", port: url.port)
        }
    }

    private init(scheme: String, host: String, port: Int?) {
        self.scheme = scheme
        self.host = host
        self.port = port ?? (scheme == "https" ? 443 : 80)
    }

    /// Whether it is of a kind that a downloader asks.
    var isWeb: Bool { scheme == "http" || scheme == "https" }

    /// `https://host:443`.
    var text: String {
        var text = scheme
        text.reserveCapacity(host.utf8.count + 16)
        text += "://"
        text += host
        text += ":"
        text += String(port)
        return text
    }
}

extension Origin {
    /// Reads what nearly all URLs look like, for to ask a `URL` for its parts takes ten times as long: http or https,
    /// no user, a host of small letters, digits, dots and hyphens, perhaps a port. `nil` for any other.
    package init?(plain text: String) {
        var text = text
        guard let origin = text.withUTF8({ unsafe Self.read($0) }) else { return nil }
        self = origin
    }

    private static func read(_ text: UnsafeBufferPointer<UInt8>) -> Origin? {
        guard let isSecure = unsafe Self.isSecure(text) else { return nil }
        let start = isSecure ? 8 : 7
        var end = start
        while end < text.count, unsafe isPlainInHost(text[end]) { end += 1 }
        guard end > start else { return nil }
        let host = unsafe UnsafeBufferPointer(rebasing: text[start..<end])
        guard let port = unsafe Self.port(UnsafeBufferPointer(rebasing: text[end...])) else { return nil }
        return unsafe Origin(
            scheme: isSecure ? "https" : "http", host: String(decoding: host, as: UTF8.self), port: port)
    }

    /// Whether a text begins as URLs of https do; `nil` when neither so nor as those of http.
    private static func isSecure(_ text: UnsafeBufferPointer<UInt8>) -> Bool? {
        if unsafe text.starts(with: "http://".utf8) { return false }
        return unsafe text.starts(with: "https://".utf8) ? true : nil
    }

    private static func isPlainInHost(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x30...0x39, 0x2E, 0x2D: true
        default: false
        }
    }

    /// The port that stands before the path: `.some(nil)` where there is none, `nil` where this cannot tell.
    private static func port(_ rest: UnsafeBufferPointer<UInt8>) -> Int?? {
        guard let first = unsafe rest.first, !endsAuthority(first) else { return .some(nil) }
        guard first == UInt8(ascii: ":") else { return nil }
        var (port, place) = (0, 1)
        while place < rest.count, unsafe !endsAuthority(rest[place]) {
            let byte = unsafe rest[place]
            guard (0x30...0x39).contains(byte), place <= 5 else { return nil }
            port = port * 10 + Int(byte - 0x30)
            place += 1
        }
        return place > 1 && port <= 65535 ? .some(port) : nil
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }
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
