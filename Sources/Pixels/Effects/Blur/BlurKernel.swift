/// What a Gaussian of some standard deviation is done with.
package enum BlurKernel: Equatable {
    /// The Gaussian itself, in parts of 65536: where it is narrow, boxes are far from it.
    case weights([UInt16])
    /// Three boxes one after the other, in pixels: within a hundredth of the Gaussian, in time independent of it.
    case boxes([Int])

    /// `nil` for one that changes nothing.
    ///
    /// - Parameter deviation: In pixels, finite.
    package init?(deviation: Double) {
        if deviation < 3 {
            let weights = Self.gaussian(deviation)
            guard weights.count > 1 else { return nil }
            self = .weights(weights)
        } else {
            self = .boxes(Self.boxes(deviation))
        }
    }

    private static func gaussian(_ deviation: Double) -> [UInt16] {
        // The neighbours' share is e to the −50 then; of much less there is no square.
        guard deviation > 0.1 else { return [] }
        let reach = Int((deviation * 3.5).rounded(.up))
        let values = (-reach...reach).map { exponential(-Double($0 * $0) / (2 * deviation * deviation)) }
        let sum = values.reduce(0, +)
        var weights = values.map { Int(($0 / sum * 65536).rounded()) }
        // The middle makes up for what was rounded: so flat stays flat.
        weights[reach] += 65536 - weights.reduce(0, +)
        guard weights[reach] < 65536 else { return [] }
        return weights.map { UInt16($0) }
    }

    /// The three widths whose boxes together have the variance nearest to the Gaussian's: a box of w pixels has
    /// (w² − 1) / 12. Their sum is odd, so that nothing moves.
    private static func boxes(_ deviation: Double) -> [Int] {
        let ideal = Int((4 * deviation * deviation + 1).squareRoot())
        let widths = max(1, ideal - 1)...ideal + 2
        var best: [Int] = []
        var smallest = Double.infinity
        for first in widths {
            for second in first...widths.upperBound {
                for third in second...widths.upperBound where (first + second + third) % 2 == 1 {
                    let squares = Double(first * first + second * second + third * third)
                    let difference = abs((squares - 3) / 12 - deviation * deviation)
                    if difference < smallest { (smallest, best) = (difference, [first, second, third]) }
                }
            }
        }
        return best
    }
}
