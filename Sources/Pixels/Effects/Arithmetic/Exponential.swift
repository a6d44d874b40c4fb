/// e to a power, for kernels: by series, so that a picture's key promises the same pixels on every system.
///
/// Relative error below 1e-13; 0 or infinity where the result is out of a `Double`'s range.
func exponential(_ exponent: Double) -> Double {
    let logarithmOfTwo = 0.693147180559945309417
    let doublings = (exponent / logarithmOfTwo).rounded()
    guard doublings > -1000 else { return 0 }
    guard doublings < 1000 else { return .infinity }
    let rest = exponent - doublings * logarithmOfTwo
    var term = 1.0
    var sum = 1.0
    for step in 1...15 {
        term *= rest / Double(step)
        sum += term
    }
    return Double(sign: .plus, exponent: Int(doublings), significand: sum)
}

/// The natural logarithm of a positive finite number, by the series of the inverse hyperbolic tangent.
///
/// Error below 1e-13.
func logarithm(_ number: Double) -> Double {
    let logarithmOfTwo = 0.693147180559945309417
    let ratio = (number.significand - 1) / (number.significand + 1)
    var term = ratio
    var sum = ratio
    for denominator in stride(from: 3.0, through: 29, by: 2) {
        term *= ratio * ratio
        sum += term / denominator
    }
    return 2 * sum + Double(number.exponent) * logarithmOfTwo
}

/// A number from 0 to 1 to a positive power.
func power(_ base: Double, _ exponent: Double) -> Double {
    base > 0 ? exponential(logarithm(base) * exponent) : 0
}
