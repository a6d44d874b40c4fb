import CWebImagePangoCairo
public import WebImagePixels

/// Where a drawing is made: shapes, pictures and text, one over the other, in points from the top left corner.
///
/// It lives while the closure that draws runs, and belongs to its thread; kept for longer it does nothing. As with
/// cairo, on which it draws, the first error stays: what is drawn after it does nothing, and the renderer throws it at
/// the end. A number that is not finite, a point more than 4,194,304 pixels from the origin, and a transformation that
/// leaves no area are such errors, `transformFailed`.
public final class DrawingContext {
    /// The size of what is drawn on, in points.
    public let size: ImageSize
    /// Pixels per point at the beginning of the drawing.
    public let scale: Double
    let canvas: CairoCanvas

    init(_ canvas: CairoCanvas, size: ImageSize, scale: Double) {
        self.canvas = canvas
        self.scale = scale
        self.size = ImageSize(size.width / scale, size.height / scale)
        unsafe cairo_scale(canvas.cairo, scale, scale)
    }

    /// All of what is drawn on, in the coordinates of the drawing's beginning.
    public var bounds: ImageRect { ImageRect(x: 0, y: 0, width: size.width, height: size.height) }
}
