public import WebImagePixels

/// Cuts the middle of a picture to a circle: a square result with transparent corners.
public struct CircleTransformer: ImageTransformer, Hashable {
    /// Inside the circle; its width is in points, and one of the circle's radius or more is left out.
    public let border: ImageBorder?

    /// A transformer that cuts circles.
    public init(border: ImageBorder? = nil) {
        self.border = border
    }

    /// `Circle(0.0,-,1)`: border width, border colour, version.
    public var key: String { "Circle(\(number(border?.width ?? 0)),\(border?.color.hexadecimal ?? "-"),1)" }

    /// The circle; throws `transformFailed` for a width that is not a number.
    public func transform(_ image: DecodedImage) throws(ImageError) -> DecodedImage {
        let scale = image.attributes.scale
        let border = border.map { ImageBorder(width: $0.width * scale, color: $0.color) }
        return try result(image.pixels.circle(border: border), of: image, orElse: "no circle can be made by \(key)")
    }
}

extension ImageTransformer where Self == CircleTransformer {
    /// Cuts the middle of a picture to a circle.
    public static var circle: CircleTransformer { CircleTransformer() }

    /// Cuts the middle of a picture to a circle with a border inside it; its width is in points.
    public static func circle(border: ImageBorder) -> CircleTransformer {
        CircleTransformer(border: border)
    }
}
