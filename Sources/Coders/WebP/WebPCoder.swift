public import WebImageCore
public import WebImageFoundation
import WebImagePixels

/// Reads and writes WebP, still and animated, with libwebp.
///
/// EXIF orientation and an embedded colour profile are applied. A frame of an animation is decoded as it shows; canvas
/// that no frame covers is transparent, as in browsers. A file that ends before it says is an error.
public struct WebPCoder: ImageCoder {
    /// A coder keeps no state, so that one is as good as another.
    public init() {}

    /// Whether the bytes begin with the signature.
    public func canDecode(_ data: Data) -> Bool {
        FormatSniffer.format(of: data) == .webP
    }

    /// Walks over all chunks and decodes no pixel; of a cut file, it tells of the frames that are whole.
    ///
    /// - Throws: `badImageData` for a header that cannot be read.
    public func probe(_ data: Data) throws(ImageError) -> ImageProbe {
        try unsafe data.withImageBytes(of: .webP) { bytes throws(ImageError) in
            let chunks = WebPChunks(data)
            return try unsafe WebPFeatures(bytes).probe(chunks, chunks.metadata(DecodeLimits()))
        }
    }

    /// Takes time in proportion to the frames before the one asked for, back to the last that needs none before it, and
    /// the memory of the picture, or of three canvases. Of a part of a still picture libwebp makes no more rows and
    /// columns; a smaller one it makes down to twice the size, unless the picture is lossy and has alpha, or lossless
    /// and of no more than 8,388,608 pixels, or the filter takes single pixels: then it is held as a whole.
    ///
    /// - Throws: `limitExceeded` before any large allocation, `badImageData` for damaged or truncated bytes.
    public func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        try unsafe data.withImageBytes(of: .webP) { bytes throws(ImageError) in
            let file = try unsafe WebPFile(data, bytes, options: options)
            let decoding = try file.decoding(options, monitor)
            guard file.features.isAnimated else {
                return try unsafe WebPStill(file.features, decoding).picture(bytes, decoding, monitor)
            }
            var compositor = try WebPCompositor(StableBytes(data), file)
            return try compositor.picture(of: options.frameIndex, decoding, monitor)
        }
    }

    /// Whether the format is WebP.
    public func canEncode(to format: ImageFormat) -> Bool {
        format == .webP
    }

    /// Lossy with alpha below a quality of 1; lossless from there on. Metadata are written.
    ///
    /// The monitor is asked between rows.
    public func encode(
        _ image: DecodedImage, to format: ImageFormat, options: EncodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> Data {
        try WebPEncoding(options, monitor.forEncoding).data(of: image)
    }
}

extension ImageCoder where Self == WebPCoder {
    /// The coder of WebP.
    public static var webP: WebPCoder { WebPCoder() }
}

extension WebPCoder: AnimatedImageCoder {
    /// The frames share one copy of the bytes and one canvas, and one more for frames that are blended. The next frame
    /// costs itself; an earlier one, what lies after the last frame that needs none before it.
    ///
    /// - Throws: `badImageData` for a truncated file, `limitExceeded`. Damaged pixels throw when a frame is asked for.
    public func frames(of data: Data, options: DecodeOptions) throws(ImageError) -> any FrameSource {
        try unsafe data.withImageBytes(of: .webP) { bytes throws(ImageError) in
            try WebPFrames(unsafe WebPFile(data, bytes, options: options), data, options: options)
        }
    }

    /// Whether the format is WebP.
    public func canEncodeAnimation(to format: ImageFormat) -> Bool {
        format == .webP
    }

    /// Writes of each frame what differs from the one before. A frame that does not differ at all becomes part of that
    /// one: it shows for both their times.
    public func encode(
        _ frames: any FrameSource, to format: ImageFormat, options: EncodeOptions
    ) throws(ImageError) -> Data {
        try WebPEncoding(options).data(of: frames)
    }
}

extension WebPCoder: ProgressiveImageCoder {
    /// Shows a still picture as its rows come, at most eight times. The orientation, which a file tells behind its
    /// pixels, is applied to the last picture only. An animation shows its first frame when that is whole.
    public func incrementalDecoder(options: DecodeOptions) -> any IncrementalDecoder {
        PortionedDecoder(of: .webP, limits: options.limits) { () throws(ImageError) in WebPArrival(options) }
    }
}

extension WebPCoder: MetadataImageCoder {
    /// EXIF, XMP and the colour profile.
    ///
    /// - Throws: `badImageData` for a header that cannot be read.
    public func metadata(of data: Data, limits: DecodeLimits) throws(ImageError) -> ImageMetadata {
        try unsafe data.withImageBytes(of: .webP) { bytes throws(ImageError) in
            _ = try unsafe WebPFeatures(bytes)
            return WebPChunks(data).metadata(limits)
        }
    }
}
