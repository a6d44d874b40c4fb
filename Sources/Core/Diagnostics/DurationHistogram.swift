/// How many durations of about which length there were, in bounded memory: four steps for each doubling, so that a
/// percentile is at most a fifth too long.
struct DurationHistogram: Sendable {
    private static let stepsPerDoubling = 4
    // From one microsecond to over two hours.
    private var counts = [Int](repeating: 0, count: 33 * stepsPerDoubling)
    private(set) var count = 0
    private var totalNanoseconds: Int64 = 0
    private var longestNanoseconds: Int64 = 0

    var total: Duration { .nanoseconds(totalNanoseconds) }
    var longest: Duration { .nanoseconds(longestNanoseconds) }

    mutating func add(nanoseconds: Int64) {
        counts[Self.step(ofNanoseconds: nanoseconds)] += 1
        count += 1
        let (sum, overflows) = totalNanoseconds.addingReportingOverflow(max(0, nanoseconds))
        totalNanoseconds = overflows ? .max : sum
        longestNanoseconds = max(longestNanoseconds, nanoseconds)
    }

    /// A duration that at least this share of all do not exceed; zero when there are none.
    func percentile(_ share: Double) -> Duration {
        let wanted = max(1, Int((Double(count) * share).rounded(.up)))
        var seen = 0
        for (step, number) in counts.enumerated() {
            seen += number
            if seen >= wanted { return min(longest, Self.end(of: step)) }
        }
        return longest
    }

    private static func step(ofNanoseconds nanoseconds: Int64) -> Int {
        let microseconds = nanoseconds / 1000
        guard microseconds >= 1 else { return 0 }
        let doublings = 63 - microseconds.leadingZeroBitCount
        // The two bits below the leading one tell the quarter.
        let quarter =
            doublings >= 2 ? Int(microseconds >> (doublings - 2)) & 3 : Int(microseconds << (2 - doublings)) & 3
        return min(33 * stepsPerDoubling - 1, doublings * stepsPerDoubling + quarter)
    }

    private static func end(of step: Int) -> Duration {
        let doublings = step / stepsPerDoubling
        let quarters = Double(step % stepsPerDoubling + 5) / 4
        return .microseconds(Int64((Double(UInt64(1) << doublings) * quarters).rounded(.up)))
    }
}

extension Duration {
    /// As a number.
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
