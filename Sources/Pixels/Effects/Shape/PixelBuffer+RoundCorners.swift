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
        let reach = max(radius, Float(border?.width ?? 0))
        guard let border else {
            result.mapEdges(reach: reach) { place, pixel in pixel * outline.coverage(place) }
            return result
        }
        let inner = RoundedRect(size, radius: radius, corners: corners, inset: Float(border.width))
        let color = border.color.premultiplied
        result.mapEdges(reach: reach) { place, pixel in
            let line = color * (1 - inner.coverage(place))
            return (line + pixel * (1 - line.w)) * outline.coverage(place)
        }
        return result
    }

    /// Replaces the pixels that are no farther than `reach` from an edge.
    @inline(__always)
    private mutating func mapEdges(reach: Float, _ change: (PixelPoint, SIMD4<Float>) -> SIMD4<Float>) {
        let depth = Int(reach.rounded(.up)) + 1
        for region in PixelRect(size).frame(depth: depth) { mapPixels(in: region, change) }
    }
}

extension PixelRect {
    /// The regions, apart from each other, that are no deeper inside than `depth`.
    func frame(depth: Int) -> [PixelRect] {
        guard 2 * depth < min(width, height) else { return [self] }
        let inner = height - 2 * depth
        return [
            PixelRect(x: x, y: y, width: width, height: depth),
            PixelRect(x: x, y: y + depth, width: depth, height: inner),
            PixelRect(x: x + width - depth, y: y + depth, width: depth, height: inner),
            PixelRect(x: x, y: y + height - depth, width: width, height: depth),
        ]
    }
}
