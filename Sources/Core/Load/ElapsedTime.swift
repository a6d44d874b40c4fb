/// Any clock, as the time since it was taken up.
struct ElapsedTime: Sendable {
    private let elapsed: @Sendable () -> Duration
    private let clock: any Clock<Duration>

    init(_ clock: any Clock<Duration>) {
        self.clock = clock
        elapsed = Self.elapsed(clock)
    }

    /// Since the beginning.
    var now: Duration { elapsed() }

    /// Returns after so long; throws when the task is cancelled.
    func sleep(for duration: Duration) async throws {
        try await clock.sleep(for: duration)
    }

    private static func elapsed<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
