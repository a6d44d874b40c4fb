public import WebImageCore
public import WebImageFoundation
import WebImagePixels

/// Reads and writes PNG with libpng.
///
/// Every colour type and depth, interlaced or not; 16-bit samples are rounded to 8 bits. The orientation of an `eXIf`
/// chunk is applied. Faults in chunks that only decorate the picture are passed over; faults in its pixels are errors.
/// Of an animation (APNG) frames, times and passes are told by `probe`, and the default picture is decoded.
public struct PNGCoder: ImageCoder {
    /// A coder keeps no state, so that one is as good as another.
    public init() {}

    /// Whether the bytes begin with the signature.
    public func canDecode(_ data: Data) -> Bool {
        FormatSniffer.format(of: data) == .png
    }

    /// Reads everything before the pixels, and the names of the chunks behind them.
    ///
    /// - Throws: `badImageData` for a header that cannot be read.
    public func probe(_ data: Data) throws(ImageError) -> ImageProbe {
        try unsafe data.withImageBytes(of: .png) { bytes throws(ImageError) in
            try unsafe PNGReader.open(bytes).probe(PNGChunks(data))
        }
    }

    /// Decodes row by row; only an interlaced picture is held as a whole.
    ///
    /// - Throws: `limitExceeded` before any large allocation, `badImageData` for damaged or truncated bytes.
    public func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        try unsafe data.withImageBytes(of: .png) { bytes throws(ImageError) in
            let reader = try unsafe PNGReader.open(bytes)
            let probe = reader.probe(PNGChunks(data))
            let decoding = try RowDecoding(probe, options: options, monitor: monitor)
            guard options.frameIndex == 0 else {
                throw ImageError(
                    .badImageData, .decode,
                    "of an animated png only the default picture can be decoded so far; ask for frame 0, "
                        + "not \(options.frameIndex)")
            }
            try reader.start()
            return try reader.decode(decoding)
        }
    }

    /// Whether the format is PNG.
    public func canEncode(to format: ImageFormat) -> Bool {
        format == .png
    }

    /// Lossless: 8 bits a channel, straight alpha, or no alpha when the picture is opaque. The options have no effect.
    public func encode(
        _ image: DecodedImage, to format: ImageFormat, options: EncodeOptions
    ) throws(ImageError) -> Data {
        try PNGWriter.data(of: image)
    }
}

extension ImageCoder where Self == PNGCoder {
    /// The coder of PNG.
    public static var png: PNGCoder { PNGCoder() }
}
