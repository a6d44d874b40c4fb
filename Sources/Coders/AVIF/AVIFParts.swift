import CWebImageAVIF
import WebImageCore
import WebImagePixels

/// Parts of a decoded frame as RGBA with straight alpha, a few rows at a time: a smaller picture needs none in full
/// size. The frame must outlive it.
@safe struct AVIFParts: ~Copyable {
    private let image: UnsafeMutablePointer<avifImage>
    /// Shows libavif some rows of the frame.
    private let view: UnsafeMutablePointer<avifImage>
    private let size: PixelSize

    /// About as many bytes of rows at a time as stay in the processor's cache.
    private static let stripByteCount = 1 << 18
    /// What a pixel's colour depends on: colour of half the size is mixed with its neighbours.
    private static let margin = 2

    init(of image: UnsafeMutablePointer<avifImage>) throws(ImageError) {
        guard let view = unsafe avifImageCreateEmpty() else {
            throw ImageError(.badImageData, .decode, "there is no memory to decode the avif")
        }
        unsafe self.view = view
        unsafe self.image = image
        size = unsafe PixelSize(Int(image.pointee.width), Int(image.pointee.height))
    }

    deinit {
        unsafe avifImageDestroy(view)
    }

    /// - Parameter part: Within the frame; the sink takes its rows.
    func give(_ part: PixelRect, to sink: inout DecodingSink) throws(ImageError) {
        let columns = Self.surroundings(of: part.x, part.width, within: size.width)
        let bytesPerRow = columns.count * 4
        let stripHeight = max(16, Self.stripByteCount / bytesPerRow & ~1)
        let scratchSize = PixelSize(columns.count, min(size.height, stripHeight + 2 * Self.margin + 2))
        guard var scratch = PixelBuffer(uninitialized: scratchSize, layout: .init(alpha: .straight)) else {
            throw ImageError(.limitExceeded, .decode, "avif of \(size) fits no memory")
        }
        let bottom = part.y + part.height
        for top in stride(from: part.y, to: bottom, by: stripHeight) {
            let height = min(stripHeight, bottom - top)
            let rows = Self.surroundings(of: top, height, within: size.height)
            try convert(columns, rows, to: &scratch)
            let first = (top - rows.lowerBound) * bytesPerRow + (part.x - columns.lowerBound) * 4
            try unsafe scratch.withUnsafeBytes { bytes throws(ImageError) in
                for start in stride(from: first, to: first + height * bytesPerRow, by: bytesPerRow) {
                    let row = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<start + part.width * 4])
                    try unsafe sink.takeNextRow(row)
                }
            }
        }
    }

    /// With the margin, from an even place on, since pairs of pixels may share their colour.
    private static func surroundings(of start: Int, _ count: Int, within end: Int) -> Range<Int> {
        max(0, start - margin) & ~1..<min(end, start + count + margin)
    }

    private func convert(
        _ columns: Range<Int>, _ rows: Range<Int>, to scratch: inout PixelBuffer
    ) throws(ImageError) {
        var rect = avifCropRect(
            x: UInt32(columns.lowerBound), y: UInt32(rows.lowerBound), width: UInt32(columns.count),
            height: UInt32(rows.count))
        var result = unsafe avifImageSetViewRect(view, image, &rect)
        if result == AVIF_RESULT_OK {
            var target = unsafe avifRGBImage()
            unsafe avifRGBImageSetDefaults(&target, view)
            unsafe target.format = AVIF_RGB_FORMAT_RGBA
            unsafe target.depth = 8
            unsafe target.rowBytes = UInt32(columns.count * 4)
            precondition(scratch.byteCount >= rows.count * columns.count * 4)
            unsafe scratch.withUnsafeMutableBytes { bytes in
                unsafe target.pixels = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                result = unsafe avifImageYUVToRGB(view, &target)
            }
        }
        guard result != AVIF_RESULT_OK else { return }
        let reason = unsafe avifResultToString(result).map { unsafe String(cString: $0) } ?? "no reason given"
        throw ImageError(
            .badImageData, .decode, "the avif cannot be read in its colour from row \(rows.lowerBound) on: \(reason)")
    }
}
