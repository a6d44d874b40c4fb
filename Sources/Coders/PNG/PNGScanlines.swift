import CWebImagePNG
import WebImageCore
import WebImagePixels

/// The rows of a picture that is not interlaced, made one at a time of compressed bytes that come in any pieces.
///
/// Inflates into a window that stays in the processor's cache, and takes each row out of it. What libpng would judge
/// in a way of its own, such as data behind the last row, is `failed` here: then the picture is left to libpng.
@safe struct PNGScanlines: ~Copyable {
    enum Step {
        /// `copyRow(to:)` gives one more.
        case row
        case wantsBytes
        /// All rows were given, and the compressed data ended as it should, checksum and all.
        case ended
        case failed
    }

    private let inflater: OpaquePointer
    private let samples: PNGSamples
    private let height: Int
    /// Of a row in the file, filter left out.
    private let rowByteCount: Int
    private let window: UnsafeMutableRawBufferPointer
    /// What the window holds that no row was made of yet.
    private var fresh = 0..<0
    /// The row that was made last, and the one before it.
    private var row: UnsafeMutableRawBufferPointer
    private var above: UnsafeMutableRawBufferPointer
    /// How many rows were made.
    private(set) var rowCount = 0
    private var isOver = false
    /// Whether the window was full before all that the bytes so far say was inflated.
    private var hasMore = false

    /// How far back compressed data may point.
    private static let historyByteCount = 1 << 15
    /// How much is inflated in one go; with the history it fits in the second cache of small processors.
    private static let portionByteCount = 1 << 17
    /// Rows that are longer are left to libpng, which refuses them.
    private static let maxRowByteCount = 1 << 25

    /// `nil` for what libpng has to do.
    init?(_ file: PNGFile, size: PixelSize) {
        guard !file.header.isInterlaced, let samples = PNGSamples(file),
            let rowByteCount = samples.bytesPerRow(width: size.width), rowByteCount <= Self.maxRowByteCount,
            let inflater = unsafe cwebimage_png_inflater_open()
        else { return nil }
        unsafe self.inflater = inflater
        self.samples = samples
        self.rowByteCount = rowByteCount
        height = size.height
        let most = Self.historyByteCount + max(Self.portionByteCount, 2 * rowByteCount)
        let (all, overflow) = (rowByteCount + 1).multipliedReportingOverflow(by: height)
        // One byte more than there should be, so that it is seen when it comes.
        unsafe window = .allocate(byteCount: overflow ? most : min(most, all + 1), alignment: 64)
        unsafe row = .allocate(byteCount: rowByteCount, alignment: 64)
        unsafe above = .allocate(byteCount: rowByteCount, alignment: 64)
        unsafe row.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
        unsafe cwebimage_png_inflater_close(inflater)
        unsafe window.deallocate()
        unsafe row.deallocate()
        unsafe above.deallocate()
    }

    /// Whether the last row was made.
    var isComplete: Bool { rowCount == height }

    /// Makes the next row, or says why it cannot.
    ///
    /// - Parameter bytes: Compressed; those that were taken are gone when it returns, all of them with `wantsBytes`.
    mutating func advance(_ bytes: inout UnsafeRawBufferPointer) -> Step {
        while true {
            if !isComplete, fresh.count > rowByteCount { return makeRow() ? .row : .failed }
            // A byte behind the last row.
            if isComplete, !fresh.isEmpty { return .failed }
            if isOver { return isComplete ? .ended : .failed }
            guard unsafe hasMore || !bytes.isEmpty else { return .wantsBytes }
            guard unsafe inflate(&bytes) else { return .failed }
        }
    }

    private mutating func makeRow() -> Bool {
        unsafe swap(&row, &above)
        let start = fresh.lowerBound
        fresh = start + 1 + rowByteCount..<fresh.upperBound
        rowCount += 1
        let source = unsafe window.baseAddress?.advanced(by: start).assumingMemoryBound(to: UInt8.self)
        guard let source = unsafe source else { return false }
        return unsafe cwebimage_png_unfilter(
            source[0], source + 1, above.baseAddress?.assumingMemoryBound(to: UInt8.self),
            row.baseAddress?.assumingMemoryBound(to: UInt8.self), rowByteCount, samples.bytesPerPixel)
    }

    private mutating func inflate(_ bytes: inout UnsafeRawBufferPointer) -> Bool {
        makeRoom()
        let step = unsafe cwebimage_png_inflater_step(
            inflater, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count,
            window.baseAddress?.assumingMemoryBound(to: UInt8.self), window.count, fresh.upperBound)
        unsafe bytes = UnsafeRawBufferPointer(rebasing: bytes[step.input_count...])
        fresh = fresh.lowerBound..<step.output_end
        isOver = step.state == CWEBIMAGE_PNG_INFLATE_ENDED
        hasMore = step.state == CWEBIMAGE_PNG_INFLATE_NEEDS_ROOM
        return step.state != CWEBIMAGE_PNG_INFLATE_FAILED
    }

    /// Moves what may still be pointed at to the front when the window is full.
    private mutating func makeRoom() {
        guard unsafe fresh.upperBound == window.count else { return }
        let start = max(0, min(fresh.lowerBound, fresh.upperBound - Self.historyByteCount))
        // The places may overlap, which is allowed.
        unsafe window.copyMemory(from: UnsafeRawBufferPointer(rebasing: window[start...]))
        fresh = fresh.lowerBound - start..<fresh.upperBound - start
    }

    /// Fills `target`, width × 4 bytes, with the row that was made last.
    func copyRow(to target: UnsafeMutableRawBufferPointer) {
        unsafe samples.expand(UnsafeRawBufferPointer(row), to: target)
    }
}
