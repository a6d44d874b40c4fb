/// Times in hundredths of a second, each as long as makes their sum right.
struct GIFDelays {
    private var elapsed = Duration.zero
    private var written = 0

    /// A time that is to be played as it is does not become one that players take for "as fast as you like".
    mutating func delay(of duration: Duration) -> Int {
        // What the field cannot hold is cut, not made up for by the frames that follow.
        elapsed += min(max(.zero, duration), .milliseconds(655_350))
        let total = Self.hundredths(elapsed)
        let least = duration > .milliseconds(10) ? 2 : 0
        let delay = min(max(least, total - written), 0xFFFF)
        written += delay
        return delay
    }

    private static func hundredths(_ duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = Int(seconds).multipliedReportingOverflow(by: 100)
        return overflow ? 0 : whole + Int((Double(attoseconds) / 1e16).rounded())
    }
}
