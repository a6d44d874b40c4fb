public import WebImageCore
public import WebImageFoundation
import WebImagePixels

/// Reads and writes JPEG with libjpeg-turbo.
///
/// Baseline and progressive, grey, YCbCr, RGB, CMYK and YCCK (the last two by the plain formula, without a profile).
/// EXIF orientation is applied. A thumbnail is made out of a picture that the inverse cosine transform already halves,
/// quarters or eighths. A file that lacks no more than its end marker decodes; one that lacks pixel data is an error.
public struct JPEGCoder: ImageCoder {
    /// A coder keeps no state, so that one is as good as another.
    public init() {}

    /// Whether the bytes begin with the signature.
    public func canDecode(_ data: Data) -> Bool {
        FormatSniffer.format(of: data) == .jpeg
    }

    /// Reads everything before the first scan.
    ///
    /// - Throws: `badImageData` for a header that cannot be read.
    public func probe(_ data: Data) throws(ImageError) -> ImageProbe {
        try unsafe data.withImageBytes(of: .jpeg) { bytes throws(ImageError) in
            try unsafe JPEGReader.open(bytes).probe()
        }
    }

    /// Decodes row by row; only a progressive file's coefficients are held as a whole, within `options.limits`.
    ///
    /// - Throws: `limitExceeded` before any large allocation, `badImageData` for damaged or truncated bytes.
    public func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        try unsafe data.withImageBytes(of: .jpeg) { bytes throws(ImageError) in
            var reader = try unsafe JPEGReader.open(bytes)
            let decoding = try RowDecoding(reader.probe(), color: reader.color, options: options, monitor: monitor)
            let size = try reader.start(decoding, limits: options.limits)
            return try decoding.decode(rowsOf: size) { sink throws(ImageError) in
                try reader.giveRows(to: &sink)
            }
        }
    }

    /// Whether the format is JPEG.
    public func canEncode(to format: ImageFormat) -> Bool {
        format == .jpeg
    }

    /// Transparent pixels show `options.backgroundColor`. Colour is kept at half resolution (4:2:0) below a quality of
    /// 0.9, and in full (4:4:4) from there on.
    public func encode(
        _ image: DecodedImage, to format: ImageFormat, options: EncodeOptions
    ) throws(ImageError) -> Data {
        try JPEGWriter.data(of: image, options: options)
    }
}

extension ImageCoder where Self == JPEGCoder {
    /// The coder of JPEG.
    public static var jpeg: JPEGCoder { JPEGCoder() }
}
