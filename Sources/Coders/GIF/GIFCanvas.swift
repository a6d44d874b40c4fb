import WebImageCore
import WebImagePixels

/// The picture that frames are laid on. Its alpha is 0, with no colour, or full.
struct GIFCanvas {
    private(set) var pixels: PixelBuffer
    /// What stood in a place before a frame that is to be undone.
    private var saved: [UInt8] = []

    /// - Parameter pixels: Transparent.
    init(_ pixels: PixelBuffer) {
        self.pixels = pixels
    }

    /// Lays a row of palette indices on the canvas; the transparent one leaves it as it is.
    ///
    /// - Parameter row: Counted from the top of the frame.
    mutating func draw(
        _ indices: UnsafeRawBufferPointer, _ palette: GIFPalette, row: Int, of placement: FramePlacement
    ) {
        unsafe withRow(placement.y + row, of: placement) { unsafe palette.draw(indices, on: $0) }
    }

    /// Puts a row of palette indices in one or more rows of the canvas, whatever is there.
    mutating func replace(
        _ rows: Range<Int>, with indices: UnsafeRawBufferPointer, _ palette: GIFPalette, of placement: FramePlacement
    ) {
        for row in rows {
            unsafe withRow(placement.y + row, of: placement) { unsafe palette.replace($0, with: indices) }
        }
    }

    /// Makes all of it transparent.
    mutating func clear() {
        unsafe pixels.withUnsafeMutableBytes { (bytes) -> Void in
            _ = unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
        }
    }

    /// Keeps what a frame that is to be undone will cover.
    mutating func save(_ placement: FramePlacement) {
        var saved = self.saved
        self.saved = []
        saved.removeAll(keepingCapacity: true)
        for y in rows(of: placement) {
            unsafe withRow(y, of: placement) { pixels in unsafe saved.append(contentsOf: pixels) }
        }
        self.saved = saved
    }

    /// Does what is due when the frame's time is over.
    mutating func dispose(_ placement: FramePlacement) {
        switch placement.disposal {
        case .keep: break
        case .clear:
            for y in rows(of: placement) {
                unsafe withRow(y, of: placement) { pixels in
                    _ = unsafe pixels.initializeMemory(as: UInt8.self, repeating: 0)
                }
            }
        case .restorePrevious: restore(placement)
        }
    }

    private mutating func restore(_ placement: FramePlacement) {
        let saved = self.saved
        var offset = 0
        for y in rows(of: placement) {
            unsafe withRow(y, of: placement) { pixels in
                unsafe pixels.copyBytes(from: saved[offset..<offset + pixels.count])
                offset += pixels.count
            }
        }
    }

    /// Lends the part of a row of the canvas that a frame covers; does nothing where it covers none.
    ///
    /// It is the start of the frame's row, for a frame never begins left of the canvas.
    private mutating func withRow(
        _ y: Int, of placement: FramePlacement, _ body: (UnsafeMutableRawBufferPointer) -> Void
    ) {
        let left = placement.x
        let right = min(left + placement.size.width, pixels.width)
        guard rows(of: placement).contains(y), left < right else { return }
        let start = y * pixels.bytesPerRow + left * 4
        unsafe pixels.withUnsafeMutableBytes { (bytes) -> Void in
            unsafe body(UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + (right - left) * 4]))
        }
    }

    private func rows(of placement: FramePlacement) -> Range<Int> {
        let top = min(placement.y, pixels.height)
        return top..<min(placement.y + placement.size.height, pixels.height)
    }
}
