import CWebImagePangoCairo
import WebImageCore
import WebImagePixels

extension CairoCanvas {
    /// Makes a path the current one.
    ///
    /// - Returns: `false` when it cannot be drawn, which is noted, or nothing can be drawn any more.
    func setPath(_ path: Path) -> Bool {
        guard isSound else { return false }
        unsafe cairo_new_path(cairo)
        let matrix = matrix
        for element in path.elements {
            guard add(element, matrix) else { return false }
        }
        return true
    }

    private func add(_ element: Path.Element, _ matrix: CairoMatrix) -> Bool {
        switch element {
        case .move(let point):
            guard hold(point, matrix) else { return false }
            unsafe cairo_move_to(cairo, point.x, point.y)
        case .line(let point):
            guard hold(point, matrix) else { return false }
            unsafe cairo_line_to(cairo, point.x, point.y)
        case .curve(let point, let control1, let control2):
            guard hold(point, matrix), hold(control1, matrix), hold(control2, matrix) else { return false }
            unsafe cairo_curve_to(cairo, control1.x, control1.y, control2.x, control2.y, point.x, point.y)
        case .close:
            unsafe cairo_close_path(cairo)
        }
        return true
    }

    /// Whether a point can be drawn; notes where it cannot.
    func hold(_ point: ImagePoint, _ matrix: CairoMatrix) -> Bool {
        if matrix.holds(point) { return true }
        fail("the point (\(point.x),\(point.y)) cannot be drawn; it must lie within \(Int(CairoMatrix.reach)) pixels")
        return false
    }

    /// Whether all of a rectangle can be drawn; notes where it cannot.
    func hold(_ rect: ImageRect, _ matrix: CairoMatrix) -> Bool {
        let (right, bottom) = (rect.x + rect.width, rect.y + rect.height)
        return hold(ImagePoint(rect.x, rect.y), matrix) && hold(ImagePoint(right, rect.y), matrix)
            && hold(ImagePoint(right, bottom), matrix) && hold(ImagePoint(rect.x, bottom), matrix)
    }

    /// Fills the current path with the source. Whatever the blend mode nothing changes outside the path.
    func fill(_ rule: FillRule) {
        unsafe cairo_set_fill_rule(cairo, rule == .winding ? CAIRO_FILL_RULE_WINDING : CAIRO_FILL_RULE_EVEN_ODD)
        guard setOperator() else { return }
        guard blendMode.reachesOut else { return unsafe cairo_fill(cairo) }
        unsafe cairo_save(cairo)
        unsafe cairo_clip(cairo)
        unsafe cairo_paint(cairo)
        unsafe cairo_restore(cairo)
    }

    /// Draws along the current path with the source.
    func stroke(_ style: StrokeStyle) {
        guard style.lineWidth > 0, setOperator() else { return }
        unsafe cairo_set_line_width(cairo, style.lineWidth)
        unsafe cairo_set_line_cap(cairo, style.lineCap.cairo)
        unsafe cairo_set_line_join(cairo, style.lineJoin.cairo)
        unsafe cairo_set_miter_limit(cairo, style.boundedMiterLimit)
        let isSolid = style.dash.allSatisfy { $0 == 0 }
        unsafe style.dash.withUnsafeBufferPointer { dash in
            unsafe cairo_set_dash(cairo, dash.baseAddress, isSolid ? 0 : Int32(dash.count), style.dashPhase)
        }
        unsafe cairo_stroke(cairo)
    }

    /// Sets how things are laid over what is there; notes a mode that cairo has not.
    func setOperator() -> Bool {
        guard let mode = blendMode.cairo else {
            fail("cairo has no blend mode plusDarker; the compositing transformer has it")
            return false
        }
        unsafe cairo_set_operator(cairo, mode)
        return true
    }
}

extension StrokeStyle {
    var boundedMiterLimit: Double { miterLimit > 1 ? min(miterLimit, 100) : 1 }

    /// What is wrong with the style for a path, or `nil`.
    func fault(along path: Path, _ matrix: CairoMatrix) -> String? {
        guard lineWidth.isFinite, !miterLimit.isNaN, dashPhase.isFinite, dash.allSatisfy({ $0.isFinite && $0 >= 0 })
        else { return "a line cannot be drawn with width \(lineWidth), dash \(dash.prefix(8)), phase \(dashPhase)" }
        guard matrix.bound(lineWidth) * boundedMiterLimit <= CairoMatrix.reach else {
            return "a line \(lineWidth) wide cannot be drawn; it must be thinner"
        }
        guard dash.count <= 1_000 else { return "a line cannot be drawn with \(dash.count) dashes; at most 1000" }
        let period = dash.reduce(0, +)
        guard period == 0 || path.lengthBound / period * Double(dash.count) <= 100_000 else {
            return "a line cannot be drawn with more than 100000 dashes; make them longer"
        }
        return nil
    }
}

extension LineCap {
    fileprivate var cairo: cairo_line_cap_t {
        switch self {
        case .butt: CAIRO_LINE_CAP_BUTT
        case .round: CAIRO_LINE_CAP_ROUND
        case .square: CAIRO_LINE_CAP_SQUARE
        }
    }
}

extension LineJoin {
    fileprivate var cairo: cairo_line_join_t {
        switch self {
        case .miter: CAIRO_LINE_JOIN_MITER
        case .round: CAIRO_LINE_JOIN_ROUND
        case .bevel: CAIRO_LINE_JOIN_BEVEL
        }
    }
}
