/// A shape: lines and curves, in points. A value; any numbers may stand in it, and drawing says which cannot be drawn.
public struct Path: Hashable, Sendable {
    enum Element: Hashable, Sendable {
        case move(ImagePoint)
        case line(ImagePoint)
        case curve(ImagePoint, control1: ImagePoint, control2: ImagePoint)
        case close
    }

    private(set) var elements: [Element] = []
    private var start: ImagePoint?
    private var current: ImagePoint?

    /// A path without lines: filled or stroked it draws nothing, and clipped to it nothing can be drawn.
    public init() {}

    /// Whether nothing has been added.
    public var isEmpty: Bool { elements.isEmpty }

    /// Begins a new part at the point, not connected to the one before.
    public mutating func move(to point: ImagePoint) {
        elements.append(.move(point))
        (start, current) = (point, point)
    }

    /// A straight line from where the path is; of an empty path a `move`.
    public mutating func addLine(to point: ImagePoint) {
        guard current != nil else { return move(to: point) }
        elements.append(.line(point))
        current = point
    }

    /// A cubic Bézier curve from where the path is; an empty path begins at the first control point.
    public mutating func addCurve(to point: ImagePoint, control1: ImagePoint, control2: ImagePoint) {
        if current == nil { move(to: control1) }
        elements.append(.curve(point, control1: control1, control2: control2))
        current = point
    }

    /// A quadratic Bézier curve from where the path is; an empty path begins at the control point.
    public mutating func addQuadCurve(to point: ImagePoint, control: ImagePoint) {
        let from = current ?? control
        // The cubic of the same shape: its control points lie two thirds of the way to the one control point.
        func towards(_ end: ImagePoint) -> ImagePoint {
            ImagePoint(end.x + (control.x - end.x) * 2 / 3, end.y + (control.y - end.y) * 2 / 3)
        }
        if current == nil { move(to: control) }
        addCurve(to: point, control1: towards(from), control2: towards(point))
    }

    /// A straight line back to where this part of the path began, joined to it; the next line starts there.
    public mutating func closeSubpath() {
        guard current != nil, elements.last != .close else { return }
        elements.append(.close)
        current = start
    }

    /// Adds the parts of another path, not connected to this one.
    public mutating func addPath(_ other: Path) {
        guard !other.isEmpty else { return }
        elements += other.elements
        (start, current) = (other.start, other.current)
    }

    /// The sum of the distances from point to point, control points among them: never less than the path's length.
    var lengthBound: Double {
        var (length, start, current) = (0.0, ImagePoint(0, 0), ImagePoint(0, 0))
        func step(to point: ImagePoint) {
            length += abs(point.x - current.x) + abs(point.y - current.y)
            current = point
        }
        for element in elements {
            switch element {
            case .move(let point): (start, current) = (point, point)
            case .line(let point): step(to: point)
            case .curve(let point, let control1, let control2):
                step(to: control1)
                step(to: control2)
                step(to: point)
            case .close: step(to: start)
            }
        }
        return length
    }
}

/// Which parts are inside a path that crosses itself or has holes.
public enum FillRule: Sendable, Hashable {
    /// Those that the path winds around more often one way than the other.
    case winding
    /// Those from which a ray crosses the path an odd number of times: a shape in a shape is a hole.
    case evenOdd
}
