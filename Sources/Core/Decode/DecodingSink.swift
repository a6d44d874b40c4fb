public import WebImagePixels

/// The sink of a decode: the picture itself where the rows are as wanted, a resampler where they are larger. Rows and
/// columns outside of the wanted part are dropped.
public struct DecodingSink: Sendable {
    // One of the two. Optionals, since the payload of an enum cannot be changed in place.
    private var whole: PixelBufferSink?
    private var resampling: ResamplingSink?
    /// Where a row stands whose ends are cut off, or that is dropped; `nil` when there is no such row.
    private var uncut: PixelBuffer?
    private let geometry: RowGeometry
    private let finishing: RowFinishing
    private let monitor: DecodeMonitor
    /// How many rows have come.
    public private(set) var rowCount = 0

    init?(_ geometry: RowGeometry, finishing: RowFinishing, monitor: DecodeMonitor) {
        self.geometry = geometry
        self.finishing = finishing
        self.monitor = monitor
        if let part = geometry.resampled {
            resampling = ResamplingSink(
                source: geometry.needed.size, part: part, target: geometry.target, resampling: finishing.resampling,
                layout: finishing.sinkLayout(isResampled: true))
        } else {
            whole = PixelBufferSink(size: geometry.target, layout: finishing.sinkLayout(isResampled: false))
        }
        guard whole != nil || resampling != nil else { return nil }
        guard !geometry.isWhole else { return }
        uncut = PixelBuffer(size: PixelSize(geometry.rows.width, 1))
        guard uncut != nil else { return nil }
    }

    /// The size of the rows to come.
    public var sourceSize: PixelSize { geometry.rows }

    /// The rows, of all that come, that the result is made of. Those before must come all the same, or be left out by
    /// asking for a sink of a part; those behind need not come.
    public var neededRows: Range<Int> { geometry.needed.y..<geometry.needed.y + geometry.needed.height }

    /// Whether all rows that the result is made of have come.
    public var isComplete: Bool { rowCount >= neededRows.upperBound }

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
        if uncut == nil {
            try unsafe take(fill)
        } else {
            try unsafe uncut?.withUnsafeMutableBytes { row throws(ImageError) in try unsafe fill(row) }
            if neededRows.contains(rowCount), let uncut {
                try unsafe uncut.withUnsafeRow(0) { row throws(ImageError) in
                    let start = geometry.needed.x * 4
                    let part = unsafe UnsafeRawBufferPointer(
                        rebasing: row[start..<start + geometry.needed.width * 4])
                    try unsafe take { unsafe $0.copyMemory(from: part) }
                }
            }
        }
        rowCount += 1
    }

    /// Takes the next row from where it stands, which a resampler reads without a copy.
    ///
    /// - Parameters:
    ///   - source: Samples of the file.
    ///   - next: The rows behind it, as far as they are known.
    /// - Throws: `cancelled` or `limitExceeded` when the decode is to end.
    package mutating func takeNextRow(
        _ source: UnsafeRawBufferPointer,
        next: UnsafeRawBufferPointer = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    ) throws(ImageError) {
        guard uncut == nil, resampling != nil, finishing.leavesResampledRows else {
            return try unsafe withNextRow { unsafe $0.copyMemory(from: source) }
        }
        precondition(source.count == geometry.rows.width * 4)
        if rowCount & 15 == 0 { try monitor.check() }
        unsafe resampling?.take(source, next: next)
        rowCount += 1
    }

    private mutating func take(
        _ fill: (UnsafeMutableRawBufferPointer) throws(ImageError) -> Void
    ) throws(ImageError) {
        let finishing = finishing
        try unsafe whole?.withNextRow { row throws(ImageError) in
            try unsafe fill(row)
            unsafe finishing.apply(to: row, isResampled: false)
        }
        try unsafe resampling?.withNextRow { row throws(ImageError) in
            try unsafe fill(row)
            unsafe finishing.apply(to: row, isResampled: true)
        }
    }

    /// A picture of what has come, turned upright; the sink goes on.
    func upright(from orientation: Orientation) -> PixelBuffer {
        if let whole { return whole.upright(from: orientation) }
        guard let resampling else { preconditionFailure("a sink without a target") }
        return resampling.finish().upright(from: orientation)
    }

    consuming func finish() -> PixelBuffer {
        if let whole { return whole.finish() }
        guard let resampling else { preconditionFailure("a sink without a target") }
        return resampling.finish()
    }
}
