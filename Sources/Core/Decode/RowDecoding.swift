package import WebImageFoundation
public import WebImagePixels

/// The part of decoding that is the same in every coder: limits, the size to decode to, where rows go, turning upright.
///
/// A coder reads its header into an `ImageProbe`, makes a `RowDecoding` of it (which throws before anything large is
/// allocated) and gives its rows, or a whole picture, as the file stores them.
public struct RowDecoding: Sendable {
    /// The size of the file's picture as stored, before it is turned upright.
    public let storedSize: PixelSize
    /// The size to decode to, turned as stored. Neither side is larger than the stored one.
    public let targetSize: PixelSize
    private let layout: PixelBuffer.Layout
    private let orientation: Orientation
    private let attributes: DecodedImage.Attributes

    /// - Parameters:
    ///   - probe: What the header said.
    ///   - options: What the caller asked for.
    /// - Throws: `limitExceeded` for a picture that is too large, `badImageData` for an empty one or for a frame that
    ///   the file does not have.
    public init(_ probe: ImageProbe, options: DecodeOptions) throws(ImageError) {
        try options.limits.check(probe.size, of: probe.format)
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
        layout = PixelBuffer.Layout(alpha: probe.hasAlpha ? .premultiplied : .opaque)
        attributes = DecodedImage.Attributes(
            format: probe.format, scale: options.scaleFactor, frameCount: probe.frameCount,
            loopCount: probe.loopCount ?? 1, isThumbnail: targetSize != storedSize)
    }

    /// Makes the picture of rows, without holding more of a large one than the result needs.
    ///
    /// - Parameters:
    ///   - size: The size in which the rows come, where the decoder makes them smaller itself; at least `targetSize`.
    ///   - giveRows: Gives every row, top row first: RGBA, 8 bits, premultiplied.
    public func decode(
        rowsOf size: PixelSize? = nil, _ giveRows: (inout DecodingSink) throws(ImageError) -> Void
    ) throws(ImageError) -> DecodedImage {
        guard var sink = DecodingSink(source: size ?? storedSize, target: targetSize, layout: layout) else {
            throw unusableSize(size ?? storedSize)
        }
        try giveRows(&sink)
        return image(of: sink.finish())
    }

    /// Makes the picture of one that a decoder had to hold as a whole, of any size: RGBA, 8 bits, premultiplied.
    public func decode(_ pixels: PixelBuffer) throws(ImageError) -> DecodedImage {
        var pixels = pixels
        pixels.alpha = layout.alpha
        guard pixels.size != targetSize else { return image(of: pixels) }
        return try decode(rowsOf: pixels.size) { sink throws(ImageError) in
            for y in 0..<pixels.height {
                unsafe pixels.withUnsafeRow(y) { row in
                    unsafe sink.withNextRow { unsafe $0.copyMemory(from: row) }
                }
            }
        }
    }

    /// A transparent picture for a decoder that fills it as a whole.
    public func emptyPicture(_ size: PixelSize) throws(ImageError) -> PixelBuffer {
        guard let pixels = PixelBuffer(size: size, layout: layout) else { throw unusableSize(size) }
        return pixels
    }

    private func image(of pixels: PixelBuffer) -> DecodedImage {
        DecodedImage(pixels: pixels.upright(from: orientation), attributes: attributes)
    }

    private func unusableSize(_ size: PixelSize) -> ImageError {
        ImageError(.limitExceeded, .decode, "no picture of \(size) can be made from one of \(storedSize)")
    }
}

/// The sink of a decode: the picture itself where the rows are as wanted, a resampler where they are larger.
public struct DecodingSink: RowSink {
    // One of the two. Optionals, since the payload of an enum cannot be changed in place.
    private var whole: PixelBufferSink?
    private var resampling: ResamplingSink?
    /// The size of the rows to come.
    public let sourceSize: PixelSize

    /// `nil` for sizes that no picture can have.
    public init?(source: PixelSize, target: PixelSize, layout: PixelBuffer.Layout) {
        sourceSize = source
        if source == target {
            whole = PixelBufferSink(size: target, layout: layout)
        } else {
            resampling = ResamplingSink(source: source, target: target, layout: layout)
        }
        guard whole != nil || resampling != nil else { return nil }
    }

    /// Hands out the memory of the next row, to be filled completely: RGBA, 8 bits, premultiplied.
    public mutating func withNextRow<Failure: Error>(
        _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        try unsafe whole?.withNextRow(fill)
        try unsafe resampling?.withNextRow(fill)
    }

    /// The picture, of the target's size.
    public consuming func finish() -> PixelBuffer {
        if let whole { return whole.finish() }
        guard let resampling else { preconditionFailure("a sink without a target") }
        return resampling.finish()
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
