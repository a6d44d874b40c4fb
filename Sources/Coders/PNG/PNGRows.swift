import WebImageCore
import WebImageFoundation
import WebImagePixels

/// A picture whose rows come once, from the top.
@safe
final class PNGRows: PNGPartialPicture {
    let decoding: RowDecoding
    let hasAlpha: Bool
    private let height: Int
    private let previewCount: Int
    private var lines: PNGScanlines
    private var sink: DecodingSink
    private var shown = 0
    /// Of the chunk that the compressed data ended in.
    private var endOffset: Int?

    /// `nil` when libpng has to decode the picture, which it does when all is there.
    init?(_ file: PNGFile, _ decoding: RowDecoding) throws(ImageError) {
        guard let lines = PNGScanlines(file, size: file.header.size) else { return nil }
        self.lines = lines
        self.decoding = decoding
        height = file.header.size.height
        hasAlpha = file.probe().hasAlpha
        sink = try decoding.sink()
        previewCount = Self.previewCount(of: decoding.targetSize, isTurned: file.orientation != .up)
    }

    var isComplete: Bool { lines.isComplete }

    func hasGoodEnd() -> Bool { endOffset != nil }

    func take(_ data: Data, of chunk: PNGChunk, from start: Int) throws(ImageError) {
        if endOffset == nil {
            let range = max(start, chunk.body.lowerBound)..<max(start, chunk.body.upperBound)
            try unsafe data.withImageBytes(of: .png) { bytes throws(ImageError) in
                try unsafe take(UnsafeRawBufferPointer(rebasing: bytes[range]), of: chunk)
            }
        }
        // What stands in later ones is of no use.
        guard (endOffset ?? chunk.offset) == chunk.offset else { return }
        guard !chunk.isWhole || data.isSound(chunk) else {
            throw .damagedPNG(at: chunk.offset, "the checksum of the pixels up to row \(lines.rowCount) is wrong")
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer, of chunk: PNGChunk) throws(ImageError) {
        var bytes = unsafe bytes
        while true {
            switch unsafe lines.advance(&bytes) {
            case .row: try unsafe sink.withNextRow { unsafe lines.copyRow(to: $0) }
            case .wantsBytes: return
            case .ended:
                endOffset = chunk.offset
                return
            case .failed:
                throw .damagedPNG(
                    at: chunk.body.upperBound - bytes.count, "the compressed pixels break off at row \(lines.rowCount)")
            }
        }
    }

    func preview() throws(ImageError) -> DecodedImage? {
        let step = lines.rowCount * (previewCount + 1) / height
        guard step > shown, !isComplete else { return nil }
        shown = step
        return decoding.partialImage(of: sink)
    }

    func picture(_ decoding: RowDecoding) throws(ImageError) -> DecodedImage { decoding.image(of: sink) }
}
