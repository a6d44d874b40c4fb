public import WebImageCore
public import WebImageFoundation

/// Reads AVIF, still and as sequences, and writes still pictures, with libavif.
///
/// Crop, rotation and mirror of the container are applied; EXIF orientation is not, as the format demands. Samples of
/// more than 8 bits are rounded to 8; those of high dynamic range stay as they are.
public struct AVIFCoder: AnimatedImageCoder, MetadataImageCoder {
    /// A coder keeps no state, so that one is as good as another.
    public init() {}

    /// Whether any brand of the file is AVIF's, whatever its major brand says.
    public func canDecode(_ data: Data) -> Bool {
        FormatSniffer.format(of: data) == .avif
    }

    /// Reads the boxes and decodes no pixel.
    ///
    /// - Throws: `badImageData` for a header that cannot be read.
    public func probe(_ data: Data) throws(ImageError) -> ImageProbe {
        do {
            return try unsafe data.withImageBytes(of: .avif) { bytes throws(ImageError) in
                try unsafe AVIFReader.open(bytes, data, limits: DecodeLimits(maxPixelCount: 1 << 28)).probe
            }
        } catch {
            throw ImageError(.badImageData, .decode, error.message)
        }
    }

    /// Takes time in proportion to the frames from the last key frame to `options.frameIndex`, and the memory of two
    /// pictures. A picture of full size is decoded on two threads, a smaller one on one.
    ///
    /// - Throws: `limitExceeded` before any large allocation, `badImageData` for damaged or truncated bytes.
    public func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        try unsafe data.withImageBytes(of: .avif) { bytes throws(ImageError) in
            var reader = try unsafe AVIFReader.open(bytes, data, limits: options.limits)
            return try reader.picture(ofFrame: options.frameIndex, options: options, monitor: monitor)
        }
    }

    /// Holds a copy of the bytes. Frames in order cost least; one decode runs at a time.
    ///
    /// - Throws: `limitExceeded` before any large allocation, `badImageData` for a header that cannot be read.
    public func frames(of data: Data, options: DecodeOptions) throws(ImageError) -> any FrameSource {
        guard !data.isEmpty else { throw ImageError(.badImageData, .decode, "the avif has no bytes") }
        return try AVIFFrames(data, options: options)
    }

    /// EXIF, XMP and colour profile.
    ///
    /// - Throws: `badImageData` for a container that cannot be read.
    public func metadata(of data: Data, limits: DecodeLimits) throws(ImageError) -> ImageMetadata {
        try unsafe data.withImageBytes(of: .avif) { bytes throws(ImageError) in
            try unsafe AVIFReader.open(bytes, data, limits: limits, for: .metadata).metadata(limits: limits)
        }
    }

    /// Whether the format is AVIF.
    public func canEncode(to format: ImageFormat) -> Bool {
        format == .avif
    }

    /// Lossless at a quality of 1. Colour is kept at half resolution (4:2:0) below 0.9, alpha always without loss.
    /// Far slower than other formats. EXIF that is no TIFF structure is left out.
    ///
    /// The monitor is asked before each attempt: libavif cannot be stopped.
    public func encode(
        _ image: DecodedImage, to format: ImageFormat, options: EncodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> Data {
        let search = EncodeSearch(image.pixelSize, to: .avif, options: options)
        return try search.data(hasQuality: true, monitor) { attempt throws(ImageError) in
            var options = options
            options.quality = attempt.quality
            return try AVIFWriter.data(of: image.resized(to: attempt.size), options: options)
        }
    }
}

extension ImageCoder where Self == AVIFCoder {
    /// The coder of AVIF.
    public static var avif: AVIFCoder { AVIFCoder() }
}
