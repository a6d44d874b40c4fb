extension FrameDuration {
    /// How long a frame is shown whose stored delay is known exactly.
    package static func played(_ stored: Duration) -> Duration {
        stored <= .milliseconds(10) ? .milliseconds(100) : stored
    }

    /// How long a frame is shown whose delay is stored in ticks of a clock; nothing is lost to milliseconds.
    package static func played(ticks: Double, perSecond: Double) -> Duration {
        let microseconds = microseconds(ticks, perSecond)
        return microseconds <= 10_000 ? .milliseconds(100) : .microseconds(microseconds)
    }

    /// The stored delay in milliseconds, rounded to nearest.
    package static func milliseconds(ticks: Double, perSecond: Double) -> Int {
        (microseconds(ticks, perSecond) + 500) / 1000
    }

    /// At most a year; what cannot be computed is 0.
    private static func microseconds(_ ticks: Double, _ perSecond: Double) -> Int {
        let seconds = ticks / perSecond
        guard seconds.isFinite, seconds > 0 else { return 0 }
        return Int((min(seconds, 31_536_000) * 1e6).rounded())
    }
}
