/// A place in a drawing, in points from its top left corner; it need not be whole and may lie outside.
public struct ImagePoint: Hashable, Sendable {
    /// From the left.
    public var x: Double
    /// From the top.
    public var y: Double

    /// A place by its distances from the left and from the top.
    public init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }
}
