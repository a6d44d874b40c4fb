public import WebImageCore
public import WebImageFoundation
import WebImagePixels

/// Reads GIF, still and animated, with giflib.
///
/// A frame is decoded as it shows: laid over what the frames before it left. Canvas that no frame covers, or that a
/// frame clears, is transparent, as in browsers; the file's background colour is not used. Frames are clipped to the
/// canvas. A missing trailer is no fault; a cut frame is an error. GIF is not written.
public struct GIFCoder: ImageCoder {
    /// A coder keeps no state, so that one is as good as another.
    public init() {}

    /// Whether the bytes begin with the signature.
    public func canDecode(_ data: Data) -> Bool {
        FormatSniffer.format(of: data) == .gif
    }

    /// Walks over all blocks and decodes no pixel; of a cut file, it tells of the frames that have begun.
    ///
    /// - Throws: `badImageData` for a header that cannot be read.
    public func probe(_ data: Data) throws(ImageError) -> ImageProbe {
        try Self.probe(GIFStructure(data))
    }

    /// Takes time in proportion to `options.frameIndex` and the memory of one canvas, or two.
    ///
    /// - Throws: `limitExceeded` before any large allocation, `badImageData` for damaged or truncated bytes.
    public func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        let structure = try GIFStructure(data)
        var probe = try Self.probe(structure)
        guard !structure.isTruncated else {
            throw ImageError(
                .badImageData, .decode,
                "the gif is truncated: it ends after \(data.count) bytes in frame \(structure.frames.count - 1) or "
                    + "what belongs to it")
        }
        // The format says that a file which is silent on repetition plays once.
        probe.loopCount = probe.loopCount ?? 1
        let decoding = try RowDecoding(probe, options: options, monitor: monitor)
        let canvas = try decoding.emptyPicture(structure.canvas)
        return try unsafe data.withImageBytes(of: .gif) { bytes throws(ImageError) in
            let reader = try unsafe GIFReader(bytes, structure, limits: options.limits)
            return try decoding.decode(reader.picture(ofFrame: options.frameIndex, on: canvas))
        }
    }

    /// Always `false`.
    public func canEncode(to format: ImageFormat) -> Bool {
        false
    }

    /// Always throws.
    public func encode(
        _ image: DecodedImage, to format: ImageFormat, options: EncodeOptions
    ) throws(ImageError) -> Data {
        throw ImageError(.encodingFailed, .store, "gif is not written; choose png or webp")
    }

    private static func probe(_ structure: GIFStructure) throws(ImageError) -> ImageProbe {
        guard !structure.frames.isEmpty else {
            throw ImageError(.badImageData, .decode, "the gif has no picture in it, or ends before the first")
        }
        let isAnimated = structure.frames.count > 1
        return ImageProbe(
            format: .gif, size: structure.canvas, hasAlpha: structure.hasAlpha, frameCount: structure.frames.count,
            loopCount: structure.loopCount, durations: isAnimated ? structure.frames.map(\.duration) : [])
    }
}

extension ImageCoder where Self == GIFCoder {
    /// The coder of GIF.
    public static var gif: GIFCoder { GIFCoder() }
}
