public import WebImagePixels

extension DecodedImage {
    /// The straight colour of a pixel; `nil` outside the picture.
    public func color(at point: PixelPoint) -> PixelColor? {
        pixels.color(x: point.x, y: point.y)
    }

    /// The straight colours of a part of the picture, row by row; `nil` unless the part is inside and not empty.
    public func colors(in part: PixelRect) -> [PixelColor]? {
        pixels.colors(in: part)
    }
}
