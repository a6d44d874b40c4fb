/// How long a frame is shown: a fraction of a second of two 16-bit numbers.
struct PNGDelay: Hashable {
    /// 0 to 65535.
    let numerator: Int
    /// 1 to 65535.
    let denominator: Int

    init(numerator: Int, denominator: Int) {
        (self.numerator, self.denominator) = (numerator, denominator)
    }

    /// The simplest fraction that is the given time, or else the nearest on the way there: a convergent of its
    /// continued fraction. So a delay of 1/3 or 1001/30000 seconds that was read is written as it was.
    init(_ duration: Duration) {
        let limit = Int128(UInt16.max)
        let time = max(.zero, min(duration, .seconds(Int64(UInt16.max))))
        var rest = (time.attoseconds, Int128(1_000_000_000_000_000_000))
        var before: (Int128, Int128) = (0, 1)
        var last: (Int128, Int128) = (1, 0)
        while rest.1 != 0 {
            let (quotient, remainder) = rest.0.quotientAndRemainder(dividingBy: rest.1)
            let next = (quotient * last.0 + before.0, quotient * last.1 + before.1)
            guard next.0 <= limit, next.1 <= limit else { break }
            (before, last, rest) = (last, next, (rest.1, remainder))
            if PNGDelay(numerator: Int(last.0), denominator: Int(last.1)).duration == time { break }
        }
        self.init(numerator: Int(last.0), denominator: max(1, Int(last.1)))
    }

    /// Exact to the attosecond.
    var duration: Duration { .seconds(numerator) / denominator }

    /// Rounded to nearest.
    var milliseconds: Int { (numerator * 2000 + denominator) / (2 * denominator) }
}
