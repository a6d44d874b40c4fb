/// How fast a body comes, compared with what is asked of it.
///
/// A value; time is handed in.
struct ByteRate {
    private var mark: ContinuousClock.Instant?
    private var byteCount = 0

    /// Counts from now on: the body begins, or the server was held back and is let go.
    mutating func begin(at now: ContinuousClock.Instant) {
        mark = now
        byteCount = 0
    }

    /// The error when it comes too slowly, or has taken too long in all.
    mutating func add(
        _ count: Int, _ settings: DownloadSettings, from start: ContinuousClock.Instant,
        at now: ContinuousClock.Instant
    ) -> ImageError? {
        let limit = settings.configuration.maxDownloadDuration
        if limit > 0, start.duration(to: now) > .seconds(min(limit, 1e9)) { return .takesTooLong(limit: limit) }
        byteCount += count
        let (rate, window) = (settings.configuration.minimumByteRate, settings.configuration.slowTransferDuration)
        guard rate > 0, window > 0, let mark else { return nil }
        let elapsed = mark.duration(to: now) / .seconds(1)
        guard elapsed >= window else { return nil }
        guard Double(byteCount) >= Double(rate) * elapsed else { return .tooSlow(rate, window) }
        begin(at: now)
        return nil
    }
}
