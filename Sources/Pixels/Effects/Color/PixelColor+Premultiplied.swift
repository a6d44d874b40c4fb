extension PixelColor {
    /// Colour and alpha, 0…1, the colour multiplied by alpha.
    var premultiplied: SIMD4<Float> {
        let straight = SIMD4<Float>(Float(red), Float(green), Float(blue), 255) * (1 / 255)
        return straight * (Float(alpha) / 255)
    }

    /// Opaque black.
    public static let black = PixelColor(0, 0, 0)
    /// Opaque white.
    public static let white = PixelColor(255, 255, 255)

    /// The colour as a number, `#aarrggbb` in lower case: `#ff000000` is black. It stands so in keys.
    public var hexadecimal: String {
        let digits = Array("0123456789abcdef")
        return [alpha, red, green, blue].reduce(into: "#") { text, channel in
            text.append(digits[Int(channel >> 4)])
            text.append(digits[Int(channel & 15)])
        }
    }
}
