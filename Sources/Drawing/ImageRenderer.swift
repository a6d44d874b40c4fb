public import WebImageCore
public import WebImagePixels

/// Makes a picture of shapes, pictures and text: what Apple's `UIGraphicsImageRenderer` and SDWebImage's
/// `SDGraphicsImageRenderer` do, on cairo and pango.
///
/// A value that any thread may use, several at once: each picture has its own memory. Pixels are 8-bit sRGB.
public struct ImageRenderer: Hashable, Sendable {
    /// The size of the picture in points.
    public let size: ImageSize
    /// Pixels per point, and whether there is alpha.
    public let format: ImageRendererFormat

    /// A renderer of pictures of one size; whether it can be drawn is said when it is.
    public init(size: ImageSize, format: ImageRendererFormat = ImageRendererFormat()) {
        self.size = size
        self.format = format
    }

    /// Draws a picture. Takes as long as the drawing does, on the calling thread.
    ///
    /// - Parameter actions: The drawing; called once, before this returns.
    /// - Returns: A picture of size × scale pixels, rounded, with the format's scale.
    /// - Throws: `transformFailed` for a size that is empty or no number, and for what cannot be drawn (see
    ///   `DrawingContext`); `limitExceeded` for a side of more than 32,767 pixels, or more pixels than
    ///   `DecodeLimits.maxPixelCount`; an `ImageError` that `actions` throws, and any other error as the `underlying`
    ///   one of a `transformFailed`.
    public func image(
        _ actions: (DrawingContext) throws -> Void
    ) throws(ImageError) -> DecodedImage {
        let layout = PixelBuffer.Layout(alpha: format.isOpaque ? .opaque : .premultiplied)
        guard var pixels = PixelBuffer(size: try pixelSize, layout: layout) else {
            throw ImageError(.limitExceeded, .transform, "no memory can hold a picture of \(size)")
        }
        try pixels.draw(scale: format.scale, actions)
        return DecodedImage(pixels: pixels, attributes: .init(scale: format.scale))
    }

    private var pixelSize: PixelSize {
        get throws(ImageError) {
            let width = (size.width * format.scale).rounded()
            let height = (size.height * format.scale).rounded()
            guard width >= 1, height >= 1, format.scale > 0, format.scale.isFinite else {
                throw ImageError(
                    .transformFailed, .transform,
                    "a picture of \(size.width)×\(size.height) at scale \(format.scale) has no pixels to draw on")
            }
            let (side, count) = (CairoSurface.maxSide, DecodeLimits().maxPixelCount)
            guard max(width, height) <= Double(side), width * height <= Double(count) else {
                throw ImageError(
                    .limitExceeded, .transform,
                    "a picture of \(width)×\(height) pixels cannot be drawn; each side has at most \(side), "
                        + "and both together \(count)")
            }
            return PixelSize(Int(width), Int(height))
        }
    }
}

extension DecodedImage {
    /// This picture with something drawn on it: a new picture of the same size and scale, in 8-bit sRGB. What is known
    /// of it is kept, and it counts as transformed.
    ///
    /// - Throws: As `ImageRenderer.image(_:)`, and of a picture decoded lazily what the coder says of the bytes.
    public func drawing(
        _ actions: (DrawingContext) throws -> Void
    ) throws(ImageError) -> DecodedImage {
        var pixels = try decoded().pixels.drawable
        try pixels.draw(scale: attributes.scale, actions)
        return transformed(to: pixels)
    }
}
