#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A moment of the calendar, as seconds since 1970 in UTC.
public struct WallTime: Hashable, Sendable {
    /// Whole seconds since 1970-01-01T00:00:00Z; negative before.
    public var seconds: Int64
    /// The part of a second above `seconds`, 0…999,999,999.
    public var nanoseconds: Int32

    /// A moment; nanoseconds outside 0…999,999,999 are moved to the nearest end.
    public init(seconds: Int64, nanoseconds: Int32 = 0) {
        self.seconds = seconds
        self.nanoseconds = min(max(nanoseconds, 0), 999_999_999)
    }
}

extension WallTime: Comparable {
    /// Whether the first is earlier.
    public static func < (first: WallTime, second: WallTime) -> Bool {
        (first.seconds, first.nanoseconds) < (second.seconds, second.nanoseconds)
    }
}

extension WallTime {
    /// The moment a span of time earlier; where that cannot be told in an `Int64`, the first or last one that can.
    public func subtracting(_ duration: Duration) -> WallTime {
        let (whole, attoseconds) = duration.components
        var nanoseconds = Int64(self.nanoseconds) - attoseconds / 1_000_000_000
        var borrowed: Int64 = 0
        if nanoseconds < 0 { (nanoseconds, borrowed) = (nanoseconds + 1_000_000_000, 1) }
        if nanoseconds >= 1_000_000_000 { (nanoseconds, borrowed) = (nanoseconds - 1_000_000_000, -1) }
        let (difference, overflow) = seconds.subtractingReportingOverflow(whole)
        let (result, overflowAgain) = difference.subtractingReportingOverflow(borrowed)
        guard !overflow, !overflowAgain else {
            return WallTime(seconds: whole > 0 ? .min : .max)
        }
        return WallTime(seconds: result, nanoseconds: Int32(clamping: nanoseconds))
    }
}

/// Where caches take the date from; a test gives one of its own.
public protocol WallClock: Sendable {
    /// The date and time now. Called on any thread.
    var now: WallTime { get }
}

/// The machine's own clock.
public struct SystemWallClock: WallClock {
    /// The machine's own clock.
    public init() {}

    /// The machine's date and time.
    public var now: WallTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(seconds: Int64(time.tv_sec), nanoseconds: Int32(clamping: time.tv_nsec))
    }
}

extension WallClock where Self == SystemWallClock {
    /// The machine's own clock.
    public static var system: SystemWallClock { SystemWallClock() }
}
