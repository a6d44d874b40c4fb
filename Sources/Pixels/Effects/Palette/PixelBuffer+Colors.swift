extension PixelBuffer {
    /// The straight colours of a part of the picture, row by row.
    ///
    /// - Returns: `nil` unless the part is inside the picture and not empty.
    public func colors(in part: PixelRect) -> [PixelColor]? {
        guard part.clipped(to: size) == part else { return nil }
        return (part.y..<part.y + part.height).flatMap { y in
            (part.x..<part.x + part.width).compactMap { x in color(x: x, y: y) }
        }
    }

    /// The mean of all pixels: colours weighed by alpha, and straight; alpha on its own.
    public var averageColor: PixelColor {
        PixelColor(mixable.mean(of: PixelRect(size)), isPremultiplied: true)
    }

    /// The colours that most of the picture is made of, the commonest first; opaque, since alpha only weighs.
    ///
    /// Boxes of colours are cut in two where the two sides differ most, and each gives its mean. The same picture gives
    /// the same colours every time.
    ///
    /// - Parameter count: At most so many; fewer when the picture has fewer, none when all is transparent.
    public func dominantColors(count: Int) -> [PixelColor] {
        guard count > 0 else { return [] }
        return ColorBoxes(mixable).colors(count)
    }
}
