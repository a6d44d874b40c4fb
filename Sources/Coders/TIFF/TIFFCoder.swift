public import WebImageCore
public import WebImageFoundation
import WebImagePixels

/// Reads TIFF and BigTIFF with libtiff, and with every compression that libtiff was built with.
///
/// A file's first picture is decoded, or the page that `DecodeOptions.frameIndex` names; pages are no frames, so that
/// `frameCount` is always 1, and `ImageProbe.pageCount` says how many there are. Smaller copies and masks of other
/// pages count as none.
///
/// Grey, palette, RGB and CMYK of up to 16 or of 32 bits a sample, in strips or tiles, samples together or apart, are
/// read in full depth and rounded to 8 bits; the rest (YCbCr, CIE L*a*b*, LogLuv) by libtiff's own conversion. Of
/// floats of 16, 32 or 64 bits 0 is black and 1 full, in the same curve as of integers; what lies outside is clamped.
/// The orientation tag is applied. A fourth sample that no tag explains is alpha; one that a tag calls unspecified is
/// left out.
public struct TIFFCoder: ImageCoder, MetadataImageCoder {
    /// A coder keeps no state, so that one is as good as another.
    public init() {}

    /// Whether the bytes begin with the signature.
    public func canDecode(_ data: Data) -> Bool {
        FormatSniffer.format(of: data) == .tiff
    }

    /// Reads the first directory, and counts the others.
    ///
    /// - Throws: `badImageData` for one that cannot be read.
    public func probe(_ data: Data) throws(ImageError) -> ImageProbe {
        let limits = DecodeLimits()
        return try unsafe data.withImageBytes(of: .tiff) { bytes throws(ImageError) in
            let page = try TIFFPage(0, of: data, atMost: limits.maxFrameCount)
            return try unsafe TIFFReader.open(bytes, page, limits: limits).probe()
        }
    }

    /// Decodes row by row, of a part its strips or tiles only; of tiles one row is held, of planes one strip each.
    ///
    /// - Throws: `limitExceeded` before any large allocation, `badImageData` for damaged or truncated bytes.
    public func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        try unsafe data.withImageBytes(of: .tiff) { bytes throws(ImageError) in
            let page = try TIFFPage(options.frameIndex, of: data, atMost: options.limits.maxFrameCount)
            let reader = try unsafe TIFFReader.open(bytes, page, limits: options.limits)
            let decoding = try RowDecoding(
                reader.probe(), color: reader.color(limits: options.limits), options: options, monitor: monitor)
            let rows = try reader.rows(within: options.limits)
            let part = rows.part(holding: decoding.storedRegion, of: decoding.storedSize, reader.header)
            return try decoding.decode(showing: part) { sink throws(ImageError) in
                try rows.give(part, to: &sink, from: reader)
            }
        }
    }

    /// The blocks of the first directory. EXIF, which lies scattered over a TIFF, is put together; what the first
    /// directory says of the picture itself (make, model, date, orientation, resolution, artist …) is part of it.
    ///
    /// - Throws: `badImageData` for a file without a directory.
    public func metadata(of data: Data, limits: DecodeLimits) throws(ImageError) -> ImageMetadata {
        guard let directory = TIFFDirectory(data) else {
            throw ImageError(.badImageData, .decode, "the tiff has no first directory where its header says")
        }
        return directory.metadata(limits: limits)
    }
}

extension ImageCoder where Self == TIFFCoder {
    /// The coder of TIFF.
    public static var tiff: TIFFCoder { TIFFCoder() }
}
