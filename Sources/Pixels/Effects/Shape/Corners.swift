/// Corners of a picture.
public struct Corners: OptionSet, Sendable, Hashable {
    /// 1, 2, 4 and 8 in the order of the constants.
    public let rawValue: Int

    /// Corners by their bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The top left corner.
    public static let topLeft = Corners(rawValue: 1)
    /// The top right corner.
    public static let topRight = Corners(rawValue: 2)
    /// The bottom left corner.
    public static let bottomLeft = Corners(rawValue: 4)
    /// The bottom right corner.
    public static let bottomRight = Corners(rawValue: 8)
    /// All four.
    public static let all: Corners = [.topLeft, .topRight, .bottomLeft, .bottomRight]
}
