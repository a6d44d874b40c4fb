import WebImagePixels

/// Blurs a picture as by a Gaussian; its edges go on beyond it, so that no rim shows.
public struct BlurTransformer: ImageTransformer, Hashable {
    /// The Gaussian's standard deviation, in points. 0 and less changes nothing.
    public let radius: Double

    /// A transformer that blurs by a radius in points.
    public init(radius: Double) {
        self.radius = radius
    }

    /// `Blur(5.0,1)`.
    public var key: String { "Blur(\(number(radius)),1)" }

    /// The blurred picture; throws `transformFailed` for a radius that is not a number.
    public func transform(_ image: DecodedImage) throws(ImageError) -> DecodedImage {
        guard !(radius <= 0) else { return image }
        return try result(
            image.pixels.blurred(radius: radius * image.attributes.scale), of: image,
            orElse: "it cannot be blurred by \(radius); give a number")
    }
}

extension ImageTransformer where Self == BlurTransformer {
    /// Blurs as by a Gaussian; the radius, its standard deviation, is in points.
    public static func blur(radius: Double) -> BlurTransformer {
        BlurTransformer(radius: radius)
    }
}
