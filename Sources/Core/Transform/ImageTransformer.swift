public import WebImagePixels

/// Makes another picture of a picture, between decoding and storing.
///
/// A value. Its key is part of the cache key of the result, so it must name every parameter that changes pixels, and a
/// version that goes up when the same parameters begin to give other pixels.
public protocol ImageTransformer: Sendable {
    /// `Name(parameter,parameter,version)`; two transformers with the same key give the same pixels.
    var key: String { get }

    /// The steps this transformer consists of, in order; itself for most. Each adds its key to the cache key.
    var stages: [any ImageTransformer] { get }

    /// Whether the result keeps what is known of the picture beside its pixels: format, loop count and the like.
    /// Default `true`; `false` for a pipeline, whose stages decide for themselves.
    var preservesImageMetadata: Bool { get }

    /// The new picture. May take long; never called on Swift's cooperative pool.
    ///
    /// It has one of `ImageManager.Configuration.maxConcurrentTransforms` places meanwhile. So it may wait for a load
    /// of another picture that needs none: not for one that is transformed too, or a thumbnail of a picture in memory.
    /// An interceptor may wait for any.
    ///
    /// - Throws: `transformFailed` when no picture can be made; nothing is stored then.
    func transform(_ image: DecodedImage) throws(ImageError) -> DecodedImage
}

extension ImageTransformer {
    /// The transformer itself.
    public var stages: [any ImageTransformer] { [self] }

    /// Kept.
    public var preservesImageMetadata: Bool { true }

    /// What `transform` makes of a picture, with the picture's metadata where they are preserved. The manager,
    /// pipelines and animations call this.
    ///
    /// - Throws: What `transform` throws, and of a picture decoded lazily what the coder says of the bytes.
    public func apply(to image: DecodedImage) throws(ImageError) -> DecodedImage {
        let image = try image.decoded()
        let result = try transform(image)
        guard preservesImageMetadata, result !== image else { return result }
        var attributes = result.attributes
        attributes.preserve(image.attributes)
        return attributes == result.attributes ? result : result.with(attributes)
    }
}

extension DecodedImage.Attributes {
    /// Takes over what a picture made of another still has in common with it. Its scale is that of its own pixels,
    /// and it is one frame.
    fileprivate mutating func preserve(_ source: DecodedImage.Attributes) {
        format = source.format
        loopCount = source.loopCount
        isThumbnail = source.isThumbnail
        decodeOptions = source.decodeOptions
        extendedData = source.extendedData
        isTransformed = true
    }
}

extension DecodedImage {
    /// The picture that a transformer made of this one: other pixels, the rest as it was. One frame, and no shapes.
    public func transformed(to pixels: PixelBuffer) -> DecodedImage {
        var attributes = attributes
        attributes.isTransformed = true
        attributes.frameCount = 1
        attributes.isVector = false
        return DecodedImage(pixels: pixels, attributes: attributes)
    }
}
