import WebImageColor
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// The first frame of a file that is still coming.
///
/// A small one that nobody watches is decoded when all of it is there.
final class GIFArrival: ImageArrival {
    private let options: DecodeOptions
    private var data = Data()
    private var structure = GIFStructure()
    private var drawing: GIFDrawing?

    /// From how many bytes on the end should not have all to do.
    private static let largeByteCount = 1 << 16
    /// So small a picture costs little more than a partial one of it, and shows when all of it is there.
    private static let smallPixelCount = 1 << 14

    init(_ options: DecodeOptions) {
        self.options = options
    }

    func take(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        unsafe data.append(contentsOf: bytes)
        structure.advance(over: data, maxFrameCount: options.limits.maxFrameCount)
        if structure.isAtEnd { try structure.checkFrames() }
        try options.limits.check(frameCount: structure.frames.count, of: .gif)
        if !structure.frames.isEmpty { try options.limits.check(structure.canvas, of: .gif) }
        // What comes last of a small one is left to the end, which may not need it drawn apart.
        if data.count >= Self.largeByteCount { try draw() }
    }

    func preview() throws(ImageError) -> DecodedImage? {
        if isWorthShowing { try draw() }
        return try drawing?.partialImage()
    }

    private var isWorthShowing: Bool {
        structure.hasFirstFrame || structure.canvas.pixelCount ?? .max >= Self.smallPixelCount
    }

    func finish() throws(ImageError) -> DecodedImage {
        let file = try GIFFile(data, structure, options: options)
        let monitor = DecodeMonitor(limits: options.limits)
        guard drawing != nil else { return try file.picture(options, monitor) }
        try draw()
        guard let drawing else { return try file.picture(options, monitor) }
        return try file.decoding(options, monitor).decode(finished: drawing.finishedPixels())
    }

    /// As much of the first frame as there is.
    private func draw() throws(ImageError) {
        guard let first = structure.frames.first, options.frameIndex == 0 else { return }
        let monitor = DecodeMonitor(limits: options.limits)
        if drawing == nil { drawing = try GIFDrawing(structure, monitor, options) }
        guard drawing?.isComplete == false, first.codeSizeOffset < data.count else { return }
        try draw(first, monitor)
    }

    private func draw(_ frame: GIFStructure.Frame, _ monitor: DecodeMonitor) throws(ImageError) {
        // The colours of a frame are settled when its first block is there.
        let transform = drawing?.hasBegun == true ? nil : structure.transform(in: data, options: options)
        try unsafe data.withImageBytes(of: .gif) { bytes throws(ImageError) in
            let reader = unsafe GIFReader(bytes, structure, transform, limits: options.limits, monitor: monitor)
            try unsafe drawing?.draw(bytes, reader, frame)
        }
    }
}
