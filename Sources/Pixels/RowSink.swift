/// Takes a picture row by row, top row first, without the giver knowing what becomes of it.
///
/// A decoder fills each row where the sink says: straight in the final picture, or in a scratch row that a resampler
/// folds into a smaller one. So a thumbnail never needs the whole picture in memory.
public protocol RowSink {
    /// The size of the picture that the sink expects.
    var sourceSize: PixelSize { get }

    /// Hands out the memory of the next row, `sourceSize.width` pixels, to be filled completely.
    ///
    /// Rows beyond `sourceSize.height` are a programming error.
    mutating func withNextRow<Failure: Error>(
        _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure)

    /// The result. Rows that never came are transparent.
    consuming func finish() -> PixelBuffer
}

/// A sink that keeps every row as it is.
public struct PixelBufferSink: RowSink, Sendable {
    private var buffer: PixelBuffer
    private var nextRow = 0

    /// `nil` for a size that no buffer can have.
    public init?(size: PixelSize, layout: PixelBuffer.Layout = .init()) {
        guard let buffer = PixelBuffer(uninitialized: size, layout: layout) else { return nil }
        self.buffer = buffer
    }

    /// The size of the picture that comes in and goes out.
    public var sourceSize: PixelSize { buffer.size }

    /// Hands out the row's place in the picture itself.
    public mutating func withNextRow<Failure: Error>(
        _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        precondition(nextRow < buffer.height, "more rows than the picture has")
        let start = nextRow * buffer.bytesPerRow
        let byteCount = buffer.width * buffer.format.bytesPerPixel
        try unsafe buffer.withUnsafeMutableBytes { bytes throws(Failure) in
            try unsafe fill(UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + byteCount]))
        }
        nextRow += 1
    }

    /// The picture; rows that never came are transparent.
    public consuming func finish() -> PixelBuffer {
        buffer.clearRows(from: nextRow)
        return buffer
    }

    /// A picture of the rows so far, turned upright, of memory of its own; the sink goes on. Rows that did not come yet
    /// are transparent.
    package func upright(from orientation: Orientation) -> PixelBuffer {
        buffer.upright(from: orientation, rowCount: nextRow)
    }
}
