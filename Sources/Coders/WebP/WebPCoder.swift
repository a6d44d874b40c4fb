import CWebImageWebP
public import WebImageCore
public import WebImageFoundation
import WebImagePixels

/// Reads and writes WebP, and reads its animations, with libwebp.
///
/// EXIF orientation is applied. A frame of an animation is decoded as it shows; canvas that no frame covers is
/// transparent, as in browsers. A file that ends before it says is an error.
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
            try unsafe WebPReader(bytes).probe(WebPChunks(data))
        }
    }

    /// Takes time in proportion to `options.frameIndex` and the memory of the picture, or of three canvases.
    ///
    /// - Throws: `limitExceeded` before any large allocation, `badImageData` for damaged or truncated bytes.
    public func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        try unsafe data.withImageBytes(of: .webP) { bytes throws(ImageError) in
            let reader = try unsafe WebPReader(bytes)
            let chunks = WebPChunks(data)
            let decoding = try RowDecoding(reader.probe(chunks), options: options, monitor: monitor)
            guard !chunks.isTruncated else {
                throw ImageError(
                    .badImageData, .decode,
                    "the webp is truncated: it ends after \(data.count) bytes, before it says that it does")
            }
            return try reader.decode(decoding, frameIndex: options.frameIndex)
        }
    }

    /// Whether the format is WebP.
    public func canEncode(to format: ImageFormat) -> Bool {
        format == .webP
    }

    /// Lossy with alpha below a quality of 1; lossless from there on, where only the colour of fully transparent pixels
    /// is not kept.
    public func encode(
        _ image: DecodedImage, to format: ImageFormat, options: EncodeOptions
    ) throws(ImageError) -> Data {
        try WebPWriter.data(of: image, quality: options.quality)
    }
}

extension ImageCoder where Self == WebPCoder {
    /// The coder of WebP.
    public static var webP: WebPCoder { WebPCoder() }
}
