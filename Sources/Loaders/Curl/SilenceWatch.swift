/// Finds the exchanges whose server says nothing for too long.
///
/// libcurl's own low-speed limit knows whole seconds only; so all exchanges are looked over ten times a second, while
/// there are any.
struct SilenceWatch {
    static let tickMilliseconds: Int32 = 100

    private var last = SuspendingClock.now

    /// The time since the last look, when it is time for another.
    ///
    /// A look that comes late counts two ticks at most: the thread was held up, by a slow receiver or a stopped
    /// process, and did not listen; that is no silence of the server's.
    mutating func tick() -> Duration? {
        let now = SuspendingClock.now
        let elapsed = last.duration(to: now)
        let tick = Duration.milliseconds(Self.tickMilliseconds)
        guard elapsed >= tick else { return nil }
        last = now
        return min(elapsed, tick * 2)
    }

    func silent(among transfers: [CurlTransfer], elapsed: Duration) -> [CurlTransfer] {
        transfers.filter { $0.isSilent(for: elapsed) }
    }
}
