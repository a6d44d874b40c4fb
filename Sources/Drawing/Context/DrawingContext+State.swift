import CWebImagePangoCairo
public import WebImagePixels

extension DrawingContext {
    /// What everything drawn from here on is multiplied by; bounded to 0…1. At first 1.
    public var opacity: Double {
        get { canvas.opacity }
        set {
            guard !newValue.isNaN else { return canvas.fail("nothing can be drawn with an opacity that is no number") }
            canvas.opacity = min(max(0, newValue), 1)
        }
    }

    /// How everything drawn from here on is laid over what is there. At first `.normal`. `plusDarker` cannot be drawn
    /// with.
    ///
    /// Outside of a shape or a picture nothing changes. Lines and text in one of `sourceIn`, `sourceOut`,
    /// `destinationIn` and `destinationAtop` change all that the clip lets through.
    public var blendMode: BlendMode {
        get { canvas.blendMode }
        set { canvas.blendMode = newValue }
    }

    /// Runs a part of the drawing; transformation, clip, opacity and blend mode are as before after it.
    public func saved<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        let (opacity, blendMode) = (canvas.opacity, canvas.blendMode)
        unsafe cairo_save(canvas.cairo)
        defer {
            unsafe cairo_restore(canvas.cairo)
            (canvas.opacity, canvas.blendMode) = (opacity, blendMode)
        }
        try body()
    }

    /// Runs a part of the drawing on a layer of its own, transparent at first, and lays it over what is there as one
    /// picture: with the opacity and blend mode at the time of the call.
    ///
    /// Takes the memory of what the clip lets through.
    public func withLayer<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        guard canvas.isSound else { return }
        try saved { () throws(Failure) in
            let (opacity, blendMode) = (canvas.opacity, canvas.blendMode)
            unsafe cairo_push_group(canvas.cairo)
            (canvas.opacity, canvas.blendMode) = (1, .normal)
            defer {
                unsafe cairo_pop_group_to_source(canvas.cairo)
                (canvas.opacity, canvas.blendMode) = (opacity, blendMode)
                if canvas.setOperator() { unsafe cairo_paint_with_alpha(canvas.cairo, opacity) }
            }
            try body()
        }
    }

    /// Moves the origin of what follows, in points.
    public func translateBy(x: Double, y: Double) {
        transform(cairo_matrix_t(xx: 1, yx: 0, xy: 0, yy: 1, x0: x, y0: y))
    }

    /// Enlarges what follows; a negative factor mirrors, and one of 0 is an error.
    public func scaleBy(x: Double, y: Double) {
        transform(cairo_matrix_t(xx: x, yx: 0, xy: 0, yy: y, x0: 0, y0: 0))
    }

    /// Turns what follows about the origin, clockwise as seen, in radians. Quarter turns are exact.
    public func rotate(by radians: Double) {
        guard radians.isFinite else { return canvas.fail("a drawing cannot be turned by \(radians) radians") }
        let angle = Angle(radians)
        transform(
            cairo_matrix_t(xx: angle.cosine, yx: angle.sine, xy: -angle.sine, yy: angle.cosine, x0: 0, y0: 0))
    }

    private func transform(_ matrix: cairo_matrix_t) {
        guard canvas.isSound else { return }
        let numbers = [matrix.xx, matrix.yx, matrix.xy, matrix.yy, matrix.x0, matrix.y0]
        guard numbers.allSatisfy({ $0.isFinite && abs($0) <= 1e9 }) else {
            return canvas.fail("a drawing cannot be moved or enlarged by a number beyond a thousand million")
        }
        var matrix = matrix
        unsafe cairo_transform(canvas.cairo, &matrix)
    }
}
