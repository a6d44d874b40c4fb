import WebImageColor
import WebImageCore
import WebImagePixels

/// Decodes single frames of one file. The bytes must outlive it.
@safe struct GIFReader {
    private let bytes: UnsafeRawBufferPointer
    private let structure: GIFStructure
    private let transform: ColorTransform?
    private let limits: DecodeLimits
    private let monitor: DecodeMonitor

    /// - Parameter transform: From the file's colours to those wanted.
    init(
        _ bytes: UnsafeRawBufferPointer, _ structure: GIFStructure, _ transform: ColorTransform?,
        limits: DecodeLimits, monitor: DecodeMonitor
    ) {
        unsafe self.bytes = unsafe bytes
        self.structure = structure
        self.transform = transform
        self.limits = limits
        self.monitor = monitor
    }

    /// Lays a frame on what the frames before it left.
    func draw(_ index: Int, on canvas: inout GIFCanvas) throws(ImageError) {
        try monitor.check()
        let frame = structure.frames[index]
        guard let codes = try codeReader(index) else { return }
        let palette = palette(of: frame)
        let order = GIFRows.order(frame.placement.size.height, isInterlaced: frame.isInterlaced)
        var blocks = blocks(of: frame)
        while !codes.isComplete, let block = unsafe blocks.next() {
            let outcome = try unsafe codes.read(block) { row, indices throws(ImageError) in
                if row & 63 == 63 { try monitor.check() }
                unsafe canvas.draw(indices, palette, row: order[row].lowerBound, of: frame.placement)
            }
            guard outcome == .fine else { throw Self.damaged(index, at: blocks.offset) }
        }
        guard codes.isComplete else { throw Self.damaged(index, at: blocks.offset) }
    }

    /// What reads the pixels of a frame; `nil` for a frame that has none.
    func codeReader(_ index: Int) throws(ImageError) -> GIFCodeReader? {
        let frame = structure.frames[index]
        let size = frame.placement.size
        guard !size.isEmpty else { return nil }
        // A few bytes can stand for a frame far larger than its canvas.
        try limits.check(size, of: .gif)
        let isPresent = unsafe frame.codeSizeOffset < bytes.count
        let codeSize = unsafe isPresent ? Int(bytes[frame.codeSizeOffset]) : 0
        guard let reader = GIFCodeReader(codeSize: codeSize, width: size.width, rowCount: size.height) else {
            throw ImageError(
                .badImageData, .decode,
                "the gif is damaged in frame \(index): at byte \(frame.codeSizeOffset) is no LZW code size")
        }
        return reader
    }

    /// The blocks that hold the pixels of a frame.
    func blocks(of frame: GIFStructure.Frame) -> GIFBlocks {
        unsafe GIFBlocks(bytes, from: frame.codeSizeOffset + 1)
    }

    /// What each palette index of a frame looks like.
    func palette(of frame: GIFStructure.Frame) -> GIFPalette {
        let range = frame.palette ?? structure.palette
        let entries = unsafe range.flatMap { range in
            unsafe range.upperBound <= bytes.count ? UnsafeRawBufferPointer(rebasing: bytes[range]) : nil
        }
        return unsafe GIFPalette(entries, transparentIndex: frame.transparentIndex, transform)
    }

    /// The error of a frame whose pixels cannot be read, or not all of them.
    static func damaged(_ index: Int, at offset: Int) -> ImageError {
        ImageError(
            .badImageData, .decode,
            "the gif is damaged in frame \(index): its LZW data are wrong or end early, before byte \(offset)")
    }
}
