public import WebImagePixels

/// Rounds the corners of a picture, and draws a border inside its outline. The size stays.
public struct RoundCornerTransformer: ImageTransformer, Hashable {
    /// In points. More than half the shorter side is taken as half of it: `.infinity` makes a capsule. 0 and less
    /// rounds nothing.
    public let radius: Double
    /// Those to round.
    public let corners: Corners
    /// Its width is in points; one of half the shorter side or more is left out.
    public let border: ImageBorder?

    /// A transformer that rounds the given corners by a radius in points.
    public init(radius: Double, corners: Corners = .all, border: ImageBorder? = nil) {
        self.radius = radius
        self.corners = corners
        self.border = border
    }

    /// `RoundCorner(20.0,15,0.0,-,1)`: radius, corners, border width, border colour, version.
    public var key: String {
        let color = border?.color.hexadecimal ?? "-"
        return "RoundCorner(\(number(radius)),\(corners.rawValue),\(number(border?.width ?? 0)),\(color),1)"
    }

    /// The rounded picture; throws `transformFailed` for a radius or a width that is not a number.
    public func transform(_ image: DecodedImage) throws(ImageError) -> DecodedImage {
        let scale = image.attributes.scale
        let border = border.map { ImageBorder(width: $0.width * scale, color: $0.color) }
        return try result(
            image.pixels.withRoundCorners(radius: radius * scale, corners: corners, border: border), of: image,
            orElse: "its corners cannot be rounded by \(key); give numbers")
    }
}

extension ImageTransformer where Self == RoundCornerTransformer {
    /// Rounds corners by a radius in points, and draws a border inside the outline.
    public static func roundCorner(
        _ radius: Double, corners: Corners = .all, border: ImageBorder? = nil
    ) -> RoundCornerTransformer {
        RoundCornerTransformer(radius: radius, corners: corners, border: border)
    }
}
