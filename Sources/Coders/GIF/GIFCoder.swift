public import WebImageCore
public import WebImageFoundation
import WebImagePixels

/// Reads and writes GIF, still and animated.
///
/// A frame is decoded as it shows: laid over what the frames before it left. Canvas that no frame covers, or that a
/// frame clears, is transparent, as in browsers; the file's background colour is not used. Frames are clipped to the
/// canvas. An embedded colour profile is applied. A missing trailer is no fault; a cut frame is an error.
///
/// A file that says to repeat n times is played n + 1 times, as in browsers: `DecodedImage` and frames say n + 1,
/// `ImageProbe` says n. One that says nothing is played once.
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
        let structure = try GIFStructure(data)
        try structure.checkFrames()
        return structure.probe(data)
    }

    /// Takes time in proportion to the frames before the one asked for, back to the last that needs none before it, and
    /// the memory of one canvas, or two.
    ///
    /// - Throws: `limitExceeded` before any large allocation, `badImageData` for damaged or truncated bytes.
    public func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        try GIFFile(data, options: options).picture(options, monitor)
    }

    /// Whether the format is GIF.
    public func canEncode(to format: ImageFormat) -> Bool {
        format == .gif
    }

    /// At most 256 colours, chosen for the picture and dithered where it has more; a pixel is transparent, or opaque
    /// from an alpha of 128 on. `quality` has no effect.
    ///
    /// The monitor is asked between steps.
    public func encode(
        _ image: DecodedImage, to format: ImageFormat, options: EncodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> Data {
        try GIFEncoding(options, monitor.forEncoding).data(of: GIFStill(image))
    }
}

extension ImageCoder where Self == GIFCoder {
    /// The coder of GIF.
    public static var gif: GIFCoder { GIFCoder() }
}

extension GIFCoder: AnimatedImageCoder {
    /// The frames share one canvas, and one more for frames that are to be undone. The next frame costs what it covers;
    /// an earlier one, what lies after the last frame that needs none before it.
    ///
    /// - Throws: `badImageData` for a truncated file, `limitExceeded`. Damaged pixels throw when a frame is asked for.
    public func frames(of data: Data, options: DecodeOptions) throws(ImageError) -> any FrameSource {
        try GIFFrames(GIFFile(data, options: options), options: options)
    }

    /// Whether the format is GIF.
    public func canEncodeAnimation(to format: ImageFormat) -> Bool {
        format == .gif
    }

    /// Writes of each frame what differs from the one before, with a palette of its own. Times are rounded to
    /// hundredths of a second, so that their sum stays right.
    public func encode(
        _ frames: any FrameSource, to format: ImageFormat, options: EncodeOptions
    ) throws(ImageError) -> Data {
        try GIFEncoding(options).data(of: frames)
    }
}

extension GIFCoder: ProgressiveImageCoder {
    /// Shows the first frame as its rows come; rows of an interlaced one stand in for those below them that are still
    /// to come. Later frames change nothing, and damage in them is not looked for.
    ///
    /// With a `frameIndex` other than 0 there is no picture before the whole.
    public func incrementalDecoder(options: DecodeOptions) -> any IncrementalDecoder {
        PortionedDecoder(of: .gif, limits: options.limits) { () throws(ImageError) in GIFArrival(options) }
    }
}

extension GIFCoder: MetadataImageCoder {
    /// The XMP packet and the colour profile, where application extensions hold them.
    ///
    /// - Throws: `badImageData` for a header that cannot be read.
    public func metadata(of data: Data, limits: DecodeLimits) throws(ImageError) -> ImageMetadata {
        try GIFStructure(data).metadata(in: data, limits: limits)
    }
}
