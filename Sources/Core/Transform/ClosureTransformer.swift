public import WebImagePixels

/// A transformer of one's own, made of a closure and the key that names what it does.
public struct ClosureTransformer: ImageTransformer {
    /// `Custom(…)` around the caller's key, in which `%`, `(` and `)` are written as `%25`, `%28` and `%29`: so that it
    /// can never be that of another transformer.
    public let key: String
    private let change: @Sendable (PixelBuffer) throws -> PixelBuffer

    /// A transformer of one's own.
    ///
    /// - Parameters:
    ///   - key: Must name every parameter that changes pixels, and change when the closure does.
    ///   - change: The new pixels. May take long and runs on a thread of the library, any number of times at once; what
    ///     it throws becomes a `transformFailed`, unless it is an `ImageError`.
    public init(key: String, _ change: @escaping @Sendable (PixelBuffer) throws -> PixelBuffer) {
        self.key = "Custom(\(CacheKey.escaped(key)))"
        self.change = change
    }

    /// What the closure makes of the picture's pixels.
    public func transform(_ image: DecodedImage) throws(ImageError) -> DecodedImage {
        do {
            return image.transformed(to: try change(image.pixels))
        } catch let error as ImageError {
            throw error
        } catch {
            throw ImageError(
                .transformFailed, .transform, "the closure of \(key) failed: \(error)", underlying: error)
        }
    }
}

extension ImageTransformer where Self == ClosureTransformer {
    /// A transformer of one's own; the key must name every parameter that changes pixels.
    public static func custom(
        key: String, _ change: @escaping @Sendable (PixelBuffer) throws -> PixelBuffer
    ) -> ClosureTransformer {
        ClosureTransformer(key: key, change)
    }
}
