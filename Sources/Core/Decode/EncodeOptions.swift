public import WebImagePixels

/// How a picture or an animation is to be encoded.
public struct EncodeOptions: Sendable, Hashable {
    /// 0…1 for lossy formats; larger is better and bigger. Default 0.9.
    public var quality: Double
    /// What shows through transparent pixels in a format without alpha. Default white.
    public var backgroundColor: PixelColor
    /// Encode no larger than this many pixels, proportions kept; `nil` keeps the size.
    public var maxPixelSize: ImageSize?
    /// The most bytes of the file: quality, then size are lowered until it fits. `nil` sets no bound.
    public var maxByteCount: Int?
    /// Write only the first frame of an animation. Default `false`.
    public var firstFrameOnly: Bool
    /// How often an animation is played, 0 for ever; `nil` is as the frames say.
    public var loopCount: Int?
    /// What to write beside the pixels, as far as the format can hold it. Default nothing.
    public var metadata: ImageMetadata

    /// The defaults, or some of them changed.
    public init(quality: Double = 0.9, backgroundColor: PixelColor = PixelColor(255, 255, 255)) {
        self.quality = quality
        self.backgroundColor = backgroundColor
        firstFrameOnly = false
        metadata = ImageMetadata()
    }
}
