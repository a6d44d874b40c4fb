import WebImageCore
import WebImageFoundation
import WebImagePixels

/// The first frame, as far as its pixels have come.
struct GIFDrawing {
    private var canvas: GIFCanvas
    private let decoding: RowDecoding
    private let limits: DecodeLimits
    private var codes: GIFCodeReader?
    private var palette: GIFPalette?
    private var order: [Range<Int>] = []
    /// Where the next block of pixels begins; `nil` before the first.
    private var offset: Int?
    private var shownRowCount = 0
    private var rowCount = 0

    /// - Throws: `limitExceeded` for a canvas that is too large.
    init(_ structure: GIFStructure, _ monitor: DecodeMonitor, _ options: DecodeOptions) throws(ImageError) {
        var probe = structure.probe(Data())
        probe.hasAlpha = true
        probe.loopCount = structure.playCount
        limits = options.limits
        decoding = try RowDecoding(probe, options: options, monitor: monitor)
        canvas = try GIFCanvas(decoding.emptyPicture(structure.canvas))
    }

    var hasBegun: Bool { offset != nil }

    /// Whether all rows are there.
    var isComplete: Bool { hasBegun && codes?.isComplete ?? true }

    /// Reads the blocks that have come since.
    mutating func draw(
        _ bytes: UnsafeRawBufferPointer, _ reader: GIFReader, _ frame: GIFStructure.Frame
    ) throws(ImageError) {
        if offset == nil {
            codes = try reader.codeReader(0)
            palette = reader.palette(of: frame)
            rowCount = frame.placement.size.height
            order = codes == nil ? [] : GIFRows.order(rowCount, isInterlaced: frame.isInterlaced)
            offset = frame.codeSizeOffset + 1
        }
        guard let codes, let palette, let start = offset else { return }
        var blocks = unsafe GIFBlocks(bytes, from: start)
        while !codes.isComplete, let block = unsafe blocks.next() {
            // Nothing is below the first frame, so that its rows may be put over one another.
            let outcome = unsafe codes.read(block) { row, indices in
                unsafe canvas.replace(order[row], with: indices, palette, of: frame.placement)
            }
            guard outcome == .fine else { throw GIFReader.damaged(0, at: blocks.offset) }
        }
        offset = blocks.offset
        guard codes.isComplete || !blocks.isAtEnd else { throw GIFReader.damaged(0, at: blocks.offset) }
    }

    /// The picture so far; at most four in all, for each but the last costs a copy of the canvas.
    mutating func partialImage() throws(ImageError) -> DecodedImage? {
        guard let codes, codes.row > shownRowCount, codes.isComplete || codes.row - shownRowCount >= rowCount / 4
        else { return nil }
        shownRowCount = codes.row
        return try decoding.watched(by: DecodeMonitor(limits: limits)).decode(finished: canvas.pixels)
    }

    /// The canvas with all of the frame on it.
    func finishedPixels() throws(ImageError) -> PixelBuffer {
        guard isComplete else { throw GIFReader.damaged(0, at: offset ?? 0) }
        return canvas.pixels
    }
}
