/// One of nine places in a picture for a smaller one.
public enum ImageAnchor: String, Sendable, Hashable, CaseIterable {
    /// In the corner above on the left.
    case topLeft
    /// Above, in the middle from left to right.
    case top
    /// In the corner above on the right.
    case topRight
    /// On the left, in the middle from top to bottom.
    case left
    /// In the middle both ways; a margin counts at no side.
    case center
    /// On the right, in the middle from top to bottom.
    case right
    /// In the corner below on the left.
    case bottomLeft
    /// Below, in the middle from left to right.
    case bottom
    /// In the corner below on the right.
    case bottomRight

    /// Where the smaller picture's top left corner goes.
    ///
    /// - Parameters:
    ///   - size: Of the smaller picture; it may be larger all the same, and then reaches out.
    ///   - canvas: Of the larger one.
    ///   - margin: Kept free at the sides that the anchor names, in pixels; bounded to ±2^30.
    public func place(of size: PixelSize, in canvas: PixelSize, margin: Double) -> PixelPoint {
        let margin = margin.isNaN ? 0 : Int(min(max(margin, -0x1p30), 0x1p30).rounded())
        let (roomX, roomY) = (canvas.width - size.width, canvas.height - size.height)
        let x =
            switch self {
            case .topLeft, .left, .bottomLeft: margin
            case .top, .center, .bottom: roomX / 2
            case .topRight, .right, .bottomRight: roomX - margin
            }
        let y =
            switch self {
            case .topLeft, .top, .topRight: margin
            case .left, .center, .right: roomY / 2
            case .bottomLeft, .bottom, .bottomRight: roomY - margin
            }
        return PixelPoint(x: x, y: y)
    }
}
