import CWebImageWebP
import WebImageColor
import WebImageCore
import WebImagePixels

/// A still picture, as far as its rows have come.
@safe final class WebPDrawing {
    private let still: WebPStill
    private let decoding: RowDecoding
    private let color: SourceColor
    private var sink: DecodingSink
    private var shownRowCount = 0
    private var isComplete = false
    /// Where libwebp writes to, what it was told, and its decoder, which refers to both.
    private let target: UnsafeMutableRawBufferPointer
    private let config: UnsafeMutablePointer<WebPDecoderConfig>
    private let decoder: OpaquePointer

    init(_ features: WebPFeatures, _ chunks: WebPChunks, _ options: DecodeOptions) throws(ImageError) {
        let metadata = chunks.metadata(options.limits)
        // Bytes may come slowly; the time that they take is not the decoder's.
        var limits = options.limits
        limits.maxSeconds = .infinity
        color = metadata.sourceColor
        decoding = try RowDecoding(
            features.probe(chunks, metadata), color: color, options: options, monitor: DecodeMonitor(limits: limits))
        still = WebPStill(features, decoding)
        sink = try decoding.sink(rowsOf: still.size, showing: still.part)
        let byteCount = still.size.width * still.size.height * 4
        unsafe target = .allocate(byteCount: byteCount, alignment: 64)
        unsafe config = .allocate(capacity: 1)
        do {
            unsafe config.initialize(to: try still.configuration(target))
        } catch {
            unsafe target.deallocate()
            unsafe config.deallocate()
            throw error
        }
        guard let decoder = unsafe WebPIDecode(nil, 0, config) else {
            unsafe target.deallocate()
            unsafe config.deallocate()
            throw WebPFault.reading(VP8_STATUS_OUT_OF_MEMORY, "in its pixels")
        }
        unsafe self.decoder = unsafe decoder
    }

    deinit {
        unsafe WebPIDelete(decoder)
        unsafe config.deallocate()
        unsafe target.deallocate()
    }

    /// Decodes what is new.
    ///
    /// - Parameter bytes: All from the start of the file, as far as they have come.
    func update(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        guard !isComplete else { return }
        let status = unsafe WebPIUpdate(decoder, bytes.webPStart, bytes.count)
        guard status == VP8_STATUS_OK || status == VP8_STATUS_SUSPENDED else {
            throw WebPFault.reading(status, "in its pixels")
        }
        isComplete = status == VP8_STATUS_OK
        var rowCount: Int32 = 0
        guard unsafe WebPIDecGetRGB(decoder, &rowCount, nil, nil, nil) != nil else { return }
        try giveRows(&sink, upTo: isComplete ? still.size.height : Int(rowCount))
    }

    /// The picture so far; `nil` when there is no new row.
    func partialImage() -> DecodedImage? {
        guard sink.rowCount > shownRowCount else { return nil }
        shownRowCount = sink.rowCount
        return decoding.partialImage(of: sink)
    }

    /// The whole picture, when all bytes have been seen; `nil` when what stands behind the pixels asks for another
    /// size.
    ///
    /// - Throws: `badImageData` when rows are missing.
    func picture(_ file: WebPFile, _ decoding: RowDecoding) throws(ImageError) -> DecodedImage? {
        guard isComplete else { throw WebPFault.reading(VP8_STATUS_SUSPENDED, "in its pixels") }
        if file.orientation == .up, file.color == color { return self.decoding.image(of: sink) }
        let turned = WebPStill(file.features, decoding)
        guard turned.size == still.size, turned.part == still.part else { return nil }
        return try decoding.decode(rowsOf: still.size, showing: still.part) { sink throws(ImageError) in
            try giveRows(&sink, upTo: still.size.height)
        }
    }

    private func giveRows(_ sink: inout DecodingSink, upTo rowCount: Int) throws(ImageError) {
        let bytesPerRow = still.size.width * 4
        while sink.rowCount < rowCount {
            let start = sink.rowCount * bytesPerRow
            try unsafe sink.withNextRow { row in
                unsafe row.copyMemory(from: UnsafeRawBufferPointer(rebasing: target[start..<start + bytesPerRow]))
                unsafe still.settleAlpha(row)
            }
        }
    }
}
