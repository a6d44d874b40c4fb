#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A moment, to measure how long things take. A plain number: `ContinuousClock.Instant` is opaque to the compiler, and
/// whatever holds one is copied and destroyed by functions that are looked up as the program runs.
struct Moment: Sendable {
    private let nanoseconds: Int64

    static var now: Moment {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Moment(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }

    /// How many nanoseconds have passed since then; never less than none.
    var elapsed: Int64 { max(0, Self.now.nanoseconds &- nanoseconds) }
}
