public import WebImagePixels

/// Puts a picture through a filter; the size stays.
public struct FilterTransformer: ImageTransformer, Hashable {
    /// Its lengths are in points.
    public let filter: ImageFilter

    /// A transformer that puts pictures through a filter.
    public init(_ filter: ImageFilter) {
        self.filter = filter
    }

    /// `Filter(sepia,1.0,1)`: name, parameters in the order of their declaration, version.
    public var key: String {
        let parts = [filter.name] + filter.parameters.map(number) + ["1"]
        return "Filter(\(parts.joined(separator: ",")))"
    }

    /// The filtered picture; throws `transformFailed` for a parameter that the filter cannot have.
    public func transform(_ image: DecodedImage) throws(ImageError) -> DecodedImage {
        try result(
            image.pixels.filtered(filter.scaled(by: image.attributes.scale)), of: image,
            orElse: "the filter \(key) cannot be applied; give finite numbers, and a gamma above 0")
    }
}

extension ImageTransformer where Self == FilterTransformer {
    /// Puts a picture through a filter: `.filter(.grayscale)`.
    public static func filter(_ filter: ImageFilter) -> FilterTransformer {
        FilterTransformer(filter)
    }
}
