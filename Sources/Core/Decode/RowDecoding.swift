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
    /// The size to decode to, turned as stored. Neither side is larger than the stored one.
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
        guard options.frameIndex >= 0, options.frameIndex < max(1, probe.frameCount) else {
            throw ImageError(
                .badImageData, .decode,
                "this \(probe.format) has \(probe.frameCount) frame(s) and none at index \(options.frameIndex); "
                    + "frames count from 0")
        }
        let uprightTarget = options.targetSize(for: probe.size)
        orientation = probe.orientation
        storedSize = orientation.isTransposed ? probe.size.transposed : probe.size
        targetSize = orientation.isTransposed ? uprightTarget.transposed : uprightTarget
        finishing = RowFinishing(hasAlpha: probe.hasAlpha, color: color, options: options)
        self.monitor = monitor
        attributes = DecodedImage.Attributes(
            format: probe.format, scale: options.scaleFactor, frameCount: probe.frameCount,
            loopCount: probe.loopCount ?? 1, isThumbnail: targetSize != storedSize)
    }

    /// Makes the picture of rows, without holding more of a large one than the result needs.
    ///
    /// - Parameters:
    ///   - size: The size in which the rows come, where the decoder makes them smaller itself; at least `targetSize`.
    ///   - giveRows: Gives every row, top row first.
    public func decode(
        rowsOf size: PixelSize? = nil, _ giveRows: (inout DecodingSink) throws(ImageError) -> Void
    ) throws(ImageError) -> DecodedImage {
        var sink = try sink(rowsOf: size)
        try giveRows(&sink)
        return image(of: sink)
    }

    /// Where rows go, for a decoder that cannot give them all inside one call.
    public func sink(rowsOf size: PixelSize? = nil) throws(ImageError) -> DecodingSink {
        let source = size ?? storedSize
        guard let sink = DecodingSink(source: source, target: targetSize, finishing: finishing, monitor: monitor) else {
            throw unusableSize(source)
        }
        return sink
    }

    /// The picture of what a sink has taken so far; rows that never came are transparent.
    public func image(of sink: consuming DecodingSink) -> DecodedImage {
        let isWhole = sink.rowCount >= sink.sourceSize.height
        var pixels = finishing.finished(sink.finish())
        // What is not there yet is seen through, also in a picture without alpha.
        if !isWhole, pixels.alpha == .opaque { pixels.alpha = .premultiplied }
        return image(of: pixels)
    }

    /// Makes the picture of one that a decoder had to hold as a whole, of any size. A buffer that the caller lets go of
    /// becomes the picture without a copy.
    public func decode(_ pixels: consuming PixelBuffer) throws(ImageError) -> DecodedImage {
        guard pixels.size == targetSize else {
            let pixels = pixels
            return try decode(rowsOf: pixels.size) { sink throws(ImageError) in
                for y in 0..<pixels.height {
                    try unsafe pixels.withUnsafeRow(y) { row throws(ImageError) in
                        try unsafe sink.withNextRow { unsafe $0.copyMemory(from: row) }
                    }
                }
            }
        }
        if finishing.isNeeded {
            unsafe pixels.withUnsafeMutableBytes { unsafe finishing.apply(to: $0, isResampled: false) }
        }
        pixels.alpha = finishing.sinkLayout(isResampled: false).alpha
        return image(of: pixels)
    }

    /// Makes the picture of pixels that are sRGB already, and whose colour is 0 wherever alpha is not full: nothing is
    /// left to do to them. At the size to decode to they are shared, not copied.
    public func decode(finished pixels: PixelBuffer) throws(ImageError) -> DecodedImage {
        guard pixels.size == targetSize else { return try decode(pixels) }
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
