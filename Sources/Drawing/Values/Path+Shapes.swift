public import WebImagePixels

extension Path {
    /// Which way an arc turns, as seen.
    public enum Direction: Sendable, Hashable {
        /// As the hands of a clock.
        case clockwise
        /// Against them.
        case counterclockwise
    }

    /// A rectangle; without lines where it has no area.
    public init(_ rect: ImageRect) {
        self.init(roundedRect: rect, cornerRadius: 0)
    }

    /// A rectangle with round corners.
    ///
    /// - Parameters:
    ///   - rect: Without area it gives a path without lines.
    ///   - cornerRadius: In points; bounded to half the shorter side, and 0 and less rounds nothing.
    ///   - corners: Those to round.
    public init(roundedRect rect: ImageRect, cornerRadius: Double, corners: Corners = .all) {
        // Written so that what is not a number is kept, and told of when it is drawn.
        guard !(rect.width <= 0), !(rect.height <= 0) else { return }
        let radius = cornerRadius.isNaN ? .nan : min(max(0, cornerRadius), rect.width / 2, rect.height / 2)
        let (right, bottom) = (rect.x + rect.width, rect.y + rect.height)
        let places: [(Corners, ImagePoint, toX: Double, toY: Double)] = [
            (.topLeft, ImagePoint(rect.x, rect.y), 0, 1), (.topRight, ImagePoint(right, rect.y), -1, 0),
            (.bottomRight, ImagePoint(right, bottom), 0, -1), (.bottomLeft, ImagePoint(rect.x, bottom), 1, 0),
        ]
        for (corner, place, toX, toY) in places {
            let own = corners.contains(corner) ? radius : 0
            addCorner(at: place, radius: own, from: ImagePoint(toX, toY))
        }
        closeSubpath()
    }

    /// The ellipse that touches the sides of a rectangle; without lines where that has no area.
    public init(ellipseIn rect: ImageRect) {
        guard !(rect.width <= 0), !(rect.height <= 0) else { return }
        let (radiusX, radiusY) = (rect.width / 2, rect.height / 2)
        let centre = ImagePoint(rect.x + radiusX, rect.y + radiusY)
        addTurns(around: centre, radii: ImageSize(radiusX, radiusY), from: 0, by: 2 * .pi)
        closeSubpath()
    }

    /// One straight line, which can be stroked and not filled.
    public init(from start: ImagePoint, to end: ImagePoint) {
        move(to: start)
        addLine(to: end)
    }

    /// A part of a circle, with a straight line to its beginning from where the path is.
    ///
    /// - Parameters:
    ///   - center: The circle's.
    ///   - radius: In points; 0 gives the centre.
    ///   - start: In radians, clockwise from the right.
    ///   - end: Likewise. A whole turn or more from the start gives the whole circle.
    ///   - direction: Which way from start to end.
    public mutating func addArc(
        center: ImagePoint, radius: Double, from start: Double, to end: Double, direction: Direction = .clockwise
    ) {
        let turn = 2 * Double.pi
        var sweep = direction == .clockwise ? end - start : start - end
        if sweep.isFinite, abs(sweep) >= turn {
            sweep = turn
        } else if sweep < 0 {
            sweep += turn
        }
        let signed = direction == .clockwise ? sweep : -sweep
        addTurns(around: center, radii: ImageSize(radius, radius), from: start, by: signed)
    }

    private mutating func addCorner(at place: ImagePoint, radius: Double, from side: ImagePoint) {
        guard radius != 0 else { return addLine(to: place) }
        // `side` leads to where the corner begins; a quarter turn clockwise of it to where it ends.
        let begin = ImagePoint(place.x + side.x * radius, place.y + side.y * radius)
        let end = ImagePoint(place.x + side.y * radius, place.y - side.x * radius)
        func control(_ point: ImagePoint) -> ImagePoint {
            ImagePoint(
                point.x + (place.x - point.x) * Self.quarter, point.y + (place.y - point.y) * Self.quarter)
        }
        addLine(to: begin)
        addCurve(to: end, control1: control(begin), control2: control(end))
    }

    /// The control points' distance for a quarter of a circle, 4/3 · (√2 − 1); the curve is within 0.03 % of it.
    private static let quarter = 0.552_284_749_830_793_4
}
