public import WebImageCore
public import WebImageFoundation
import WebImagePixels

/// Reads and writes PNG and APNG. libpng reads what is interlaced or odd, and writes.
///
/// Every colour type and depth, interlaced or not; 16-bit samples are rounded to 8 bits after transparency was found
/// at their full depth. The colour that the file declares is converted, the orientation of an `eXIf` chunk applied.
/// Faults in chunks that only decorate the picture are passed over; faults in its pixels are errors.
///
/// Of an animation (APNG) any frame can be decoded. Frame 0 is the first of the animation, also where the file hides a
/// default picture from it: that one is never shown. A file that breaks the rules before its pixels counts as a still.
public struct PNGCoder: ImageCoder {
    /// A coder keeps no state, so that one is as good as another.
    public init() {}

    /// Whether the bytes begin with the signature.
    public func canDecode(_ data: Data) -> Bool {
        FormatSniffer.format(of: data) == .png
    }

    /// Reads everything but pixels.
    ///
    /// - Throws: `badImageData` for a header that cannot be read.
    public func probe(_ data: Data) throws(ImageError) -> ImageProbe {
        try PNGFile(data).probe()
    }

    /// Decodes row by row; only an interlaced picture, or one that builds on others, is held as a whole.
    ///
    /// - Throws: `limitExceeded` before any large allocation, `badImageData` for damaged or truncated bytes.
    public func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        let file = try PNGFile(data, within: options.limits)
        let decoding = try file.decoding(options, monitor)
        if let animation = file.animation, options.frameIndex > 0 || animation.hidesDefaultPicture {
            let frames = PNGCompositor(file, animation, decoding, limits: options.limits)
            return try frames.frame(at: options.frameIndex, monitor)
        }
        if let image = try PNGPieces(ofDefaultPictureOf: file)?.decode(decoding, monitor) { return image }
        return try PNGReader.withDefaultPicture(of: file) { reader throws(ImageError) in
            try reader.decode(decoding, monitor)
        }
    }

    /// Whether the format is PNG.
    public func canEncode(to format: ImageFormat) -> Bool {
        format == .png
    }

    /// Lossless: 8 bits a channel, one channel of colour where all pixels are grey, straight alpha, or no alpha when
    /// the picture is opaque. Quality has no effect; IPTC has no place in the format.
    ///
    /// The monitor is asked between rows.
    public func encode(
        _ image: DecodedImage, to format: ImageFormat, options: EncodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> Data {
        let search = EncodeSearch(image.pixelSize, to: .png, options: options)
        return try search.data(hasQuality: false, monitor) { attempt throws(ImageError) in
            try PNGWriter.data(of: image.resized(to: attempt.size), options.metadata, monitor.forEncoding)
        }
    }
}

extension ImageCoder where Self == PNGCoder {
    /// The coder of PNG.
    public static var png: PNGCoder { PNGCoder() }
}

extension PNGFile {
    /// A picture that is too large is refused for that, whatever else is wrong with it.
    init(_ data: Data, within limits: DecodeLimits) throws(ImageError) {
        try limits.check(PNGHeader(data).size, of: .png)
        try self.init(data)
    }

    func decoding(_ options: DecodeOptions, _ monitor: DecodeMonitor) throws(ImageError) -> RowDecoding {
        try RowDecoding(
            probe(limits: options.limits), color: color(limits: options.limits), options: options, monitor: monitor)
    }
}
