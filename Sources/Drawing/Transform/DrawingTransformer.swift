public import WebImageCore

/// A transformer that draws on a picture, made of a closure and the key that names what it draws.
public struct DrawingTransformer: ImageTransformer {
    /// `Drawing(…)` around the caller's key, in which `%`, `(` and `)` are written as `%25`, `%28` and `%29`: so that
    /// it can never be that of another transformer.
    public let key: String
    private let actions: @Sendable (DrawingContext, DecodedImage) throws -> Void

    /// A transformer that draws.
    ///
    /// - Parameters:
    ///   - key: Must name every parameter that changes pixels, and change when the closure does.
    ///   - actions: Draws on the picture, which is there already and given beside, in its points. Runs on a thread of
    ///     the library, any number of times at once.
    public init(
        key: String, _ actions: @escaping @Sendable (DrawingContext, DecodedImage) throws -> Void
    ) {
        self.key = "Drawing(\(CacheKey.escaped(key)))"
        self.actions = actions
    }

    /// The picture with the drawing on it; throws as `DecodedImage.drawing(_:)`.
    public func transform(_ image: DecodedImage) throws(ImageError) -> DecodedImage {
        try image.drawing { context in try actions(context, image) }
    }
}

extension ImageTransformer where Self == DrawingTransformer {
    /// Draws on a picture; the key must name every parameter that changes pixels.
    public static func drawing(
        key: String, _ actions: @escaping @Sendable (DrawingContext, DecodedImage) throws -> Void
    ) -> DrawingTransformer {
        DrawingTransformer(key: key, actions)
    }
}
