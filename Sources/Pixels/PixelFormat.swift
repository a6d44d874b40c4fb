/// How one pixel lies in memory.
public enum PixelFormat: Sendable, Hashable {
    /// Red, green, blue, alpha; one byte each, 0…255.
    case rgba8
    /// Red, green, blue, alpha; one IEEE 754 half-precision float each, in native byte order, 1.0 = full.
    case rgbaHalf

    /// 4 or 8.
    public var bytesPerPixel: Int {
        switch self {
        case .rgba8: 4
        case .rgbaHalf: 8
        }
    }
}

/// What the alpha channel of a buffer means.
public enum AlphaMode: Sendable, Hashable {
    /// Every alpha is full.
    case opaque
    /// Colour channels are already multiplied by alpha. The form of every picture in memory.
    case premultiplied
    /// Colour channels are independent of alpha. The form of files; converting one must lose nothing.
    case straight
}

/// What the numbers of a buffer mean as colour.
public enum ColorSpace: Sendable, Hashable {
    /// IEC 61966-2-1, gamma encoded. The form of every picture in memory unless asked otherwise.
    case sRGB
    /// The primaries of sRGB, linear light.
    case linearSRGB
}

/// One pixel, 8 bits a channel, straight alpha.
public struct PixelColor: Hashable, Sendable {
    /// 0…255.
    public var red: UInt8
    /// 0…255.
    public var green: UInt8
    /// 0…255.
    public var blue: UInt8
    /// 0 is transparent, 255 opaque.
    public var alpha: UInt8

    /// A colour; opaque unless said otherwise.
    public init(_ red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Fully transparent.
    public static let clear = PixelColor(0, 0, 0, 0)
}

extension PixelColor: CustomStringConvertible {
    /// `(255,0,0,255)`.
    public var description: String { "(\(red),\(green),\(blue),\(alpha))" }
}
