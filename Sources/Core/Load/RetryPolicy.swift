/// When and how often a download that failed is tried again by itself.
///
/// A value; only downloads by GET and HEAD without a body are ever repeated. What arrived already is kept where the
/// server lets it be continued; see `DownloaderConfiguration.resumeStore`.
public struct RetryPolicy: Sendable {
    /// How often one download is tried again. Default 0: never.
    public var maxRetryCount: Int
    /// Seconds until the first repetition; each one after it waits twice as long. Default 0.5.
    public var baseDelay: Double
    /// The most seconds between two tries, where the server does not ask for more. Default 30.
    public var maxDelay: Double
    /// The share of a wait, 0…1, that is left to chance, so that many who failed together do not come back together.
    /// Default 0.5: between half and the whole of the wait.
    public var jitter: Double
    /// The most seconds that a server may ask to wait (`Retry-After`). Default 60; one that asks for more is not asked
    /// again.
    public var maxRetryAfter: Double
    /// Which failures are worth another try. Default `RetryPolicy.isPassing`.
    public var shouldRetry: @Sendable (ImageError) -> Bool
    /// Chance, 0…1. Default the system's.
    public var random: @Sendable () -> Double

    /// Tries again so often, with the defaults for all else.
    public init(maxRetryCount: Int = 0) {
        self.maxRetryCount = maxRetryCount
        baseDelay = 0.5
        maxDelay = 30
        jitter = 0.5
        maxRetryAfter = 60
        shouldRetry = Self.isPassing
        random = { Double.random(in: 0...1) }
    }

    /// Never tries again.
    public static let never = RetryPolicy()

    /// Whether a failure may pass by itself: the network's, and the statuses 408, 429, 500, 502, 503 and 504.
    public static func isPassing(_ error: ImageError) -> Bool {
        switch error.code {
        case .cannotFindHost, .cannotConnect, .timedOut, .connectionLost, .truncatedBody, .transportFailed,
            .digestMismatch:
            true
        case .invalidDownloadStatusCode: [408, 429, 500, 502, 503, 504].contains(error.statusCode)
        default: false
        }
    }

    /// How long to wait before another try; `nil` when there is to be none.
    ///
    /// - Parameter retryCount: How often it has been tried again already.
    func delay(
        after error: ImageError, of request: HTTPRequest, retryCount: Int, retryAfter: Duration?
    ) -> Duration? {
        guard retryCount < maxRetryCount, ["GET", "HEAD"].contains(request.method), request.body == nil,
            shouldRetry(error)
        else { return nil }
        if let retryAfter, retryAfter > longestPause { return nil }
        let whole = min(Self.sane(baseDelay) * Double(1 << min(retryCount, 30)), Self.sane(maxDelay))
        let chance = min(Self.sane(jitter), 1) * min(Self.sane(random()), 1)
        return max(.seconds(whole * (1 - chance)), retryAfter ?? .zero)
    }

    /// `maxRetryAfter`.
    var longestPause: Duration { .seconds(Self.sane(maxRetryAfter)) }

    /// Seconds that a `Duration` can be made of.
    private static func sane(_ seconds: Double) -> Double { min(max(seconds.isNaN ? 0 : seconds, 0), 1e9) }
}

/// `Retry-After` (RFC 9110, 10.2.3).
enum RetryAfter {
    /// How long the server asks to wait, by seconds or by date; `nil` where it does not, or makes no sense.
    static func duration(_ headers: HTTPHeaders, at now: WallTime) -> Duration? {
        guard let text = headers["Retry-After"] else { return nil }
        if let seconds = CacheControl.seconds(text) { return .seconds(seconds) }
        guard let date = HTTPDate.parse(text) else { return nil }
        let (wait, overflows) = date.seconds.subtractingReportingOverflow(now.seconds)
        return overflows ? nil : .seconds(min(max(wait, 0), CacheControl.mostSeconds))
    }
}
