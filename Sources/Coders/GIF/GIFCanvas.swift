import WebImageCore
import WebImagePixels

/// The picture that frames are laid on.
struct GIFCanvas {
    private(set) var pixels: PixelBuffer
    /// What stood in a place before a frame that is to be undone.
    private var saved: [UInt8] = []

    init(_ pixels: PixelBuffer) {
        self.pixels = pixels
    }

    /// Lays a row of palette indices on the canvas.
    ///
    /// - Parameters:
    ///   - colors: Premultiplied RGBA for each index; alpha 0 leaves the canvas as it is.
    ///   - row: Counted from the top of the frame.
    mutating func draw(_ indices: [UInt8], _ colors: [UInt32], row: Int, of placement: FramePlacement) {
        let part = visiblePart(of: placement)
        guard part.rows.contains(placement.y + row) else { return }
        let start = (placement.y + row) * pixels.bytesPerRow
        unsafe pixels.withUnsafeMutableBytes { (bytes) -> Void in
            for x in part.columns {
                let color = colors[Int(indices[x - placement.x])]
                guard color != 0 else { continue }
                unsafe bytes.storeBytes(of: color, toByteOffset: start + x * 4, as: UInt32.self)
            }
        }
    }

    /// Keeps what a frame that is to be undone will cover.
    mutating func save(_ placement: FramePlacement) {
        saved.removeAll(keepingCapacity: true)
        unsafe forEachRow(of: placement) { row, saved in unsafe saved.append(contentsOf: row) }
    }

    /// Does what is due when the frame's time is over.
    mutating func dispose(_ placement: FramePlacement) {
        switch placement.disposal {
        case .keep: break
        case .clear:
            unsafe forEachRow(of: placement) { row, _ in _ = unsafe row.initializeMemory(as: UInt8.self, repeating: 0) }
        case .restorePrevious:
            var offset = 0
            unsafe forEachRow(of: placement) { row, saved in
                unsafe row.copyBytes(from: saved[offset..<offset + row.count])
                offset += row.count
            }
        }
    }

    private mutating func forEachRow(
        of placement: FramePlacement, _ body: (UnsafeMutableRawBufferPointer, inout [UInt8]) -> Void
    ) {
        let part = visiblePart(of: placement)
        let bytesPerRow = pixels.bytesPerRow
        unsafe pixels.withUnsafeMutableBytes { (bytes) -> Void in
            for y in part.rows {
                let start = y * bytesPerRow + part.columns.lowerBound * 4
                let row = unsafe bytes[start..<start + part.columns.count * 4]
                unsafe body(UnsafeMutableRawBufferPointer(rebasing: row), &saved)
            }
        }
    }

    private func visiblePart(of placement: FramePlacement) -> (columns: Range<Int>, rows: Range<Int>) {
        let left = min(placement.x, pixels.width)
        let top = min(placement.y, pixels.height)
        return (
            left..<min(placement.x + placement.size.width, pixels.width),
            top..<min(placement.y + placement.size.height, pixels.height)
        )
    }
}
