/// Makes another picture of a picture, between decoding and storing.
///
/// A value. Its key is part of the cache key of the result, so it must name every parameter that changes pixels, and a
/// version that goes up when the same parameters begin to give other pixels.
public protocol ImageTransformer: Sendable {
    /// `Name(parameter,parameter,version)`; two transformers with the same key give the same pixels.
    var key: String { get }

    /// The steps this transformer consists of, in order; itself for most. Each adds its key to the cache key.
    var stages: [any ImageTransformer] { get }

    /// The new picture. May take long; never called on Swift's cooperative pool.
    ///
    /// - Throws: `transformFailed` when no picture can be made; nothing is stored then.
    func transform(_ image: DecodedImage) throws(ImageError) -> DecodedImage
}

extension ImageTransformer {
    /// The transformer itself.
    public var stages: [any ImageTransformer] { [self] }
}
