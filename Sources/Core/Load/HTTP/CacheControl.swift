/// What `Cache-Control` of an answer says to a private cache (RFC 9111, 5.2.2; RFC 5861; RFC 8246).
///
/// Where a text contradicts itself or makes no sense, it is read as the stricter: less is kept, and for less long.
struct CacheControl: Sendable, Hashable {
    /// Seconds that the answer is fresh from the time the server made it.
    private(set) var maxAge: Int64?
    /// Seconds after that in which it may be used while the server is asked.
    private(set) var staleWhileRevalidate: Int64 = 0
    /// Seconds after that in which it may be used when the server cannot be asked.
    private(set) var staleIfError: Int64 = 0
    /// Must not come to lie on disk.
    private(set) var isNoStore = false
    /// Must not be used before the server was asked.
    private(set) var isNoCache = false
    /// Must not be used once it is no longer fresh.
    private(set) var mustRevalidate = false
    /// Will not change as long as it is fresh: asking then is a waste.
    private(set) var isImmutable = false

    init(_ text: String?) {
        for (name, value) in Self.directives(text ?? "") { note(name, value) }
    }

    private mutating func note(_ name: String, _ value: String?) {
        switch name {
        case "max-age":
            let seconds = Self.seconds(value) ?? 0
            maxAge = min(maxAge ?? seconds, seconds)
        case "stale-while-revalidate": staleWhileRevalidate = Self.seconds(value) ?? 0
        case "stale-if-error": staleIfError = Self.seconds(value) ?? 0
        case "no-store": isNoStore = true
        // With field names it speaks of these alone; a cache may take it for the whole.
        case "no-cache": isNoCache = true
        case "must-revalidate": mustRevalidate = true
        case "immutable": isImmutable = true
        // `private` and `public`: this is a private cache. `s-maxage`, `proxy-revalidate`: it is no shared one.
        default: break
        }
    }

    /// As many seconds as are told from more; the specification's own bound.
    static let mostSeconds: Int64 = 1 << 31

    /// A number of seconds; `nil` for anything else.
    static func seconds(_ value: String?) -> Int64? {
        guard let value, !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return min(Int64(value) ?? mostSeconds, mostSeconds)
    }

    /// Names in lower case, and values without quotes.
    fileprivate static func directives(_ text: String) -> [(name: String, value: String?)] {
        HTTPList.elements(text).map { element in
            let parts = element.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = HTTPList.trimmed(parts[0]).lowercased()
            guard parts.count == 2 else { return (name, nil) }
            return (name, HTTPList.unquoted(HTTPList.trimmed(parts[1])))
        }
    }
}

/// What `Cache-Control` of a request asks of a cache (RFC 9111, 5.2.1). `max-stale` only permits, and is not looked at.
struct RequestCacheControl: Sendable, Hashable {
    /// The most seconds since the server made it that an answer may be old.
    private(set) var maxAge: Int64?
    /// The least seconds that it must be fresh still.
    private(set) var minFresh: Int64 = 0
    /// The server is to be asked.
    private(set) var isNoCache = false
    /// The answer must not be kept.
    private(set) var isNoStore = false

    init(_ headers: HTTPHeaders) {
        guard let text = headers.list("Cache-Control") else { return }
        for (name, value) in CacheControl.directives(text) {
            switch name {
            case "no-cache": isNoCache = true
            case "no-store": isNoStore = true
            case "max-age": maxAge = min(maxAge ?? .max, CacheControl.seconds(value) ?? 0)
            case "min-fresh": minFresh = max(minFresh, CacheControl.seconds(value) ?? CacheControl.mostSeconds)
            default: break
            }
        }
    }

    /// Whether it asks for more than an answer that is fresh by the server's word.
    var isDemanding: Bool { isNoCache || maxAge != nil || minFresh > 0 }
}
