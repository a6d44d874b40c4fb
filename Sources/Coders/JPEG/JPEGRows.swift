import WebImagePixels

/// The rows that a reader gives.
struct JPEGRows {
    let size: PixelSize
    /// What of the stored picture they show, in its full-size pixels. The last samples may stand for some past its
    /// edge, since a block is always whole.
    let part: PixelRect
    /// How many rows are left out before them.
    let skippedCount: Int
    /// How many times smaller than the stored picture they show it.
    let denominator: Int

    /// - Parameters:
    ///   - column: Where they start.
    ///   - row: Which of the picture's rows is the first.
    init(column: Int, row: Int, width: Int, pictureHeight: Int, denominator: Int) {
        size = PixelSize(width, pictureHeight - row)
        skippedCount = row
        self.denominator = denominator
        part = PixelRect(
            x: column * denominator, y: row * denominator, width: size.width * denominator,
            height: size.height * denominator)
    }
}
