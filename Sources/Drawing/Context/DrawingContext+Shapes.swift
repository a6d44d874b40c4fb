import CWebImagePangoCairo
public import WebImagePixels

extension DrawingContext {
    /// Fills a path; its open parts count as closed.
    public func fill(_ path: Path, with shading: Shading, rule: FillRule = .winding) {
        guard canvas.setPath(path), canvas.setSource(shading) else { return }
        canvas.fill(rule)
    }

    /// Draws a line along a path. A part of a path that is one point only is drawn where the line's ends are round or
    /// square.
    ///
    /// A line of more than 100,000 dashes is an error, `transformFailed`.
    public func stroke(_ path: Path, with shading: Shading, style: StrokeStyle = StrokeStyle()) {
        guard canvas.setPath(path), canvas.setSource(shading) else { return }
        if let fault = style.fault(along: path, canvas.matrix) { return canvas.fail(fault) }
        canvas.stroke(style)
    }

    /// Lets what follows be seen only inside a path, and inside every clip before; a path without lines hides all.
    /// `saved(_:)` ends it.
    public func clip(to path: Path, rule: FillRule = .winding) {
        guard canvas.setPath(path) else { return }
        unsafe cairo_set_fill_rule(
            canvas.cairo, rule == .winding ? CAIRO_FILL_RULE_WINDING : CAIRO_FILL_RULE_EVEN_ODD)
        unsafe cairo_clip(canvas.cairo)
    }

    /// Makes a rectangle transparent, or black where what is drawn on is opaque.
    public func clear(_ rect: ImageRect) {
        guard canvas.setPath(Path(rect)) else { return }
        unsafe cairo_set_operator(canvas.cairo, CAIRO_OPERATOR_CLEAR)
        unsafe cairo_fill(canvas.cairo)
    }
}
