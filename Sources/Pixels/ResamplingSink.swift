/// A sink that folds rows into a smaller or larger picture as they come.
///
/// It keeps a few rows of the target's width, and no source row but the last four. Rows of bytes with straight alpha
/// are premultiplied as they come: mixing the colour of transparent pixels into visible ones leaves halos.
public struct ResamplingSink: RowSink, Sendable {
    /// The size of the picture whose rows come in.
    public let sourceSize: PixelSize
    private let kernels: any ResamplingKernels
    /// Of the rows that come; the result is never straight.
    private let alpha: AlphaMode
    private let horizontal: ResamplingAxis
    private var lines: ResamplingLines
    /// Where a row is filled in.
    private var row: PixelBuffer
    /// The last four rows as the kernels want them, one after the other; words, for their alignment.
    private var spread: [Int32]
    private var output: PixelBuffer
    private var received = 0

    /// - Parameters:
    ///   - source: The size of the picture whose rows will come.
    ///   - part: The part of it to show; the whole when `nil`.
    ///   - target: The size of the result.
    ///   - resampling: How source pixels are weighed.
    ///   - layout: Of source rows and result alike, but for straight alpha, which is premultiplied in the result.
    /// - Returns: `nil` for an empty size, a part that is empty or not inside, or half floats with straight alpha.
    public init?(
        source: PixelSize, part: ImageRect? = nil, target: PixelSize, resampling: Resampling = .lanczos3,
        layout: PixelBuffer.Layout = .init()
    ) {
        self.init(source, part ?? ImageRect(source), target, resampling, layout, on: .best)
    }

    init?(
        _ source: PixelSize, _ part: ImageRect, _ target: PixelSize, _ resampling: Resampling,
        _ layout: PixelBuffer.Layout, on path: ResamplingPath
    ) {
        // Half a pixel for rounding. No comparison holds for what is not a number.
        guard part.x >= -0.5, part.y >= -0.5, part.x + part.width <= Double(source.width) + 0.5,
            part.y + part.height <= Double(source.height) + 0.5
        else { return nil }
        var targetLayout = layout
        if layout.alpha == .straight { targetLayout.alpha = .premultiplied }
        guard !source.isEmpty, !target.isEmpty, layout.alpha != .straight || layout.format == .rgba8,
            part.width > 0, part.height > 0, let output = PixelBuffer(uninitialized: target, layout: targetLayout),
            let row = PixelBuffer(size: PixelSize(source.width, 1), layout: layout)
        else { return nil }
        kernels = path.kernels(layout.format, resampling.light)
        alpha = layout.alpha
        horizontal = ResamplingAxis(
            sourceCount: source.width, origin: part.x, extent: part.width, targetCount: target.width,
            filter: resampling.filter, block: kernels.block)
        let vertical = ResamplingAxis(
            sourceCount: source.height, origin: part.y, extent: part.height, targetCount: target.height,
            filter: resampling.filter)
        lines = ResamplingLines(
            vertical, isShrinking: part.height >= Double(target.height),
            bytesPerGroup: target.width * kernels.groupBytesPerPixel, sumCount: target.width * 4)
        let padded = (source.width + kernels.block - 1) / kernels.block * kernels.block
        spread = [Int32](repeating: 0, count: padded * kernels.spreadBytesPerPixel / 4 * rowsPerGroup)
        (self.row, self.output) = (row, output)
        sourceSize = source
    }

    /// Hands out the memory of a row, and makes every target row that is complete with it.
    public mutating func withNextRow<Failure: Error>(
        _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        try unsafe row.withUnsafeMutableBytes { bytes throws(Failure) in try unsafe fill(bytes) }
        let row = row
        unsafe row.withUnsafeBytes { unsafe take($0) }
    }

    /// The smaller or larger picture; target rows whose source rows never came are transparent.
    public consuming func finish() -> PixelBuffer {
        output.clearRows(from: lines.emitted)
        return output
    }

    /// Takes the next row from where it is.
    ///
    /// - Parameters:
    ///   - row: Its pixels.
    ///   - next: The rows behind it, as far as they are known.
    package mutating func take(
        _ row: UnsafeRawBufferPointer,
        next: UnsafeRawBufferPointer = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
        precondition(received < sourceSize.height, "more rows than the picture has")
        let (kernels, alpha, place) = (kernels, alpha, received % rowsPerGroup)
        received += 1
        unsafe spread.withUnsafeMutableBytes { (spread) -> Void in
            let byteCount = spread.count / rowsPerGroup
            let start = place * byteCount
            let part = unsafe UnsafeMutableRawBufferPointer(rebasing: spread[start..<start + byteCount])
            unsafe kernels.spread(row, alpha, to: part)
        }
        if place == rowsPerGroup - 1 || received == sourceSize.height { unsafe takeGroup(next) }
    }

    /// Takes the rows that are spread. Those that a last group lacks weigh nothing; those of the group before stand in
    /// for them.
    private mutating func takeGroup(_ next: UnsafeRawBufferPointer) {
        let (kernels, horizontal) = (kernels, horizontal)
        unsafe spread.withUnsafeBytes { (spread) -> Void in
            unsafe lines.take(&output, received, kernels) { group in
                unsafe kernels.narrow(spread, horizontal, to: group, next: next)
            }
        }
    }
}
