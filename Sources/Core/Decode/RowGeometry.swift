import WebImagePixels

/// Which of the rows that come make the result, and how.
struct RowGeometry: Sendable {
    /// The size of the rows to come.
    let rows: PixelSize
    /// The part of them that counts.
    let needed: PixelRect
    /// What of that part is resampled; `nil` when it is the result as it is.
    let resampled: ImageRect?
    /// The size of the result.
    let target: PixelSize

    /// - Parameters:
    ///   - rows: The size of the rows to come.
    ///   - shown: What of the stored picture they show.
    ///   - region: What of it is wanted.
    /// - Returns: `nil` when the rows do not show what is wanted.
    init?(rowsOf rows: PixelSize, showing shown: PixelRect, region: PixelRect, target: PixelSize) {
        guard !rows.isEmpty, !shown.size.isEmpty else { return nil }
        let columns = RowSpan(rows.width, shown.x, shown.width, region.x, region.width)
        let lines = RowSpan(rows.height, shown.y, shown.height, region.y, region.height)
        guard let columns, let lines else { return nil }
        self.rows = rows
        self.target = target
        needed = PixelRect(x: columns.first, y: lines.first, width: columns.count, height: lines.count)
        let part = ImageRect(x: columns.start, y: lines.start, width: columns.length, height: lines.length)
        resampled = needed.size == target && part == ImageRect(target) ? nil : part
    }

    /// Whether every row goes to the result as it comes.
    var isWhole: Bool { needed.size == rows }
}

/// Where a stretch of the stored picture lies in the samples that come, along one axis.
private struct RowSpan {
    /// The whole samples that it touches.
    let first: Int
    let count: Int
    /// Where exactly it lies among those.
    let start: Double
    let length: Double

    init?(_ sampleCount: Int, _ shownStart: Int, _ shownCount: Int, _ wantedStart: Int, _ wantedCount: Int) {
        let offset = wantedStart - shownStart
        guard offset >= 0, wantedCount > 0, offset + wantedCount <= shownCount else { return nil }
        // Products of whole numbers: without a scale the quotients are exact.
        let start = Double(offset) * Double(sampleCount) / Double(shownCount)
        let end = Double(offset + wantedCount) * Double(sampleCount) / Double(shownCount)
        first = min(Int(start), sampleCount - 1)
        count = max(1, min(Int(end.rounded(.up)), sampleCount) - first)
        self.start = start - Double(first)
        length = end - start
    }
}
