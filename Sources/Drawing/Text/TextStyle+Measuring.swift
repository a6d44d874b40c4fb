public import WebImageCore
public import WebImagePixels

extension TextStyle {
    /// The size that a text takes in this style, in points; the same at every scale.
    ///
    /// It is the box of the lines, not of the ink: the height is that of the fonts' lines, and an empty text is as high
    /// as a line and 0 wide. Any thread may call this; the first call of a thread finds the fonts and may take a while.
    ///
    /// - Parameters:
    ///   - text: Line ends in it end lines.
    ///   - width: Where lines are broken, between words if that is possible; `nil` breaks none.
    /// - Throws: `transformFailed` for a size that is no positive number, `limitExceeded` for a text of more than
    ///   `maxLength` characters.
    public func size(of text: String, width: Double? = nil) throws(ImageError) -> ImageSize {
        guard let width else { return try PangoText(text, self, in: nil).size }
        guard width > 0 else {
            throw ImageError(.transformFailed, .transform, "text cannot be measured in a width of \(width)")
        }
        var unbounded = self
        unbounded.truncation = .none
        return try PangoText(text, unbounded, in: ImageSize(width, 0)).size
    }
}
