/// Keeps a host that does not answer from holding up everything else: after so many failures in a row it is left alone
/// for a while, then tried by one download, and by all again once that succeeded.
///
/// Only the network's failures and the statuses 429, 502, 503 and 504 count; whatever else a server answers shows that
/// it lives. Meanwhile downloads fail at once with `hostUnavailable`, which never blocks a URL.
public struct CircuitBreaker: Sendable, Hashable {
    /// How many failures in a row open the circuit. Default 5; at least 1.
    public var failureThreshold: Int
    /// Seconds that the host is left alone. Default 30.
    public var openDuration: Double

    /// A breaker with the defaults for what is not given.
    public init(failureThreshold: Int = 5, openDuration: Double = 30) {
        self.failureThreshold = failureThreshold
        self.openDuration = openDuration
    }

    /// Whether a failure speaks against the host.
    static func counts(_ error: ImageError) -> Bool {
        switch error.code {
        case .cannotFindHost, .cannotConnect, .timedOut, .connectionLost, .secureConnectionFailed: true
        case .invalidDownloadStatusCode: [429, 502, 503, 504].contains(error.statusCode)
        default: false
        }
    }
}

/// What is known of how hosts behave. A value: it decides, the downloader acts. Times are durations since some start.
struct HostHealth {
    /// What an exchange with a host may do.
    enum Permit: Equatable {
        case go
        /// The host asked to be left alone for so long.
        case wait(Duration)
        /// The host does not answer; it is tried again in so long.
        case refuse(Duration)
    }

    private struct Host {
        var failureCount = 0
        /// Until when its circuit is open.
        var openUntil: Duration?
        /// Whether one download is out to see whether it lives again.
        var isProbed = false
        /// Until when it asked to be left alone.
        var pausedUntil: Duration?
    }

    private var hosts: [Origin: Host] = [:]
    /// More hosts than this are not kept in mind.
    static let maxHostCount = 1000

    /// How many hosts something is known of.
    var hostCount: Int { hosts.count }

    /// Whether an exchange may begin; one that may go must be ended by `note`.
    mutating func permit(_ origin: Origin, _ breaker: CircuitBreaker?, at now: Duration) -> Permit {
        guard var host = hosts[origin] else { return .go }
        if breaker != nil, let openUntil = host.openUntil {
            guard now >= openUntil, !host.isProbed else { return .refuse(max(openUntil - now, .zero)) }
            host.isProbed = true
            hosts[origin] = host
            return .go
        }
        if let pausedUntil = host.pausedUntil, now < pausedUntil { return .wait(pausedUntil - now) }
        return .go
    }

    /// What an exchange that was let go tells of its host.
    enum News {
        /// It answers.
        case lives
        case failed(ImageError)
        /// Nothing, as when it was cancelled.
        case nothing

        var error: ImageError? {
            guard case .failed(let error) = self else { return nil }
            return error
        }
    }

    /// Notes how an exchange ended.
    ///
    /// - Parameter pause: How long the host asked to be left alone.
    mutating func note(
        _ news: News, of origin: Origin, _ breaker: CircuitBreaker?, pause: Duration?, at now: Duration
    ) {
        // Mostly nothing is known of any.
        if hosts.isEmpty, news.error == nil { return }
        switch news {
        case .lives: hosts[origin] = nil
        case .nothing: hosts[origin]?.isProbed = false
        case .failed: noteFailure(origin, breaker, pause: pause, at: now)
        }
    }

    private mutating func noteFailure(
        _ origin: Origin, _ breaker: CircuitBreaker?, pause: Duration?, at now: Duration
    ) {
        if hosts.count >= Self.maxHostCount, hosts[origin] == nil { hosts.removeAll() }
        var host = hosts[origin] ?? Host()
        host.isProbed = false
        host.failureCount = min(host.failureCount + 1, 1 << 30)
        if let pause { host.pausedUntil = max(host.pausedUntil ?? .zero, now + pause) }
        if let breaker, host.failureCount >= max(1, breaker.failureThreshold) {
            let seconds = breaker.openDuration
            host.openUntil = now + max(.seconds(min(max(seconds.isNaN ? 0 : seconds, 0), 1e9)), pause ?? .zero)
        }
        hosts[origin] = host
    }
}
