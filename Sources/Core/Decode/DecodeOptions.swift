public import WebImagePixels

/// How a picture is to be decoded. Two loads with equal options share one decode.
public struct DecodeOptions: Sendable, Hashable {
    /// Decode no larger than this many pixels; `nil` decodes in full. Never enlarges. See `PixelSize.fitted(in:)`.
    public var thumbnailPixelSize: ImageSize?
    /// Whether a thumbnail keeps the picture's proportions. Default `true`; `false` stretches to the size.
    public var preservesAspectRatio: Bool
    /// Which frame of an animation, from 0; composed as it shows. Default 0.
    public var frameIndex: Int
    /// Pixels per point of the result. Default 1.
    public var scaleFactor: Double
    /// What the picture may cost.
    public var limits: DecodeLimits

    /// The defaults, or some of them changed.
    public init(
        thumbnailPixelSize: ImageSize? = nil, preservesAspectRatio: Bool = true, frameIndex: Int = 0,
        scaleFactor: Double = 1, limits: DecodeLimits = DecodeLimits()
    ) {
        self.thumbnailPixelSize = thumbnailPixelSize
        self.preservesAspectRatio = preservesAspectRatio
        self.frameIndex = frameIndex
        self.scaleFactor = scaleFactor
        self.limits = limits
    }

    /// The size that a picture of the given upright size is decoded to.
    public func targetSize(for upright: PixelSize) -> PixelSize {
        guard let thumbnailPixelSize else { return upright }
        return upright.fitted(in: thumbnailPixelSize, preservesAspectRatio: preservesAspectRatio)
    }
}

/// How a picture is to be encoded.
public struct EncodeOptions: Sendable, Hashable {
    /// 0…1 for lossy formats; larger is better and bigger. Default 0.9.
    public var quality: Double
    /// What shows through transparent pixels in a format without alpha. Default white.
    public var backgroundColor: PixelColor

    /// The defaults, or some of them changed.
    public init(quality: Double = 0.9, backgroundColor: PixelColor = PixelColor(255, 255, 255)) {
        self.quality = quality
        self.backgroundColor = backgroundColor
    }
}
