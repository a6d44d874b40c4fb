import Synchronization

/// A clock that stands still until a test moves it.
///
/// Any thread. `advance(by:)` wakes those whose time has come, the earliest first, those of one time in the order in
/// which they fell asleep; which of them the system then runs first is its own affair.
public final class ManualClock: Clock {
    /// A time of the clock: how far it is from the clock's start.
    public struct Instant: InstantProtocol {
        /// From the clock's start; negative before it.
        public var offset: Duration

        /// The clock's start, unless told otherwise.
        public init(offset: Duration = .zero) {
            self.offset = offset
        }

        /// The time so much later, or earlier where the duration is negative.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// How long it is from this time to the other; negative when the other is earlier.
        public func duration(to other: Instant) -> Duration {
            other.offset - offset
        }

        /// Whether the first comes before the second.
        public static func < (first: Instant, second: Instant) -> Bool {
            first.offset < second.offset
        }
    }

    private typealias Sleeper = CheckedContinuation<Void, any Error>

    private struct State {
        var now = Instant()
        var nextTicket = 0
        var sleepers: [Int: (deadline: Instant, continuation: Sleeper)] = [:]
        /// Tickets whose task was cancelled before it fell asleep.
        var cancelled: Set<Int> = []
        var waiters = CountWaiters()
    }

    private let state = Mutex(State())

    /// Starts at an offset of zero.
    public init() {}

    /// The time that the clock shows.
    public var now: Instant { state.withLock { $0.now } }

    /// Zero: the clock shows every time exactly.
    public var minimumResolution: Duration { .zero }

    /// How many tasks sleep now.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Moves time forward and wakes those whose time has come before it returns. A negative duration moves nothing.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: max(duration, .zero))
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for ticket in due.keys { state.sleepers[ticket] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Sleeps until the clock shows the deadline; returns at once when it does already. Throws `CancellationError` as
    /// soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        defer { state.withLock { _ = $0.cancelled.remove(ticket) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { fallAsleep($0, ticket: ticket, deadline: deadline) }
        } onCancel: {
            cancel(ticket)
        }
    }

    /// Returns once at least so many tasks sleep at the same time.
    public func waitForSleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                guard state.sleepers.count < count else { return true }
                state.waiters.add(count) { continuation.resume() }
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    private func fallAsleep(_ continuation: Sleeper, ticket: Int, deadline: Instant) {
        let actions: [@Sendable () -> Void] = state.withLock { state in
            if state.cancelled.contains(ticket) { return [{ continuation.resume(throwing: CancellationError()) }] }
            if deadline <= state.now { return [{ continuation.resume() }] }
            state.sleepers[ticket] = (deadline, continuation)
            return state.waiters.take(reached: state.sleepers.count)
        }
        for action in actions { action() }
    }

    private func cancel(_ ticket: Int) {
        let sleeper = state.withLock { state in
            if let sleeper = state.sleepers.removeValue(forKey: ticket) { return sleeper.continuation as Sleeper? }
            state.cancelled.insert(ticket)
            return nil
        }
        sleeper?.resume(throwing: CancellationError())
    }
}
