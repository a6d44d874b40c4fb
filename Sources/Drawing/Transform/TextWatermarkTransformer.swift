public import WebImageCore
public import WebImagePixels

/// Writes a text on a picture, such as its maker's name. The size stays.
public struct TextWatermarkTransformer: ImageTransformer, Hashable {
    /// Broken at the picture's width less the margins.
    public let text: String
    /// How it looks; sizes are in points of the picture.
    public let style: TextStyle
    /// Where it stands.
    public let anchor: ImageAnchor
    /// Kept free at every side, in points.
    public let margin: Double
    /// What the text's alpha is multiplied by; bounded to 0…1.
    public let opacity: Double

    /// A transformer that writes a text on pictures.
    public init(
        _ text: String, style: TextStyle = TextStyle(), anchor: ImageAnchor = .bottomRight, margin: Double = 8,
        opacity: Double = 1
    ) {
        self.text = text
        self.style = style
        self.anchor = anchor
        self.margin = margin
        self.opacity = opacity
    }

    /// `TextWatermark(© A,Sans,16.0,400,upright,#ff000000,leading,tail,1.0,bottomRight,8.0,1.0,1)`: text, family, size,
    /// weight, slant, colour, alignment, truncation, line height, anchor, margin, opacity, version. In text and family
    /// `%`, parentheses and commas are written as `%25` and so on. Which font a family name stands for is the system's
    /// to say, and not in the key.
    public var key: String {
        let parts = [
            escaped(text), escaped(style.family), "\(style.size + 0)", "\(style.weight.rawValue)",
            style.slant.rawValue, style.color.hexadecimal, style.alignment.rawValue, style.truncation.rawValue,
            "\(style.lineHeightMultiple + 0)", anchor.rawValue, "\(margin + 0)", "\(opacity + 0)", "1",
        ]
        return "TextWatermark(\(parts.joined(separator: ",")))"
    }

    /// The picture with the text on it; one that the margins leave no room for stays as it is.
    ///
    /// - Throws: `transformFailed` for a margin or an opacity that is not finite, and what measuring and drawing throw.
    public func transform(_ image: DecodedImage) throws(ImageError) -> DecodedImage {
        guard margin.isFinite, opacity.isFinite else {
            throw ImageError(
                .transformFailed, .transform,
                "a text cannot be written on a picture with margin \(margin), opacity \(opacity)")
        }
        let room = ImageSize(image.size.width - 2 * margin, image.size.height - 2 * margin)
        guard room.width > 0, room.height > 0 else { return image }
        let place = try place(in: room)
        return try image.drawing { context in
            context.opacity = opacity
            context.drawText(text, in: place, style: style)
        }
    }

    /// The text's box in the picture.
    private func place(in room: ImageSize) throws(ImageError) -> ImageRect {
        let measured = try style.size(of: text, width: room.width)
        // A little wider than measured, so that no rounding breaks another line.
        let size = ImageSize(min(measured.width + 0.01, room.width), min(measured.height + 0.01, room.height))
        let (freeX, freeY) = (room.width - size.width, room.height - size.height)
        let x =
            switch anchor {
            case .topLeft, .left, .bottomLeft: 0.0
            case .top, .center, .bottom: freeX / 2
            case .topRight, .right, .bottomRight: freeX
            }
        let y =
            switch anchor {
            case .topLeft, .top, .topRight: 0.0
            case .left, .center, .right: freeY / 2
            case .bottomLeft, .bottom, .bottomRight: freeY
            }
        return ImageRect(x: margin + x, y: margin + y, width: size.width, height: size.height)
    }

    private func escaped(_ text: String) -> String {
        CacheKey.escaped(text).split(separator: ",", omittingEmptySubsequences: false).joined(separator: "%2C")
    }
}

extension ImageTransformer where Self == TextWatermarkTransformer {
    /// Writes a text on a picture; the margin is in points.
    public static func watermark(
        text: String, style: TextStyle = TextStyle(), anchor: ImageAnchor = .bottomRight, margin: Double = 8,
        opacity: Double = 1
    ) -> TextWatermarkTransformer {
        TextWatermarkTransformer(text, style: style, anchor: anchor, margin: margin, opacity: opacity)
    }
}
