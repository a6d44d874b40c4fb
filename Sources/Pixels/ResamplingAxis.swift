/// Which source samples make each target sample along one axis, and with what weight.
struct ResamplingAxis: Sendable {
    /// One: 1 << 14.
    static let fixedPointBits: Int32 = 14

    /// For each target sample, the first source sample of its window.
    let starts: [Int32]
    /// The weights of all windows, `stride` apart; each window's sum is exactly one.
    let weights: [Int16]
    /// How many source samples a window has; some may weigh nothing. All of them lie in the source, padded to whole
    /// blocks.
    let stride: Int

    var targetCount: Int { starts.count }

    /// - Parameters:
    ///   - sourceCount: How many samples there are.
    ///   - origin: Where the part that is shown starts, in samples.
    ///   - extent: How long that part is, in samples.
    ///   - filter: How samples are weighed.
    ///   - block: Windows hold whole blocks of so many samples, and begin at an even one where it is more than 1.
    init(
        sourceCount: Int, origin: Double, extent: Double, targetCount: Int, filter: ResamplingFilter, block: Int = 1
    ) {
        let window = Window(scale: extent / Double(targetCount), filter: filter)
        let paddedCount = (sourceCount + block - 1) / block * block
        let longest = min(sourceCount, window.longest)
        let stride = min(paddedCount, (longest + (block > 1 ? 1 : 0) + block - 1) / block * block)
        var starts = [Int32](repeating: 0, count: targetCount)
        var weights = [Int16](repeating: 0, count: stride * targetCount)
        var exact: [Double] = []
        for target in 0..<targetCount {
            let centre = origin + (Double(target) + 0.5) * window.scale
            let samples = window.samples(around: centre, of: sourceCount)
            exact.removeAll(keepingCapacity: true)
            for sample in samples { exact.append(window.weight(of: sample, around: centre)) }
            let start = min(block > 1 ? samples.lowerBound & ~1 : samples.lowerBound, paddedCount - stride)
            starts[target] = Int32(start)
            Self.round(exact, to: &weights, at: target * stride + samples.lowerBound - start)
        }
        (self.starts, self.weights, self.stride) = (starts, weights, stride)
    }

    /// The weight of a source sample for a target sample; 0 outside of the window.
    func weight(_ target: Int, _ sample: Int) -> Int16 {
        let index = sample - Int(starts[target])
        return index >= 0 && index < stride ? weights[target * stride + index] : 0
    }

    /// The weights of four source samples from one on; 0 outside of the window.
    func weights(_ target: Int, from sample: Int) -> SIMD4<Int16> {
        let index = sample - Int(starts[target])
        guard index < 0 || index + 4 > stride else {
            let place = target * stride + index
            return SIMD4(weights[place], weights[place + 1], weights[place + 2], weights[place + 3])
        }
        return SIMD4(
            weight(target, sample), weight(target, sample + 1), weight(target, sample + 2), weight(target, sample + 3))
    }

    /// Where the window of a target sample ends.
    func end(_ target: Int) -> Int { Int(starts[target]) + stride }

    /// Where single weights come near the smallest step.
    private static let longWindow = 2048

    /// Rounds weights so that their sum is exactly one; the largest takes up what rounding left over.
    private static func round(_ exact: [Double], to weights: inout [Int16], at place: Int) {
        let one = Double(Int32(1) << fixedPointBits)
        let sum = exact.reduce(0, +)
        guard sum > 1e-9 else {
            // A window of zeros cannot come from a kernel over its own centre; stay sane all the same.
            weights[place + exact.count / 2] = Int16(one)
            return
        }
        guard exact.count <= longWindow else { return carry(exact, one / sum, to: &weights, at: place) }
        let factor = one / sum
        var left = Int32(one)
        var largest = 0
        for index in exact.indices {
            let weight = Int16((exact[index] * factor).rounded())
            weights[place + index] = weight
            left -= Int32(weight)
            if weight > weights[place + largest] { largest = index }
        }
        weights[place + largest] += Int16(left)
    }

    /// Rounds weights of which most are less than one step: what one loses the next gets.
    private static func carry(_ exact: [Double], _ factor: Double, to weights: inout [Int16], at place: Int) {
        var total = 0.0
        var given = 0
        for index in exact.indices {
            total += exact[index] * factor
            let step = Int(total.rounded()) - given
            given += step
            weights[place + index] = Int16(clamping: step)
        }
    }
}

/// The stretch of source samples that a filter reaches.
private struct Window {
    let scale: Double
    private let filter: ResamplingFilter
    private let stretch: Double
    private let reach: Double

    init(scale: Double, filter: ResamplingFilter) {
        self.scale = scale
        self.filter = filter
        stretch = max(scale, 1)
        reach = filter == .box ? scale / 2 : filter.support * stretch
    }

    /// So many cells a stretch of that length touches.
    var longest: Int { Int((reach * 2).rounded(.up)) + 1 }

    func samples(around centre: Double, of count: Int) -> Range<Int> {
        let first = min(max(0, Int((centre - reach).rounded(.down))), count - 1)
        let end = min(count, max(first + 1, Int((centre + reach).rounded(.up))))
        return first..<min(end, first + longest)
    }

    func weight(of sample: Int, around centre: Double) -> Double {
        guard filter == .box else { return filter.weight((Double(sample) + 0.5 - centre) / stretch) }
        return max(0, min(Double(sample) + 1, centre + reach) - max(Double(sample), centre - reach))
    }
}
