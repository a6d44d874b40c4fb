/// How an answer stands at a moment, by the server's own word (RFC 9111, 4.2).
struct HTTPFreshness: Sendable, Hashable {
    /// Seconds from the server's making of it until it is stale.
    let lifetime: Int64
    /// Seconds since the server made it.
    let age: Int64
    private let control: CacheControl

    /// - Parameter storedAt: When the answer was stored, for one that nothing else is known of.
    init(_ validators: DiskMetadata.Validators, storedAt: WallTime? = nil, at now: WallTime) {
        control = CacheControl(validators.cacheControl)
        guard let received = (validators.receivedAt ?? storedAt)?.seconds, now.seconds >= Self.minus(received, 60)
        else {
            // Nobody knows when it came; or the clock was set back, and would let it live for ever.
            lifetime = 0
            age = .max
            return
        }
        let date = validators.date.flatMap(HTTPDate.parse)?.seconds ?? received
        lifetime = Self.lifetime(control, validators, date: date)
        let told = validators.age.map { CacheControl.seconds($0) ?? CacheControl.mostSeconds } ?? 0
        let delay = validators.requestedAt.map { max(0, Self.minus(received, $0.seconds)) } ?? 0
        let initial = max(max(0, Self.minus(received, date)), Self.plus(told, delay))
        age = Self.plus(initial, max(0, Self.minus(now.seconds, received)))
    }

    /// Whether it may be used without a word to the server.
    var isFresh: Bool { !control.isNoCache && !control.isNoStore && age < lifetime }

    /// Whether it is fresh, and as fresh as a request wants it.
    func isFresh(for request: RequestCacheControl) -> Bool {
        guard isFresh else { return false }
        return !request.isNoCache && age <= request.maxAge ?? .max && Self.minus(lifetime, age) >= request.minFresh
    }

    /// Whether it is fresh and the server says that it will not change meanwhile.
    var isImmutable: Bool { isFresh && control.isImmutable }

    /// Whether it may be used while the server is asked.
    var isUsableWhileRevalidating: Bool { mayBeStale(for: control.staleWhileRevalidate) }

    /// Whether it may be used when the server cannot be asked.
    var isUsableOnError: Bool { mayBeStale(for: control.staleIfError) }

    private func mayBeStale(for seconds: Int64) -> Bool {
        guard seconds > 0, !control.isNoCache, !control.isNoStore, !control.mustRevalidate else { return false }
        return age < Self.plus(lifetime, seconds)
    }

    private static func lifetime(
        _ control: CacheControl, _ validators: DiskMetadata.Validators, date: Int64
    ) -> Int64 {
        if let maxAge = control.maxAge { return maxAge }
        if let expires = validators.expires {
            // `Expires: 0` and the like mean that it has expired.
            return HTTPDate.parse(expires).map { max(0, minus($0.seconds, date)) } ?? 0
        }
        guard let modified = validators.lastModified.flatMap(HTTPDate.parse)?.seconds else { return 0 }
        // The heuristic that the specification names: a tenth of the time since the last change; and no longer than a
        // day, after which it would want a warning.
        return min(max(0, minus(date, modified)) / 10, 24 * 60 * 60)
    }

    private static func plus(_ first: Int64, _ second: Int64) -> Int64 {
        let (sum, overflows) = first.addingReportingOverflow(second)
        return overflows ? (second > 0 ? .max : .min) : sum
    }

    private static func minus(_ first: Int64, _ second: Int64) -> Int64 {
        let (difference, overflows) = first.subtractingReportingOverflow(second)
        return overflows ? (second < 0 ? .max : .min) : difference
    }
}
