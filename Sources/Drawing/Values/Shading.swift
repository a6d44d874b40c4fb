public import WebImagePixels

/// What shapes and lines are filled with. Places are in points, in the coordinates at the time of drawing.
public enum Shading: Hashable, Sendable {
    /// One colour.
    case color(PixelColor)
    /// Colours along a line, and on both sides of it at right angles. Before the start the first colour goes on, after
    /// the end the last one; where both are one place the last colour is everywhere.
    case linearGradient(Gradient, from: ImagePoint, to: ImagePoint)
    /// Colours in circles: the first within `startRadius`, the last from `endRadius` on. Where both are equal the last
    /// colour is everywhere; neither may be negative.
    case radialGradient(Gradient, center: ImagePoint, startRadius: Double, endRadius: Double)
}

/// Colours that flow into each other.
public struct Gradient: Hashable, Sendable {
    /// A colour at its place.
    public struct Stop: Hashable, Sendable {
        /// May be translucent.
        public var color: PixelColor
        /// 0 is the start of the gradient, 1 its end; bounded to that.
        public var location: Double

        /// A colour at its place.
        public init(_ color: PixelColor, at location: Double) {
            self.color = color
            self.location = location
        }
    }

    /// In any order; of two at one place the later one comes behind. At most 1,000 can be drawn; none draws nothing.
    public var stops: [Stop]

    /// Colours at their places.
    public init(stops: [Stop]) {
        self.stops = stops
    }

    /// Colours at equal distances, the first at the start and the last at the end.
    public init(_ colors: [PixelColor]) {
        let last = Double(max(1, colors.count - 1))
        stops = colors.enumerated().map { Stop($0.element, at: Double($0.offset) / last) }
    }
}
