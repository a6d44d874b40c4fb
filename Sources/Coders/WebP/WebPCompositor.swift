import CWebImageWebP
import WebImageCore
import WebImagePixels

/// Makes the frames of one file as they show, one after the other or in any order.
///
/// It holds one canvas, and as much again when frames are blended. A frame costs what lies between it and the frame
/// shown last; one that comes earlier, what lies after the last frame that needs none before it.
@safe struct WebPCompositor: Sendable {
    private let bytes: StableBytes
    private let frames: [WebPChunks.Frame]
    private let areKeyFrames: [Bool]
    private let hasAlpha: Bool
    private var canvas: WebPCanvas
    /// The frame that the canvas shows; `nil` when it shows nothing that is of use.
    private var shown: Int?

    /// Of a whole file.
    ///
    /// - Throws: `badImageData` where libwebp does not take its frames.
    init(_ bytes: StableBytes, _ file: WebPFile) throws(ImageError) {
        var data = unsafe WebPData(bytes: bytes.bytes.webPStart, size: bytes.bytes.count)
        guard let demuxer = unsafe WebPDemux(&data) else {
            throw ImageError(.badImageData, .decode, "the webp is damaged: its frames cannot be told apart")
        }
        unsafe WebPDemuxDelete(demuxer)
        try self.init(bytes, file.chunks.frames, file.features.size, hasAlpha: file.hasAlpha)
    }

    /// Of frames whose bytes are there.
    init(
        _ bytes: StableBytes, _ frames: [WebPChunks.Frame], _ size: PixelSize, hasAlpha: Bool
    ) throws(ImageError) {
        self.bytes = bytes
        self.frames = frames
        self.hasAlpha = hasAlpha
        areKeyFrames = frames.areKeyFrames(on: size)
        canvas = try WebPCanvas(size)
    }

    /// The frame as it shows. Where nothing is to be done to it, the picture is shared with the canvas until the next
    /// frame is made.
    mutating func picture(
        of index: Int, _ decoding: RowDecoding, _ monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        try show(index, monitor)
        var pixels = canvas.pixels
        // Of a file without alpha samples of it may be there that do not count.
        if !hasAlpha, !canvas.isOpaque { unsafe pixels.withUnsafeMutableBytes { unsafe fillAlpha($0) } }
        return try decoding.decode(pixels)
    }

    private mutating func show(_ index: Int, _ monitor: DecodeMonitor) throws(ImageError) {
        if shown == index { return }
        guard frames.indices.contains(index) else { throw WebPFault.damaged(frame: index) }
        var next = start(toward: index)
        if !replacesAll(next) {
            if let shown, next == shown + 1 { canvas.dispose(frames[shown].placement) } else { canvas.clear() }
        }
        // Whatever goes wrong on the way leaves a canvas that shows no frame.
        shown = nil
        while true {
            try monitor.check()
            try draw(next)
            if next == index { break }
            if !replacesAll(next + 1) { canvas.dispose(frames[next].placement) }
            next += 1
        }
        shown = index
    }

    /// The frame to begin with: the one after the frame shown, or one that needs none before it.
    private func start(toward index: Int) -> Int {
        let first = shown.map { $0 < index ? $0 + 1 : 0 } ?? 0
        if first == index, shown != nil { return index }
        return (first...index).last { areKeyFrames[$0] } ?? first
    }

    /// Whether what is there shines through the frame.
    private func isBlended(_ index: Int) -> Bool {
        let frame = frames[index]
        return frame.isBlended && (frame.hasAlpha || frame.isLossless) && !areKeyFrames[index]
    }

    /// Whether every pixel of the canvas becomes the frame's.
    private func replacesAll(_ index: Int) -> Bool {
        frames[index].placement.covers(canvas.pixels.size) && !isBlended(index)
    }

    private mutating func draw(_ index: Int) throws(ImageError) {
        let frame = frames[index]
        let previous = index > 0 ? frames[index - 1].placement : nil
        let isDrawn = unsafe canvas.draw(
            frame.placement, UnsafeRawBufferPointer(rebasing: bytes.bytes[frame.pixels]),
            frame.hasAlpha || frame.isLossless ? .someTransparent : .allOpaque, isBlended: isBlended(index),
            bare: previous?.disposal == .clear ? previous : nil)
        guard isDrawn else { throw WebPFault.damaged(frame: index) }
    }
}
