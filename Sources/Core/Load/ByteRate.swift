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
        if let longest = settings.maxDuration, start.duration(to: now) > longest {
            return .takesTooLong(limit: settings.configuration.maxDownloadDuration)
        }
        byteCount += count
        guard let window = settings.slowTransferWindow, let mark else { return nil }
        let elapsed = mark.duration(to: now)
        guard elapsed >= window else { return nil }
        let rate = settings.configuration.minimumByteRate
        guard Double(byteCount) >= Double(rate) * (elapsed / .seconds(1)) else {
            return .tooSlow(rate, settings.configuration.slowTransferDuration)
        }
        begin(at: now)
        return nil
    }
}
