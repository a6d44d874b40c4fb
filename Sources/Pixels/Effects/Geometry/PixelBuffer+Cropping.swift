extension PixelRect {
    /// What a rectangle covers of a picture of the given size, its edges rounded to the nearest pixel; `nil` when that
    /// is nothing, or a number of the rectangle is not one.
    public init?(_ rect: ImageRect, in size: PixelSize) {
        guard let columns = Self.range(rect.x, rect.width, count: size.width),
            let rows = Self.range(rect.y, rect.height, count: size.height)
        else { return nil }
        self.init(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }

    private static func range(_ origin: Double, _ extent: Double, count: Int) -> Range<Int>? {
        guard extent > 0, !(origin + extent).isNaN else { return nil }
        let first = max(0, origin.rounded())
        let end = min(Double(count), (origin + extent).rounded())
        guard first < end else { return nil }
        return Int(first)..<Int(end)
    }
}

extension PixelBuffer {
    /// The part of the picture that a rectangle covers. Exact: the rectangle's edges are rounded to whole pixels, and
    /// what reaches out of the picture is left out.
    ///
    /// - Parameter rect: In pixels, from the top left.
    /// - Returns: `nil` when nothing is left, or a number is not one.
    public func cropped(to rect: ImageRect) -> PixelBuffer? {
        PixelRect(rect, in: size).flatMap { cropped(to: $0) }
    }

    /// Copies pixels as they are, from a region of a picture of the same format; both regions lie within theirs.
    mutating func copy(_ part: PixelRect, of source: PixelBuffer, to place: PixelPoint) {
        let byteCount = part.width * format.bytesPerPixel
        let left = part.x * format.bytesPerPixel
        let bytesPerRow = bytesPerRow
        let start = place.y * bytesPerRow + place.x * format.bytesPerPixel
        unsafe withUnsafeMutableBytes { (target) -> Void in
            for y in 0..<part.height {
                unsafe source.withUnsafeRow(part.y + y) { row in
                    let first = start + y * bytesPerRow
                    unsafe UnsafeMutableRawBufferPointer(rebasing: target[first..<first + byteCount])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: row[left..<left + byteCount]))
                }
            }
        }
    }
}
