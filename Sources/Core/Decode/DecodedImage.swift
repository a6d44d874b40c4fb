public import WebImageFoundation
public import WebImagePixels

/// A picture ready to be shown: pixels, and what is known of where they came from.
///
/// Immutable, so that any thread may read it. A class, because the weak layer of the memory cache asks whether this
/// very picture is still in use somewhere.
public final class DecodedImage: Sendable {
    /// The size in pixels, upright.
    public let pixelSize: PixelSize
    /// What is known beside the pixels.
    public let attributes: Attributes
    /// The playable form of the file, where the load asked for one. See `LoadContext.animatedImageClass`.
    public let animation: (any AnimatedImageRepresentation)?
    /// What the server said of the file that it was made of, where it came from a manager's load over HTTP.
    let validators: DiskMetadata.Validators?
    private let content: Content

    private enum Content: Sendable {
        case pixels(PixelBuffer)
        case deferred(DeferredPixels)
    }

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
        /// How it was decoded; `nil` for a picture that was drawn, and from a coder that does not say.
        public var decodeOptions: DecodeOptions?
        /// Whether the file holds no pixels but shapes, that can be drawn at any size.
        public var isVector: Bool
        /// Whether it is what could be shown before the whole file was there; never in a cache.
        public var isIncremental: Bool
        /// Whatever the caller wants to keep with the picture; the disk cache stores it beside the bytes.
        public var extendedData: Data?

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
            isIncremental = false
        }
    }

    /// A picture of the given pixels, which it shares until one of the two is changed.
    public init(pixels: PixelBuffer, attributes: Attributes = Attributes()) {
        pixelSize = pixels.size
        content = .pixels(pixels)
        animation = nil
        validators = nil
        self.attributes = attributes
    }

    /// A picture whose pixels are decoded when they are first asked for.
    init(deferring pixels: DeferredPixels, attributes: Attributes) {
        pixelSize = pixels.size
        content = .deferred(pixels)
        animation = nil
        validators = nil
        self.attributes = attributes
    }

    private init(
        _ other: DecodedImage, attributes: Attributes, animation: (any AnimatedImageRepresentation)?,
        validators: DiskMetadata.Validators?
    ) {
        self.validators = validators
        pixelSize = other.pixelSize
        content = other.content
        self.attributes = attributes
        self.animation = animation
    }

    /// The same pixels with other attributes.
    public func with(_ attributes: Attributes) -> DecodedImage {
        DecodedImage(self, attributes: attributes, animation: animation, validators: validators)
    }

    /// The same picture with a playable form.
    public func with(_ animation: any AnimatedImageRepresentation) -> DecodedImage {
        DecodedImage(self, attributes: attributes, animation: animation, validators: validators)
    }

    /// The same picture with what the server said of it; itself where that is known already.
    func with(_ validators: DiskMetadata.Validators?) -> DecodedImage {
        guard validators != self.validators else { return self }
        return DecodedImage(self, attributes: attributes, animation: animation, validators: validators)
    }

    /// The first frame as a still picture; a new object where this one is an animation.
    public var poster: DecodedImage {
        guard isAnimated || animation != nil else { return self }
        var attributes = attributes
        attributes.frameCount = 1
        return DecodedImage(self, attributes: attributes, animation: nil, validators: validators)
    }

    /// The pixels, upright; premultiplied unless asked otherwise.
    ///
    /// Of a picture decoded lazily the first call decodes, on the calling thread; when the bytes turn out to be damaged
    /// all pixels are transparent, and `decoded()` tells why.
    public var pixels: PixelBuffer {
        switch content {
        case .pixels(let pixels): pixels
        case .deferred(let deferred): deferred.pixels
        }
    }

    /// Whether the pixels are there; `false` for a picture decoded lazily until they were asked for.
    public var isDecoded: Bool {
        switch content {
        case .pixels: true
        case .deferred(let deferred): deferred.isDecoded
        }
    }

    /// This picture with its pixels there: itself, or a new one where it is decoded lazily. May take long; call it off
    /// the main thread and off Swift's cooperative pool.
    ///
    /// - Throws: What the coder says of the bytes.
    public func decoded() throws(ImageError) -> DecodedImage {
        switch content {
        case .pixels: self
        case .deferred(let deferred):
            DecodedImage(
                DecodedImage(pixels: try deferred.decode()), attributes: attributes, animation: animation,
                validators: validators)
        }
    }

    /// The size in points: pixels divided by the scale.
    public var size: ImageSize {
        ImageSize(Double(pixelSize.width) / attributes.scale, Double(pixelSize.height) / attributes.scale)
    }
    /// Whether the file is an animation.
    public var isAnimated: Bool { attributes.frameCount > 1 }
    /// What the memory cache charges for it, in bytes; until a lazy picture is decoded what its pixels will take, or
    /// its file where that is more.
    public var memoryCost: Int {
        let pixels =
            switch content {
            case .pixels(let pixels): pixels.byteCount
            case .deferred(let deferred): deferred.byteCount
            }
        let (sum, overflows) = pixels.addingReportingOverflow(animation?.memoryCost ?? 0)
        return overflows ? .max : sum
    }
}
