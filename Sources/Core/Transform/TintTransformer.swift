public import WebImagePixels

/// Lays a colour over the whole picture. With the default, source in, the picture's shape takes the colour.
public struct TintTransformer: ImageTransformer, Hashable {
    /// A transparent one changes nothing, whatever the mode.
    public let color: PixelColor
    /// How the colour is laid over the picture.
    public let blendMode: BlendMode

    /// A transformer that lays a colour over pictures.
    public init(color: PixelColor, blendMode: BlendMode = .sourceIn) {
        self.color = color
        self.blendMode = blendMode
    }

    /// `Tint(#ff000000,18,1)`: colour, blend mode by Core Graphics' number, version.
    public var key: String { "Tint(\(color.hexadecimal),\(blendMode.rawValue),1)" }

    /// The tinted picture; never throws.
    public func transform(_ image: DecodedImage) -> DecodedImage {
        color.alpha == 0 ? image : image.transformed(to: image.pixels.tinted(color, blendMode: blendMode))
    }
}

extension ImageTransformer where Self == TintTransformer {
    /// Gives the picture's shape a colour, or lays it over the picture in another blend mode.
    public static func tint(_ color: PixelColor, blendMode: BlendMode = .sourceIn) -> TintTransformer {
        TintTransformer(color: color, blendMode: blendMode)
    }

    /// Lays a colour, usually a translucent one, over the picture's shape.
    public static func overlay(_ color: PixelColor) -> TintTransformer {
        TintTransformer(color: color, blendMode: .sourceAtop)
    }
}
