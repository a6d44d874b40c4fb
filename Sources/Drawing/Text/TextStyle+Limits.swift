import WebImageCore

extension TextStyle {
    /// The most characters (Unicode scalars) of a text that is drawn or measured: 10,000, more than a picture has room
    /// for.
    public static let maxLength = 10_000

    /// Throws what is wrong with the style, or with a text in it.
    func check(_ text: String) throws(ImageError) {
        guard size.isFinite, size > 0, lineHeightMultiple.isFinite, lineHeightMultiple > 0, lineHeightMultiple <= 1_000
        else {
            throw ImageError(
                .transformFailed, .transform,
                "text cannot be drawn with size \(size) and line height \(lineHeightMultiple); both must be above 0")
        }
        // Bytes are counted first: counting the characters of a text takes time with its length.
        guard text.utf8.count <= 4 * Self.maxLength, text.unicodeScalars.count <= Self.maxLength else {
            throw ImageError(
                .limitExceeded, .transform,
                "a text of \(text.utf8.count) bytes is over the limit of \(Self.maxLength) characters; draw less"
            )
        }
        let extent = Double(text.unicodeScalars.count) * fontSize * max(1, lineHeightMultiple)
        guard extent <= Self.maxExtent, size <= Self.maxSize else {
            throw ImageError(
                .limitExceeded, .transform,
                "text of \(text.unicodeScalars.count) characters is too long for a font of size \(size)")
        }
    }

    /// The size to lay text out in: that of the style, where FreeType can reckon with it.
    var fontSize: Double { min(max(1, size), 1_024) }

    /// Of all letters in a row, or in a column: pango counts in 21 bits before the point.
    private static let maxExtent = 0x1p20
    /// The largest font, in points.
    private static let maxSize = 0x1p15
}
