import WebImageCore
import WebImagePixels

/// Makes the frames of one file as they show, one after the other or in any order.
///
/// It holds one canvas, and of a frame that will be undone what that covers. A frame costs what lies between it and the
/// frame shown last; one that comes earlier, what lies after the last frame that needs none before it.
struct GIFCompositor {
    private var canvas: GIFCanvas
    /// The frame that the canvas shows; `nil` when it shows nothing that is of use.
    private var shown: Int?

    /// - Parameter canvas: Transparent, of the file's size.
    init(_ canvas: PixelBuffer) {
        self.canvas = GIFCanvas(canvas)
    }

    /// The frame as it shows. The buffer is shared with the canvas until the next frame is made.
    mutating func picture(
        of index: Int, _ structure: GIFStructure, _ reader: GIFReader
    ) throws(ImageError) -> PixelBuffer {
        if shown == index { return canvas.pixels }
        var next = structure.start(toward: index, shown: shown)
        if let shown, next == shown + 1 {
            canvas.dispose(structure.frames[shown].placement)
        } else {
            canvas.clear()
        }
        // Whatever goes wrong on the way leaves a canvas that shows no frame.
        shown = nil
        while true {
            let placement = structure.frames[next].placement
            if placement.disposal == .restorePrevious { canvas.save(placement) }
            try reader.draw(next, on: &canvas)
            if next == index { break }
            canvas.dispose(placement)
            next += 1
        }
        shown = index
        return canvas.pixels
    }
}

extension GIFStructure {
    /// The frame to begin with on the way to another: the one after the frame shown, or one that needs none before it.
    fileprivate func start(toward index: Int, shown: Int?) -> Int {
        let first = shown.map { $0 < index ? $0 + 1 : 0 } ?? 0
        // Looked for only where it saves work: the step to the next frame is taken as it is.
        if first == index, shown != nil { return index }
        return (first...index).last { needsNoneBefore($0) } ?? first
    }

    /// Whether a frame looks the same on a bare canvas, and so do all that follow.
    private func needsNoneBefore(_ index: Int) -> Bool {
        guard index > 0 else { return true }
        let previous = frames[index - 1].placement
        if previous.disposal == .clear, previous.covers(canvas) { return true }
        let frame = frames[index]
        return frame.transparentIndex == nil && frame.placement.covers(canvas)
            && frame.placement.disposal != .restorePrevious
    }
}
