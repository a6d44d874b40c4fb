/// A line along the edge of a picture.
public struct ImageBorder: Sendable, Hashable {
    /// In the unit of what it is given to: pixels here, points in a transformer.
    public var width: Double
    /// May be translucent.
    public var color: PixelColor

    /// A line along the edge.
    public init(width: Double, color: PixelColor) {
        self.width = width
        self.color = color
    }
}

extension PixelBuffer {
    /// The picture with round corners, and a border inside its outline; the size stays.
    ///
    /// - Parameters:
    ///   - radius: In pixels. More than half the shorter side is taken as half of it; 0 and less rounds nothing.
    ///   - corners: Those to round.
    ///   - border: Follows the outline. As in SDWebImage one of half the shorter side or more is left out, and so is
    ///     one of no width.
    /// - Returns: `nil` when a number is not one.
    public func withRoundCorners(
        radius: Double, corners: Corners = .all, border: ImageBorder? = nil
    ) -> PixelBuffer? {
        guard !radius.isNaN, border?.width.isNaN != true else { return nil }
        let half = Double(min(width, height)) / 2
        let radius = corners.isEmpty ? 0 : Float(min(max(0, radius), half))
        let border = border.flatMap { $0.width > 0 && $0.width < half ? $0 : nil }
        guard radius > 0 || border != nil else { return self }
        var result = mixable
        if radius > 0 { result.alpha = .premultiplied }
        let outline = RoundedRect(size, radius: radius, corners: corners)
        // One more than the curve and the line reach: their edges are smooth.
        let regions = PixelRect(size).outline(
            corner: Int(radius.rounded(.up)) + 1, edge: border.map { Int($0.width.rounded(.up)) + 1 } ?? 0)
        guard let border else {
            for region in regions {
                result.mapPixels(in: region) { place, pixel in pixel * outline.coverage(place) }
            }
            return result
        }
        let inner = RoundedRect(size, radius: radius, corners: corners, inset: Float(border.width))
        let color = border.color.premultiplied
        for region in regions {
            result.mapPixels(in: region) { place, pixel in
                let line = color * (1 - inner.coverage(place))
                return (line + pixel * (1 - line.w)) * outline.coverage(place)
            }
        }
        return result
    }
}

extension PixelRect {
    /// Regions, apart from each other, that hold squares of side `corner` in the corners and what is no farther from an
    /// edge than `edge`.
    func outline(corner: Int, edge: Int) -> [PixelRect] {
        let side = max(corner, edge)
        guard 2 * side < min(width, height) else { return [self] }
        let (right, bottom) = (x + width, y + height)
        let corners = [(x, y), (right - side, y), (x, bottom - side), (right - side, bottom - side)]
            .map { PixelRect(x: $0.0, y: $0.1, width: side, height: side) }
        guard edge > 0 else { return corners }
        let (across, down) = (width - 2 * side, height - 2 * side)
        return corners + [
            PixelRect(x: x + side, y: y, width: across, height: edge),
            PixelRect(x: x + side, y: bottom - edge, width: across, height: edge),
            PixelRect(x: x, y: y + side, width: edge, height: down),
            PixelRect(x: right - edge, y: y + side, width: edge, height: down),
        ]
    }
}
