public import WebImagePixels

/// Puts a border around a picture, which grows by it. For one inside the picture, that may have round corners, see
/// `RoundCornerTransformer`.
public struct BorderTransformer: ImageTransformer, Hashable {
    /// Its width is in points; 0 and less adds nothing.
    public let border: ImageBorder

    /// A transformer that puts a border around pictures.
    public init(_ border: ImageBorder) {
        self.border = border
    }

    /// `Border(2.0,#ff000000,1)`: width, colour, version.
    public var key: String { "Border(\(number(border.width)),\(border.color.hexadecimal),1)" }

    /// The larger picture; throws `transformFailed` for a width that is not a number, or a result over the limits of
    /// `DecodeLimits`.
    public func transform(_ image: DecodedImage) throws(ImageError) -> DecodedImage {
        let width = border.width * image.attributes.scale
        let grown = 2 * max(0, width).rounded()
        let size = ImageSize(image.pixelSize)
        _ = try ImageSize(size.width + grown, size.height + grown)
            .pixelSize(scale: 1, "a picture cannot grow by its border")
        return try result(
            image.pixels.framed(by: ImageBorder(width: width, color: border.color)), of: image,
            orElse: "it can have no border of \(border.width)")
    }
}

extension ImageTransformer where Self == BorderTransformer {
    /// Puts a border around the picture, which grows by it; the width is in points.
    public static func border(width: Double, color: PixelColor) -> BorderTransformer {
        BorderTransformer(ImageBorder(width: width, color: color))
    }
}
