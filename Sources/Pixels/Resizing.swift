extension PixelBuffer {
    /// The picture, or a part of it, at another size, smaller or larger.
    ///
    /// Straight alpha is premultiplied for the work and in the result.
    ///
    /// - Parameters:
    ///   - target: The size of the result.
    ///   - part: What of the picture is shown; all of it when `nil`.
    ///   - resampling: How pixels are weighed.
    /// - Returns: `nil` for an empty size or part.
    public func resized(
        to target: PixelSize, part: ImageRect? = nil, resampling: Resampling = .lanczos3
    ) -> PixelBuffer? {
        resized(to: target, part: part, resampling: resampling, on: .best)
    }

    func resized(
        to target: PixelSize, part: ImageRect?, resampling: Resampling, on path: ResamplingPath
    ) -> PixelBuffer? {
        let isWhole = target == size && (part == nil || part == ImageRect(size))
        let source = alpha == .straight && (isWhole || format == .rgbaHalf) ? withAlpha(.premultiplied) : self
        guard !isWhole else { return source }
        guard
            var sink = ResamplingSink(
                size, part ?? ImageRect(size), target, resampling, source.layout, on: path)
        else { return nil }
        unsafe source.withUnsafeBytes { bytes in
            for y in 0..<height {
                let end = (y + 1) * source.bytesPerRow
                let row = unsafe UnsafeRawBufferPointer(
                    rebasing: bytes[y * source.bytesPerRow..<y * source.bytesPerRow + width * format.bytesPerPixel])
                let next = unsafe bytes[end..<min(bytes.count, end + rowsPerGroup * source.bytesPerRow)]
                unsafe sink.take(row, next: UnsafeRawBufferPointer(rebasing: next))
            }
        }
        return sink.finish()
    }

    /// Makes rows transparent that were never written.
    mutating func clearRows(from first: Int) {
        guard first < height else { return }
        let start = first * bytesPerRow
        unsafe withUnsafeMutableBytes { (bytes) -> Void in
            _ = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
                .initializeMemory(as: UInt8.self, repeating: 0)
        }
    }
}
