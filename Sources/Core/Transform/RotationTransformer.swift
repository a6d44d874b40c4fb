public import WebImagePixels

/// Turns a picture about its centre.
public struct RotationTransformer: ImageTransformer, Hashable {
    /// Counter-clockwise as seen. Multiples of a quarter turn are exact.
    public let radians: Double
    /// Whether the picture grows so that all of it shows, or keeps its size.
    public let canvas: RotationCanvas

    /// A turn by an angle in radians, counter-clockwise.
    public init(radians: Double, canvas: RotationCanvas = .fit) {
        self.radians = radians
        self.canvas = canvas
    }

    /// `Rotation(0.7853981633974483,fit,1)`.
    public var key: String { "Rotation(\(number(radians)),\(canvas.rawValue),1)" }

    /// The turned picture; throws `transformFailed` for an angle that is not finite, or a result over the limits of
    /// `DecodeLimits`.
    public func transform(_ image: DecodedImage) throws(ImageError) -> DecodedImage {
        guard radians.isFinite else { throw .transformFailed("a picture cannot be turned by \(radians) radians") }
        if canvas == .fit {
            _ = try image.pixelSize.boundsOfRotation(by: radians).pixelSize(scale: 1, "a picture cannot be turned")
        }
        return try result(
            image.pixels.rotated(by: radians, canvas: canvas), of: image, orElse: "it cannot be turned by \(radians)")
    }
}

extension ImageTransformer where Self == RotationTransformer {
    /// Turns a picture about its centre, counter-clockwise.
    public static func rotation(_ radians: Double, canvas: RotationCanvas = .fit) -> RotationTransformer {
        RotationTransformer(radians: radians, canvas: canvas)
    }
}
