public import WebImagePixels

/// The sink of a decode: the picture itself where the rows are as wanted, a resampler where they are larger.
public struct DecodingSink: Sendable {
    // One of the two. Optionals, since the payload of an enum cannot be changed in place.
    private var whole: PixelBufferSink?
    private var resampling: ResamplingSink?
    private let finishing: RowFinishing
    private let monitor: DecodeMonitor
    /// The size of the rows to come.
    public let sourceSize: PixelSize
    /// How many rows have come.
    public private(set) var rowCount = 0

    init?(source: PixelSize, target: PixelSize, finishing: RowFinishing, monitor: DecodeMonitor) {
        sourceSize = source
        self.finishing = finishing
        self.monitor = monitor
        if source == target {
            whole = PixelBufferSink(size: target, layout: finishing.sinkLayout(isResampled: false))
        } else {
            resampling = ResamplingSink(
                source: source, target: target, layout: finishing.sinkLayout(isResampled: true))
        }
        guard whole != nil || resampling != nil else { return nil }
    }

    /// Throws when the decode is to end; for a coder whose rows take long to come.
    package func check() throws(ImageError) {
        try monitor.check()
    }

    /// Hands out the memory of the next row, to be filled completely with samples of the file.
    ///
    /// - Throws: What `fill` throws; `cancelled` or `limitExceeded` when the decode is to end.
    public mutating func withNextRow(
        _ fill: (UnsafeMutableRawBufferPointer) throws(ImageError) -> Void
    ) throws(ImageError) {
        if rowCount & 15 == 0 { try monitor.check() }
        let finishing = finishing
        try unsafe whole?.withNextRow { row throws(ImageError) in
            try unsafe fill(row)
            unsafe finishing.apply(to: row, isResampled: false)
        }
        try unsafe resampling?.withNextRow { row throws(ImageError) in
            try unsafe fill(row)
            unsafe finishing.apply(to: row, isResampled: true)
        }
        rowCount += 1
    }

    consuming func finish() -> PixelBuffer {
        if let whole { return whole.finish() }
        guard let resampling else { preconditionFailure("a sink without a target") }
        return resampling.finish()
    }
}
