/// Which source samples make each target sample along one axis, and with what weight.
struct ResamplingAxis: Sendable {
    /// One: 1 << 14.
    static let fixedPointBits: Int32 = 14

    /// For each target sample, the first source sample of its window.
    let starts: [Int]
    /// For each target sample, how many source samples its window has.
    let counts: [Int]
    /// The weights of all windows, `stride` apart; each window's sum is exactly one.
    let weights: [Int16]
    let stride: Int

    var targetCount: Int { starts.count }
    /// The longest window.
    var longestWindow: Int { stride }

    /// - Parameters:
    ///   - sourceCount: How many samples there are.
    ///   - origin: Where the part that is shown starts, in samples.
    ///   - extent: How long that part is, in samples.
    ///   - filter: How samples are weighed.
    init(sourceCount: Int, origin: Double, extent: Double, targetCount: Int, filter: ResamplingFilter) {
        let scale = extent / Double(targetCount)
        let stretch = max(scale, 1)
        let support = filter.support * stretch
        stride = min(sourceCount, Int((support * 2).rounded(.up)) + 2)
        var starts: [Int] = []
        var counts: [Int] = []
        var weights = [Int16](repeating: 0, count: stride * targetCount)
        for target in 0..<targetCount {
            let centre = origin + (Double(target) + 0.5) * scale
            let first = min(max(0, Int((centre - support).rounded(.down))), sourceCount - 1)
            let end = min(sourceCount, max(first + 1, Int((centre + support).rounded(.up))))
            let exact = (first..<end).map { filter.weight((Double($0) + 0.5 - centre) / stretch) }
            let fixed = Self.fixedPoint(exact)
            weights.replaceSubrange(target * stride..<target * stride + fixed.count, with: fixed)
            starts.append(first)
            counts.append(fixed.count)
        }
        (self.starts, self.counts, self.weights) = (starts, counts, weights)
    }

    /// Where single weights come near the smallest step.
    private static let longWindow = 2048

    /// Rounds weights of which most are less than one step: what one loses the next gets.
    private static func carried(_ exact: [Double]) -> [Int16] {
        var total = 0.0
        var given = 0
        return exact.map { weight in
            total += weight
            let step = Int(total.rounded()) - given
            given += step
            return Int16(clamping: step)
        }
    }

    /// Rounds weights so that their sum is exactly one; the largest takes up what rounding left over.
    private static func fixedPoint(_ exact: [Double]) -> [Int16] {
        let one = Double(Int32(1) << fixedPointBits)
        let sum = exact.reduce(0, +)
        guard sum > 1e-9 else {
            // A window of zeros cannot come from a kernel over its own centre; stay sane all the same.
            return exact.indices.map { $0 == exact.count / 2 ? Int16(one) : 0 }
        }
        guard exact.count <= longWindow else { return carried(exact.map { $0 / sum * one }) }
        var fixed = exact.map { Int16(($0 / sum * one).rounded()) }
        if let largest = fixed.indices.max(by: { fixed[$0] < fixed[$1] }) {
            fixed[largest] += Int16(Int(one) - fixed.reduce(0) { $0 + Int($1) })
        }
        return fixed
    }
}
