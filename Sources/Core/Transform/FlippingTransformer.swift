public import WebImagePixels

/// Mirrors a picture.
public struct FlippingTransformer: ImageTransformer, Hashable {
    /// Both together are half a turn; none changes nothing.
    public let directions: FlipDirections

    /// A transformer that mirrors in the given directions.
    public init(directions: FlipDirections) {
        self.directions = directions
    }

    /// `Flipping(1,0,1)`: horizontal, vertical, version.
    public var key: String {
        let horizontal = directions.contains(.horizontal) ? 1 : 0
        let vertical = directions.contains(.vertical) ? 1 : 0
        return "Flipping(\(horizontal),\(vertical),1)"
    }

    /// The mirrored picture; never throws.
    public func transform(_ image: DecodedImage) -> DecodedImage {
        image.transformed(to: image.pixels.flipped(directions))
    }
}

extension ImageTransformer where Self == FlippingTransformer {
    /// Mirrors a picture.
    public static func flipping(_ directions: FlipDirections) -> FlippingTransformer {
        FlippingTransformer(directions: directions)
    }
}
