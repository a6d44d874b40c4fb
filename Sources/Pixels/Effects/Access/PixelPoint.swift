/// Where a pixel stands: its column and row, from the top left.
public struct PixelPoint: Hashable, Sendable {
    /// The column, from the left.
    public var x: Int
    /// The row, from the top.
    public var y: Int

    /// A place by its column and row.
    public init(x: Int, y: Int) {
        self.x = x
        self.y = y
    }
}
