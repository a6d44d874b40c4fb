import CWebImagePangoCairo
import WebImageCore
public import WebImagePixels

extension DrawingContext {
    /// Draws text at a point, the top left corner of its box; only the text's own line ends break it.
    ///
    /// Letters that no font of the system has become boxes with their numbers. NUL characters are left out. What
    /// `TextStyle.size(of:width:)` throws is the drawing's error.
    public func drawText(_ text: String, at point: ImagePoint, style: TextStyle) {
        draw(text, style, at: point, in: nil)
    }

    /// Draws text from the top of a rectangle down, broken at its width, between words if that is possible; what does
    /// not fit in its height is left out as the style says. A rectangle without area gets nothing.
    public func drawText(_ text: String, in rect: ImageRect, style: TextStyle) {
        guard canvas.isSound, !(rect.width <= 0), !(rect.height <= 0), canvas.hold(rect, canvas.matrix) else { return }
        draw(text, style, at: ImagePoint(rect.x, rect.y), in: ImageSize(rect.width, rect.height))
    }

    private func draw(_ text: String, _ style: TextStyle, at point: ImagePoint, in room: ImageSize?) {
        guard canvas.isSound, canvas.hold(point, canvas.matrix), canvas.setOperator() else { return }
        do throws(ImageError) {
            let laidOut = try PangoText(text, style, in: room)
            let size = laidOut.size
            let box = ImageRect(x: point.x, y: point.y, width: size.width, height: size.height)
            guard canvas.hold(box, canvas.matrix), canvas.setSource(.color(style.color)) else { return }
            unsafe cairo_save(canvas.cairo)
            unsafe cairo_translate(canvas.cairo, point.x, point.y)
            laidOut.draw(on: canvas)
            unsafe cairo_restore(canvas.cairo)
        } catch {
            canvas.fail(error)
        }
    }
}
