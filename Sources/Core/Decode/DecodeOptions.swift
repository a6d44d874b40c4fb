public import WebImagePixels

/// How a picture is to be decoded. Two loads with equal options share one decode.
public struct DecodeOptions: Sendable, Hashable {
    /// Decode no larger than this many pixels; `nil` decodes in full. Never enlarges. See `PixelSize.fitted(in:)`.
    public var thumbnailPixelSize: ImageSize?
    /// Whether a thumbnail keeps the picture's proportions. Default `true`; `false` stretches to the size.
    public var preservesAspectRatio: Bool
    /// The most bytes that the decoded picture may take, at 4 bytes a pixel: it is made smaller until it does, down to
    /// 1×1, proportions kept. `nil` sets no bound. A thumbnail size does not count beside it.
    public var scaleDownByteLimit: Int?
    /// Which frame of an animation, from 0; composed as it shows. Default 0.
    public var frameIndex: Int
    /// Pixels per point of the result. Default 1.
    public var scaleFactor: Double
    /// What becomes of the file's colour. Default `.sRGB`.
    public var colorConversion: ColorConversion
    /// Whether the result's alpha is `.premultiplied` (default) or `.straight`. A picture without alpha is `.opaque`.
    public var alpha: AlphaMode
    /// What the picture may cost.
    public var limits: DecodeLimits

    /// What becomes of the file's colour.
    public enum ColorConversion: Sendable, Hashable {
        /// Profiles, gamma and code points are applied: the result is sRGB.
        case sRGB
        /// The file's samples as they are. CMYK is converted all the same, by the plain formula.
        case none
    }

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
        colorConversion = .sRGB
        alpha = .premultiplied
    }

    /// The size that a picture of the given upright size is decoded to.
    public func targetSize(for upright: PixelSize) -> PixelSize {
        if let scaleDownByteLimit { return upright.fitted(inByteCount: scaleDownByteLimit) }
        guard let thumbnailPixelSize else { return upright }
        return upright.fitted(in: thumbnailPixelSize, preservesAspectRatio: preservesAspectRatio)
    }
}
