/// How the pixels of a smaller or larger picture are weighed together from those of the source.
public enum ResamplingFilter: String, Sendable, Hashable, CaseIterable {
    /// The one source pixel under the centre of each target pixel. Exact colours, jagged edges.
    case nearest
    /// The mean of what a target pixel covers, source pixels at its edges in proportion.
    case box
    /// Weights that fall off evenly with the distance (a triangle). Soft.
    case bilinear
    /// The cubic of Mitchell and Netravali with B = C = 1/3 ("Reconstruction Filters in Computer Graphics", 1988).
    /// Little ringing; the better choice for enlarging.
    case mitchell
    /// The windowed sinc of three lobes, sinc(x) · sinc(x / 3) (Duchon, "Lanczos Filtering in One and Two Dimensions",
    /// 1979). The sharpest; the default.
    case lanczos3

    /// How far the filter reaches from its centre, in samples of the coarser grid.
    var support: Double {
        switch self {
        case .nearest: 0
        case .box: 0.5
        case .bilinear: 1
        case .mitchell: 2
        case .lanczos3: 3
        }
    }

    /// The weight at a distance, not yet scaled so that all sum up to one.
    func weight(_ distance: Double) -> Double {
        let x = abs(distance)
        switch self {
        case .nearest: return 1
        case .box: return x <= 0.5 ? 1 : 0
        case .bilinear: return max(0, 1 - x)
        case .mitchell: return Self.mitchell(x)
        case .lanczos3: return LanczosTable.shared.weight(x)
        }
    }

    private static func mitchell(_ x: Double) -> Double {
        switch x {
        case ..<1: (21 * x * x * x - 36 * x * x + 16) / 18
        case ..<2: (-7 * x * x * x + 36 * x * x - 60 * x + 32) / 18
        default: 0
        }
    }
}

/// The Lanczos filter between points of a table, straight: within 1e-6 of the formula, at a tenth of its cost.
private struct LanczosTable: Sendable {
    static let shared = LanczosTable()

    private static let steps = 1024
    private let values = (0...3 * steps + 1).map { LanczosTable.exact(Double($0) / Double(steps)) }

    func weight(_ x: Double) -> Double {
        guard x < 3 else { return 0 }
        let place = x * Double(Self.steps)
        let index = Int(place)
        return values[index] + (values[index + 1] - values[index]) * (place - Double(index))
    }

    private static func exact(_ x: Double) -> Double { x < 3 ? sinc(x) * sinc(x / 3) : 0 }

    private static func sinc(_ x: Double) -> Double { x == 0 ? 1 : sine(.pi * x) / (.pi * x) }

    /// The sine by its series after reduction to ±π/2: no C library in this room. Error below 1e-13.
    private static func sine(_ angle: Double) -> Double {
        let turns = (angle / .pi).rounded()
        let reduced = angle - turns * .pi
        let square = reduced * reduced
        var term = reduced
        var sum = reduced
        for denominator in stride(from: 2.0, through: 18.0, by: 2.0) {
            term *= -square / (denominator * (denominator + 1))
            sum += term
        }
        return turns.truncatingRemainder(dividingBy: 2) == 0 ? sum : -sum
    }
}
