/// The sine and cosine of an angle.
///
/// By series, so that a picture's key promises the same pixels on every system. Error below 1e-13 for angles of a few
/// turns; for large ones that of the angle itself.
package struct Angle {
    package let sine: Double
    package let cosine: Double

    /// A finite angle.
    package init(_ radians: Double) {
        let quarters = (radians / (.pi / 2)).rounded()
        let rest = radians - quarters * (.pi / 2)
        // Of an angle beyond 2^53 turns nothing is left but noise; it must stay an angle.
        let reduced = abs(rest) <= 1 ? rest : 0
        let sine = Self.sine(reduced)
        let cosine = Self.cosine(reduced)
        switch Int(quarters.truncatingRemainder(dividingBy: 4) + 4) % 4 {
        case 0: (self.sine, self.cosine) = (sine, cosine)
        case 1: (self.sine, self.cosine) = (cosine, -sine)
        case 2: (self.sine, self.cosine) = (-sine, -cosine)
        default: (self.sine, self.cosine) = (-cosine, sine)
        }
    }

    /// Of an angle within ±π/4.
    private static func sine(_ angle: Double) -> Double {
        series(first: angle, square: angle * angle, firstDenominator: 2)
    }

    private static func cosine(_ angle: Double) -> Double {
        series(first: 1, square: angle * angle, firstDenominator: 1)
    }

    private static func series(first: Double, square: Double, firstDenominator: Double) -> Double {
        var term = first
        var sum = first
        for denominator in stride(from: firstDenominator, to: firstDenominator + 18, by: 2) {
            term *= -square / (denominator * (denominator + 1))
            sum += term
        }
        return sum
    }
}
