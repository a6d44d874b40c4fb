import WebImageCore
import WebImageFoundation
import WebImagePixels

/// Where the compressed pixels of one picture stand in a file, in the order in which they belong together.
struct PNGPieces {
    let file: PNGFile
    let size: PixelSize
    /// Places in the file.
    let ranges: PNGPixelRanges

    /// Few enough that asking between them whether to go on is asking often.
    private static let maxByteCount = 1 << 16

    /// Those of the default picture; `nil` when a chunk is cut or its checksum is wrong.
    init?(ofDefaultPictureOf file: PNGFile) {
        guard let run = file.pixels else { return nil }
        let chunks = PNGChunks(file.data, from: run.lowerBound)
        guard chunks.lazy.prefix(while: { $0.offset < run.upperBound }).allSatisfy({ file.data.isSound($0) }) else {
            return nil
        }
        (self.file, size) = (file, file.header.size)
        ranges = PNGPixelRanges(chunks, upTo: run.upperBound)
    }

    /// Those of a frame.
    init(_ chunks: [PNGChunk], size: PixelSize, of file: PNGFile) throws(ImageError) {
        for chunk in chunks where !file.data.isSound(chunk) {
            throw .brokenFrame(at: chunk.offset, "the checksum of its pixels is wrong")
        }
        (self.file, self.size) = (file, size)
        ranges = PNGPixelRanges(chunks)
    }

    /// The picture; `nil` when libpng has to decode it.
    func decode(_ decoding: RowDecoding, _ monitor: DecodeMonitor) throws(ImageError) -> DecodedImage? {
        guard !file.header.isInterlaced else { return nil }
        var sink = try decoding.sink()
        let isDone = try giveRows(monitor) { lines throws(ImageError) in
            try unsafe sink.withNextRow { unsafe lines.copyRow(to: $0) }
            return !sink.isComplete || lines.isComplete
        }
        return isDone ? decoding.image(of: sink) : nil
    }

    /// The pixels as they are, with straight alpha; `nil` when libpng has to decode them.
    func pixels(_ decoding: RowDecoding, _ monitor: DecodeMonitor) throws(ImageError) -> PixelBuffer? {
        guard !file.header.isInterlaced else { return nil }
        var pixels = try decoding.emptyPicture(size)
        let bytesPerRow = pixels.bytesPerRow
        let isDone = try giveRows(monitor) { lines throws(ImageError) in
            let start = (lines.rowCount - 1) * bytesPerRow
            unsafe pixels.withUnsafeMutableBytes { bytes in
                unsafe lines.copyRow(to: UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + bytesPerRow]))
            }
            return true
        }
        return isDone ? pixels : nil
    }

    /// Gives each row once, top row first. False when libpng has to decode the picture; some rows may have been given.
    ///
    /// - Parameter take: Whether to go on; after the last row, to see whether the data ends as it should.
    private func giveRows(
        _ monitor: DecodeMonitor, _ take: (borrowing PNGScanlines) throws(ImageError) -> Bool
    ) throws(ImageError) -> Bool {
        try unsafe file.data.withImageBytes(of: .png) { bytes throws(ImageError) in
            guard var lines = PNGScanlines(file, size: size) else { return false }
            for range in ranges {
                for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.maxByteCount) {
                    try monitor.check()
                    let end = min(range.upperBound, start + Self.maxByteCount)
                    var piece = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                    advancing: while true {
                        switch unsafe lines.advance(&piece) {
                        case .row: guard try take(lines) else { return true }
                        case .wantsBytes: break advancing
                        case .ended: return true
                        case .failed: return false
                        }
                    }
                }
            }
            return false
        }
    }
}
