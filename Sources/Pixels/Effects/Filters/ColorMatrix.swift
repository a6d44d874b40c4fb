/// A linear change of colour: each new channel is a weighted sum of the old ones, and a constant.
///
/// It works on straight sRGB values as they are stored, 0…1; the result is bounded to that.
public struct ColorMatrix: Hashable, Sendable {
    /// The weights of red, green, blue and alpha in the new red.
    public var red: SIMD4<Double>
    /// The weights in the new green.
    public var green: SIMD4<Double>
    /// The weights in the new blue.
    public var blue: SIMD4<Double>
    /// The weights in the new alpha.
    public var alpha: SIMD4<Double>
    /// What is added to red, green, blue and alpha.
    public var bias: SIMD4<Double>

    /// A change of colour; the defaults are those of no change.
    public init(
        red: SIMD4<Double> = [1, 0, 0, 0], green: SIMD4<Double> = [0, 1, 0, 0], blue: SIMD4<Double> = [0, 0, 1, 0],
        alpha: SIMD4<Double> = [0, 0, 0, 1], bias: SIMD4<Double> = .zero
    ) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
        self.bias = bias
    }

    /// All twenty numbers: the four rows of weights, then the constants.
    public var numbers: [Double] {
        [red, green, blue, alpha, bias].flatMap { row in (0..<4).map { row[$0] } }
    }

    /// What a channel weighs in brightness: ITU-R BT.709.
    static let luminance = SIMD3(0.2126, 0.7152, 0.0722)
}

extension ColorMatrix {
    /// Three rows of three weights, colour to colour.
    private init(_ red: SIMD3<Double>, _ green: SIMD3<Double>, _ blue: SIMD3<Double>, bias: Double = 0) {
        self.init(
            red: SIMD4(red, 0), green: SIMD4(green, 0), blue: SIMD4(blue, 0), bias: SIMD4(bias, bias, bias, 0))
    }

    /// Saturation first, then contrast about the middle, then brightness.
    static func colorControls(brightness: Double, contrast: Double, saturation: Double) -> ColorMatrix {
        let grey = luminance * (1 - saturation)
        func row(_ own: SIMD3<Double>) -> SIMD3<Double> { (grey + own * saturation) * contrast }
        return ColorMatrix(
            row([1, 0, 0]), row([0, 1, 0]), row([0, 0, 1]), bias: brightness + 0.5 * (1 - contrast))
    }

    /// The sepia of W3C Filter Effects, by its strength.
    static func sepia(intensity: Double) -> ColorMatrix {
        func row(_ own: SIMD3<Double>, _ sepia: SIMD3<Double>) -> SIMD3<Double> {
            own * (1 - intensity) + sepia * intensity
        }
        return ColorMatrix(
            row([1, 0, 0], [0.393, 0.769, 0.189]), row([0, 1, 0], [0.349, 0.686, 0.168]),
            row([0, 0, 1], [0.272, 0.534, 0.131]))
    }

    static let inversion = ColorMatrix(
        red: [-1, 0, 0, 0], green: [0, -1, 0, 0], blue: [0, 0, -1, 0], bias: [1, 1, 1, 0])

    /// The turn of the hue of W3C Filter Effects: about the grey axis, brightness kept.
    static func hueRotation(_ radians: Double) -> ColorMatrix {
        let angle = Angle(radians)
        func row(_ grey: SIMD3<Double>, _ cosine: SIMD3<Double>, _ sine: SIMD3<Double>) -> SIMD3<Double> {
            grey + cosine * angle.cosine + sine * angle.sine
        }
        let grey = SIMD3(0.213, 0.715, 0.072)
        return ColorMatrix(
            row(grey, [0.787, -0.715, -0.072], [-0.213, -0.715, 0.928]),
            row(grey, [-0.213, 0.285, -0.072], [0.143, 0.140, -0.283]),
            row(grey, [-0.213, -0.715, 0.928], [-0.787, 0.715, 0.072]))
    }
}
