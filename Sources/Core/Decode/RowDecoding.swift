public import WebImageColor
package import WebImageFoundation
public import WebImagePixels

/// The part of decoding that is the same in every coder: limits, the size to decode to, where rows go, colour, alpha,
/// turning upright.
///
/// A coder reads its header into an `ImageProbe`, makes a `RowDecoding` of it (which throws before anything large is
/// allocated) and gives its rows, or a whole picture, as the file stores them: RGBA with straight alpha, 8 bits, or
/// CMYK where its `SourceColor` says so.
public struct RowDecoding: Sendable {
    /// The size of the file's picture as stored, before it is turned upright.
    public let storedSize: PixelSize
    /// The part of the stored picture that the result shows; all of it unless `DecodeOptions.cropRect` is set. A coder
    /// that can skip the rest says which part it gives where it asks for a sink.
    public let storedRegion: PixelRect
    /// The size to decode that part to, turned as stored. Neither side is larger than the part's.
    public let targetSize: PixelSize
    private let finishing: RowFinishing
    private var monitor: DecodeMonitor
    private let orientation: Orientation
    private let attributes: DecodedImage.Attributes

    /// - Parameters:
    ///   - probe: What the header said.
    ///   - color: What the samples mean.
    ///   - options: What the caller asked for.
    ///   - monitor: Asked with every few rows whether to go on.
    /// - Throws: `limitExceeded` for a picture that is too large, `badImageData` for an empty one or for a frame that
    ///   the file does not have.
    public init(
        _ probe: ImageProbe, color: SourceColor = SourceColor(), options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) {
        try options.limits.check(probe.size, of: probe.format)
        try options.limits.check(frameCount: probe.frameCount, of: probe.format)
        guard options.frameIndex >= 0, options.frameIndex < max(1, probe.frameCount, probe.pageCount) else {
            throw ImageError(
                .badImageData, .decode,
                "this \(probe.format) has \(probe.frameCount) frame(s) and none at index \(options.frameIndex); "
                    + "frames count from 0")
        }
        let region = try options.region(of: probe.size)
        let uprightTarget = options.targetSize(for: probe.size)
        orientation = probe.orientation
        storedSize = orientation.isTransposed ? probe.size.transposed : probe.size
        storedRegion = orientation.stored(region, of: probe.size)
        targetSize = orientation.isTransposed ? uprightTarget.transposed : uprightTarget
        finishing = RowFinishing(hasAlpha: probe.hasAlpha, color: color, options: options)
        self.monitor = monitor
        var attributes = DecodedImage.Attributes(
            format: probe.format, scale: options.scaleFactor,
            frameCount: options.firstFrameOnly ? 1 : probe.frameCount,
            loopCount: probe.loopCount ?? 1, isThumbnail: targetSize != storedSize)
        attributes.decodeOptions = options
        self.attributes = attributes
    }

    /// How the sink weighs pixels; a decoder that makes pictures smaller itself leaves the rest to it.
    package var resampling: Resampling { finishing.resampling }

    /// Whether nothing is cut off.
    public var isWhole: Bool { storedRegion.size == storedSize }

    /// Makes the picture of rows, without holding more of a large one than the result needs.
    ///
    /// - Parameters:
    ///   - size: The size in which the rows come, where the decoder makes them smaller itself; the part of them that
    ///     stands for `storedRegion` must be at least `targetSize`.
    ///   - part: What of the stored picture the rows show, where the decoder leaves something out: `storedRegion` or
    ///     more, in full-size pixels. All of it when `nil`; then the sink drops what is not wanted.
    ///   - giveRows: Gives every row, top row first.
    public func decode(
        rowsOf size: PixelSize? = nil, showing part: PixelRect? = nil,
        _ giveRows: (inout DecodingSink) throws(ImageError) -> Void
    ) throws(ImageError) -> DecodedImage {
        var sink = try sink(rowsOf: size, showing: part)
        try giveRows(&sink)
        return image(of: sink)
    }

    /// Where rows go, for a decoder that cannot give them all inside one call.
    public func sink(rowsOf size: PixelSize? = nil, showing part: PixelRect? = nil) throws(ImageError) -> DecodingSink {
        let part = part ?? PixelRect(storedSize)
        let rows = size ?? part.size
        guard let geometry = RowGeometry(rowsOf: rows, showing: part, region: storedRegion, target: targetSize),
            let sink = DecodingSink(geometry, finishing: finishing, monitor: monitor)
        else { throw unusableSize(rows) }
        return sink
    }

    /// The picture of what a sink has taken so far; rows that never came are transparent.
    public func image(of sink: consuming DecodingSink) -> DecodedImage {
        let isWhole = sink.isComplete
        var pixels = finishing.finished(sink.finish())
        // What is not there yet is seen through, also in a picture without alpha.
        if !isWhole, pixels.alpha == .opaque { pixels.alpha = finishing.alpha }
        return image(of: pixels)
    }

    /// The picture of what a sink has taken so far, which goes on; rows that did not come yet are transparent. Costs
    /// what those cost that came.
    package func partialImage(of sink: borrowing DecodingSink) -> DecodedImage {
        var pixels = finishing.finished(sink.upright(from: orientation))
        if !sink.isComplete, pixels.alpha == .opaque { pixels.alpha = .premultiplied }
        return DecodedImage(pixels: pixels, attributes: attributes)
    }

    /// Makes the picture of one that a decoder had to hold as a whole, of any size. A buffer that the caller lets go of
    /// becomes the picture without a copy.
    ///
    /// - Parameter part: What of the stored picture the pixels show; see `decode(rowsOf:showing:_:)`.
    public func decode(
        _ pixels: consuming PixelBuffer, showing part: PixelRect? = nil
    ) throws(ImageError) -> DecodedImage {
        guard isAsWanted(pixels, showing: part) else { return try decodeRows(of: pixels, showing: part) }
        if finishing.isNeeded {
            unsafe pixels.withUnsafeMutableBytes { unsafe finishing.apply(to: $0, isResampled: false) }
        }
        pixels.alpha = finishing.sinkLayout(isResampled: false).alpha
        return image(of: pixels)
    }

    /// Makes the picture of pixels that are sRGB already, and whose colour is 0 wherever alpha is not full: nothing is
    /// left to do to them. At the size to decode to they are shared, not copied.
    public func decode(finished pixels: PixelBuffer) throws(ImageError) -> DecodedImage {
        guard isAsWanted(pixels, showing: nil) else { return try decodeRows(of: pixels, showing: nil) }
        var pixels = pixels
        pixels.alpha = finishing.sinkLayout(isResampled: false).alpha
        return image(of: pixels)
    }

    /// The same, asking another monitor: for the next frame, whose time counts from its own start.
    public func watched(by monitor: DecodeMonitor) -> RowDecoding {
        var copy = self
        copy.monitor = monitor
        return copy
    }

    /// A transparent picture for a decoder that fills it as a whole.
    public func emptyPicture(_ size: PixelSize) throws(ImageError) -> PixelBuffer {
        guard let pixels = PixelBuffer(size: size, layout: .init(alpha: .straight)) else { throw unusableSize(size) }
        return pixels
    }

    /// A picture of any bytes, for a decoder that writes all of them or throws.
    package func unwrittenPicture(_ size: PixelSize) throws(ImageError) -> PixelBuffer {
        guard let pixels = PixelBuffer(uninitialized: size, layout: .init(alpha: .straight)) else {
            throw unusableSize(size)
        }
        return pixels
    }

    private func isAsWanted(_ pixels: borrowing PixelBuffer, showing part: PixelRect?) -> Bool {
        pixels.size == targetSize && (part ?? PixelRect(storedSize)) == storedRegion
    }

    private func decodeRows(of pixels: PixelBuffer, showing part: PixelRect?) throws(ImageError) -> DecodedImage {
        try decode(rowsOf: pixels.size, showing: part) { sink throws(ImageError) in
            try unsafe pixels.withUnsafeBytes { bytes throws(ImageError) in
                for y in 0..<pixels.height where !sink.isComplete {
                    let end = (y + 1) * pixels.bytesPerRow
                    let row = unsafe bytes[y * pixels.bytesPerRow..<y * pixels.bytesPerRow + pixels.width * 4]
                    let next = unsafe bytes[end..<min(bytes.count, end + 4 * pixels.bytesPerRow)]
                    try unsafe sink.takeNextRow(
                        UnsafeRawBufferPointer(rebasing: row), next: UnsafeRawBufferPointer(rebasing: next))
                }
            }
        }
    }

    private func image(of pixels: PixelBuffer) -> DecodedImage {
        DecodedImage(pixels: pixels.upright(from: orientation), attributes: attributes)
    }

    private func unusableSize(_ size: PixelSize) -> ImageError {
        ImageError(.limitExceeded, .decode, "no picture of \(size) can be made from one of \(storedSize)")
    }
}

extension Data {
    /// Lends all bytes to a C library.
    ///
    /// - Throws: `badImageData` when there are none; what `body` throws.
    package func withImageBytes<Result>(
        of format: ImageFormat, _ body: (UnsafeRawBufferPointer) throws(ImageError) -> Result
    ) throws(ImageError) -> Result {
        guard !isEmpty else { throw ImageError(.badImageData, .decode, "the \(format) has no bytes") }
        // `Data` knows no typed throws, so the error leaves as a value.
        let result = unsafe withUnsafeBytes { bytes in
            Swift.Result { () throws(ImageError) in try unsafe body(bytes) }
        }
        return try result.get()
    }
}
