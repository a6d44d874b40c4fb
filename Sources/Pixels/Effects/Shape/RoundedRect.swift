/// A rectangle with round corners, asked pixel by pixel how much of the pixel it covers.
struct RoundedRect {
    private let centreX: Float
    private let centreY: Float
    private let halfWidth: Float
    private let halfHeight: Float
    private let radius: Float
    private let corners: Corners

    /// The outline of a picture of the given size, moved inwards by `inset`.
    init(_ size: PixelSize, radius: Float, corners: Corners, inset: Float = 0) {
        centreX = Float(size.width) / 2
        centreY = Float(size.height) / 2
        halfWidth = centreX - inset
        halfHeight = centreY - inset
        self.radius = max(0, radius - inset)
        self.corners = corners
    }

    /// 0…1: how much of the pixel is inside, from the distance of its centre to the outline.
    @inline(__always)
    func coverage(_ place: PixelPoint) -> Float {
        let x = Float(place.x) + 0.5 - centreX
        let y = Float(place.y) + 0.5 - centreY
        let radius = corners.contains(corner(x, y)) ? radius : 0
        let outX = abs(x) - halfWidth + radius
        let outY = abs(y) - halfHeight + radius
        let beyondX = max(outX, 0)
        let beyondY = max(outY, 0)
        let distance = min(max(outX, outY), 0) + (beyondX * beyondX + beyondY * beyondY).squareRoot() - radius
        return min(max(0.5 - distance, 0), 1)
    }

    @inline(__always)
    private func corner(_ x: Float, _ y: Float) -> Corners {
        if y < 0 { return x < 0 ? .topLeft : .topRight }
        return x < 0 ? .bottomLeft : .bottomRight
    }
}
