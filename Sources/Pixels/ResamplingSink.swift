/// A sink that folds rows into a smaller or larger picture as they come.
///
/// It keeps only as many source rows as one target row needs. Rows must be premultiplied or opaque: mixing the colour
/// of transparent pixels into visible ones leaves halos.
public struct ResamplingSink: RowSink, Sendable {
    /// The size of the picture whose rows come in.
    public let sourceSize: PixelSize
    private let horizontal: ResamplingAxis
    private let vertical: ResamplingAxis
    /// The last rows that came, each at row number modulo the height.
    private var window: PixelBuffer
    /// One row that the vertical pass made, 4 channels a pixel.
    private var column: ResamplingRow
    private var output: PixelBuffer
    private var received = 0
    private var emitted = 0

    /// - Parameters:
    ///   - source: The size of the picture whose rows will come.
    ///   - part: The part of it to show; the whole when `nil`.
    ///   - target: The size of the result.
    ///   - filter: How source pixels are weighed.
    ///   - layout: Of source rows and result alike; alpha must not be straight.
    /// - Returns: `nil` for an empty size, a part that is empty or not inside, or straight alpha.
    public init?(
        source: PixelSize, part: ImageRect? = nil, target: PixelSize, filter: ResamplingFilter = .lanczos3,
        layout: PixelBuffer.Layout = .init()
    ) {
        let part = part ?? ImageRect(source)
        // Half a pixel for rounding. No comparison holds for what is not a number.
        guard part.x >= -0.5, part.y >= -0.5, part.x + part.width <= Double(source.width) + 0.5,
            part.y + part.height <= Double(source.height) + 0.5
        else { return nil }
        guard !source.isEmpty, !target.isEmpty, layout.alpha != .straight, part.width > 0, part.height > 0,
            let output = PixelBuffer(size: target, layout: layout)
        else { return nil }
        horizontal = ResamplingAxis(
            sourceCount: source.width, origin: part.x, extent: part.width, targetCount: target.width,
            filter: filter)
        vertical = ResamplingAxis(
            sourceCount: source.height, origin: part.y, extent: part.height, targetCount: target.height,
            filter: filter)
        guard
            let window = PixelBuffer(
                uninitialized: PixelSize(source.width, vertical.longestWindow), layout: layout)
        else { return nil }
        sourceSize = source
        column = ResamplingRow(sampleCount: source.width * 4, format: layout.format)
        self.window = window
        self.output = output
    }

    /// Hands out a row of the window, and makes every target row that is complete with it.
    public mutating func withNextRow<Failure: Error>(
        _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        precondition(received < sourceSize.height, "more rows than the picture has")
        let start = received % window.height * window.bytesPerRow
        let byteCount = window.bytesPerRow
        try unsafe window.withUnsafeMutableBytes { bytes throws(Failure) in
            try unsafe fill(UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + byteCount]))
        }
        received += 1
        while emitted < output.height, vertical.starts[emitted] + vertical.counts[emitted] <= received {
            emitRow()
        }
    }

    /// The smaller or larger picture; target rows whose source rows never came are transparent.
    public consuming func finish() -> PixelBuffer { output }

    private mutating func emitRow() {
        let first = vertical.starts[emitted]
        let weights = vertical.weights[emitted * vertical.stride..<emitted * vertical.stride + vertical.counts[emitted]]
        unsafe window.withUnsafeBytes { bytes in
            unsafe column.gather(bytes, firstRow: first, bytesPerRow: window.bytesPerRow, weights: weights)
        }
        let start = emitted * output.bytesPerRow
        let byteCount = output.bytesPerRow
        let isOpaque = output.alpha == .opaque
        unsafe output.withUnsafeMutableBytes { (bytes) -> Void in
            let row = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + byteCount])
            unsafe column.scatter(to: row, horizontal, isOpaque: isOpaque)
        }
        emitted += 1
    }
}

extension PixelBuffer {
    /// The picture, or a part of it, at another size.
    ///
    /// Straight alpha is premultiplied for the work and in the result.
    ///
    /// - Returns: `nil` for an empty size or part.
    public func resized(
        to target: PixelSize, part: ImageRect? = nil, filter: ResamplingFilter = .lanczos3
    ) -> PixelBuffer? {
        let source = alpha == .straight ? withAlpha(.premultiplied) : self
        if target == size, part == nil || part == ImageRect(size) { return source }
        guard
            var sink = ResamplingSink(
                source: size, part: part, target: target, filter: filter, layout: source.layout)
        else { return nil }
        for y in 0..<height {
            unsafe source.withUnsafeRow(y) { row in
                unsafe sink.withNextRow { unsafe $0.copyMemory(from: row) }
            }
        }
        return sink.finish()
    }
}
