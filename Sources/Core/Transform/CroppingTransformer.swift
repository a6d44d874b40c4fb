public import WebImagePixels

/// Keeps the part of a picture that a rectangle covers, to whole pixels.
public struct CroppingTransformer: ImageTransformer, Hashable {
    /// In points, from the top left: pixels divided by the picture's scale.
    public let rect: ImageRect

    /// A transformer to a rectangle in points.
    public init(rect: ImageRect) {
        self.rect = rect
    }

    /// `Cropping({0.0,0.0,50.0,50.0},1)`.
    public var key: String {
        let numbers = [rect.x, rect.y, rect.width, rect.height].map(number).joined(separator: ",")
        return "Cropping({\(numbers)},1)"
    }

    /// The part; throws `transformFailed` for a rectangle that is empty, not a number, or outside the picture.
    public func transform(_ image: DecodedImage) throws(ImageError) -> DecodedImage {
        let scale = image.attributes.scale
        let pixels = image.pixels.cropped(
            to: ImageRect(
                x: rect.x * scale, y: rect.y * scale, width: rect.width * scale, height: rect.height * scale))
        return try result(pixels, of: image, orElse: "nothing of the picture is in \(key); choose a part within it")
    }
}

extension ImageTransformer where Self == CroppingTransformer {
    /// Keeps the part of a picture that a rectangle covers; in points, from the top left.
    public static func cropping(to rect: ImageRect) -> CroppingTransformer {
        CroppingTransformer(rect: rect)
    }
}
