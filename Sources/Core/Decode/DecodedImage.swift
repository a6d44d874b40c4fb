public import WebImagePixels

/// A picture ready to be shown: pixels, and what is known of where they came from.
///
/// Immutable, so that any thread may read it. A class, because the weak layer of the memory cache asks whether this
/// very picture is still in use somewhere.
public final class DecodedImage: Sendable {
    /// The pixels, upright; premultiplied unless asked otherwise.
    public let pixels: PixelBuffer
    /// What is known beside the pixels.
    public let attributes: Attributes

    /// What is known of a picture beside its pixels. A transformer hands them on.
    public struct Attributes: Sendable, Hashable {
        /// The format of the file it came from; `nil` for a picture that was drawn.
        public var format: ImageFormat?
        /// Pixels per point.
        public var scale: Double
        /// How many frames the file has; this picture is one of them.
        public var frameCount: Int
        /// How often the animation is played; 0 is for ever.
        public var loopCount: Int
        /// Whether it was decoded smaller than the file's picture, or is a part of it.
        public var isThumbnail: Bool
        /// Whether a transformer made it.
        public var isTransformed: Bool
        /// Whether the file holds no pixels but shapes, that can be drawn at any size.
        public var isVector: Bool

        /// What is known; the defaults are those of a still picture that was drawn.
        public init(
            format: ImageFormat? = nil, scale: Double = 1, frameCount: Int = 1, loopCount: Int = 0,
            isThumbnail: Bool = false, isTransformed: Bool = false
        ) {
            self.format = format
            self.scale = scale
            self.frameCount = frameCount
            self.loopCount = loopCount
            self.isThumbnail = isThumbnail
            self.isTransformed = isTransformed
            isVector = false
        }
    }

    /// A picture of the given pixels, which it shares until one of the two is changed.
    public init(pixels: PixelBuffer, attributes: Attributes = Attributes()) {
        self.pixels = pixels
        self.attributes = attributes
    }

    /// The size in pixels, upright.
    public var pixelSize: PixelSize { pixels.size }
    /// The size in points: pixels divided by the scale.
    public var size: ImageSize {
        ImageSize(Double(pixels.width) / attributes.scale, Double(pixels.height) / attributes.scale)
    }
    /// Whether the file is an animation.
    public var isAnimated: Bool { attributes.frameCount > 1 }
    /// What the memory cache charges for it, in bytes.
    public var memoryCost: Int { pixels.byteCount }
}
