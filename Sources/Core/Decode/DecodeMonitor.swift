/// Ends a decode or an encode that nobody waits for any more, or that takes too long.
///
/// A coder asks between rows, scans and frames; `DecodingSink` does so for it with every few rows.
public struct DecodeMonitor: Sendable {
    private let deadline: ContinuousClock.Instant?
    private let limit: Double
    private let isCancelled: @Sendable () -> Bool
    private var stage = LoadStage.decode

    /// - Parameters:
    ///   - limits: Whose `maxSeconds` count from now on; values that are not positive and finite set no limit.
    ///   - isCancelled: Whether the caller has gone. Called often, on the decoding thread; must be quick.
    public init(limits: DecodeLimits, isCancelled: @escaping @Sendable () -> Bool = { false }) {
        limit = limits.maxSeconds
        deadline = limit > 0 && limit.isFinite ? ContinuousClock.now + .seconds(min(limit, 1e9)) : nil
        self.isCancelled = isCancelled
    }

    /// Sets no limit of time.
    ///
    /// - Parameter isCancelled: As of the other.
    public init(isCancelled: @escaping @Sendable () -> Bool = { false }) {
        limit = .infinity
        deadline = nil
        self.isCancelled = isCancelled
    }

    /// Throws `cancelled` when the caller has gone, and `limitExceeded` when the time is up.
    public func check() throws(ImageError) {
        if isCancelled() { throw .cancelled(stage) }
        guard let deadline, ContinuousClock.now >= deadline else { return }
        let work = stage == .decode ? "decoding" : "encoding"
        throw ImageError(
            .limitExceeded, stage,
            "\(work) took longer than the limit of \(limit) seconds; raise DecodeLimits.maxSeconds")
    }

    /// The same, whose errors are those of an encode.
    package var forEncoding: DecodeMonitor {
        var monitor = self
        monitor.stage = .store
        return monitor
    }
}
