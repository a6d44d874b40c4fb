import WebImagePixels

extension Path {
    /// A part of an ellipse in curves of at most a quarter turn, with a straight line to its beginning.
    ///
    /// - Parameters:
    ///   - centre: Of the ellipse.
    ///   - radii: Half its width and height.
    ///   - start: In radians, clockwise from the right.
    ///   - sweep: At most a whole turn; negative is counter-clockwise.
    mutating func addTurns(around centre: ImagePoint, radii: ImageSize, from start: Double, by sweep: Double) {
        guard start.isFinite, sweep.isFinite else { return addLine(to: ImagePoint(.nan, .nan)) }
        let count = max(1, Int((abs(sweep) / (.pi / 2) - 1e-9).rounded(.up)))
        let step = sweep / Double(count)
        // 4/3 · tan(step / 4), the usual distance of the control points; tan by the half-angle formula.
        let half = Angle(step / 2)
        let reach = 4 / 3 * half.sine / (1 + half.cosine)
        func point(_ angle: Angle, _ tangent: Double) -> ImagePoint {
            ImagePoint(
                centre.x + (angle.cosine - tangent * angle.sine) * radii.width,
                centre.y + (angle.sine + tangent * angle.cosine) * radii.height)
        }
        var from = Angle(start)
        addLine(to: point(from, 0))
        for index in 1...count {
            let to = Angle(start + step * Double(index))
            addCurve(to: point(to, 0), control1: point(from, reach), control2: point(to, -reach))
            from = to
        }
    }
}
