extension PixelBuffer {
    /// The square in the picture's middle, cut to a circle that touches its sides, with a border inside the circle.
    ///
    /// - Returns: `nil` when the border's width is not a number.
    public func circle(border: ImageBorder? = nil) -> PixelBuffer? {
        let side = min(width, height)
        let square = PixelRect(x: (width - side) / 2, y: (height - side) / 2, width: side, height: side)
        return cropped(to: square)?.withRoundCorners(radius: .infinity, border: border)
    }

    /// The picture with a border around it: the canvas grows by its width on every side.
    ///
    /// - Parameter border: Its width is rounded to whole pixels; 0 and less adds nothing.
    /// - Returns: `nil` when the width is not finite, or no buffer can have the size.
    public func framed(by border: ImageBorder) -> PixelBuffer? {
        guard border.width.isFinite else { return nil }
        let thickness = Int(min(max(0, border.width), 0x1p30).rounded())
        guard thickness > 0 else { return self }
        let source = mixable
        var layout = source.layout
        if border.color.alpha < 255 { layout.alpha = .premultiplied }
        guard
            var result = PixelBuffer(
                size: PixelSize(width + 2 * thickness, height + 2 * thickness), layout: layout)
        else { return nil }
        let color = border.color.premultiplied
        for region in PixelRect(result.size).outline(corner: thickness, edge: thickness) {
            result.mapPixels(in: region) { _, _ in color }
        }
        result.copy(PixelRect(size), of: source, to: PixelPoint(x: thickness, y: thickness))
        return result
    }
}
