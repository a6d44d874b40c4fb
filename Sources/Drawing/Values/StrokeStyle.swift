/// How a line is drawn along a path.
public struct StrokeStyle: Hashable, Sendable {
    /// Points, half of them on each side of the path; 0 and less draws nothing.
    public var lineWidth: Double
    /// At the ends of lines and of dashes.
    public var lineCap: LineCap
    /// Where two lines meet.
    public var lineJoin: LineJoin
    /// How far a mitred corner may reach, in line widths; a sharper corner is bevelled. At least 1 and at most 100
    /// count. Default 10.
    public var miterLimit: Double
    /// The lengths of dash, gap, dash and so on, in points, again and again; empty, or all 0, is a solid line.
    public var dash: [Double]
    /// How far into the dashes the line begins, in points.
    public var dashPhase: Double

    /// A solid line, or one of dashes.
    public init(
        lineWidth: Double = 1, lineCap: LineCap = .butt, lineJoin: LineJoin = .miter, dash: [Double] = [],
        dashPhase: Double = 0
    ) {
        self.lineWidth = lineWidth
        self.lineCap = lineCap
        self.lineJoin = lineJoin
        self.dash = dash
        self.dashPhase = dashPhase
        miterLimit = 10
    }
}

/// The end of a line.
public enum LineCap: Sendable, Hashable {
    /// Cut at the point where the line ends.
    case butt
    /// Half a circle around that point.
    case round
    /// Half a square around that point.
    case square
}

/// The corner where two lines meet.
public enum LineJoin: Sendable, Hashable {
    /// Pointed, as far as the miter limit allows.
    case miter
    /// Round.
    case round
    /// Cut off.
    case bevel
}
