public import WebImageCore
public import WebImageFoundation
import WebImagePixels

/// Reads and writes Windows bitmaps.
///
/// Read are the headers of OS/2 and Windows, all versions; palettes, also short ones; 16, 24 and 32 bits with or
/// without masks; run lengths of 4 and 8 bits, whose gaps are transparent. Alpha counts where a mask declares it, and
/// not when it is 0 everywhere. Embedded JPEG and PNG, Huffman codes and run lengths of 24 bits are refused.
public struct BMPCoder: MetadataImageCoder {
    /// A coder keeps no state, so that one is as good as another.
    public init() {}

    /// Whether the bytes begin with the signature.
    public func canDecode(_ data: Data) -> Bool {
        FormatSniffer.format(of: data) == .bmp
    }

    /// Reads the header; of run lengths, the commands, since their gaps are transparent.
    ///
    /// - Throws: `badImageData` for a header that cannot be read.
    public func probe(_ data: Data) throws(ImageError) -> ImageProbe {
        let bitmap = try Bitmap(file: data)
        let profile = bitmap.header.profile(in: data, limits: DecodeLimits())
        return bitmap.probe(hasAlpha: bitmap.mayHaveAlpha, profileName: profile.flatMap(ICCProfileName.name))
    }

    /// Decodes row by row, of a part its rows only.
    ///
    /// - Throws: `limitExceeded` before any large allocation, `badImageData` for damaged or truncated bytes.
    public func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        try Bitmap(file: data).decode(options, monitor)
    }

    /// The colour profile; the format holds nothing else.
    ///
    /// - Throws: `badImageData` for a header that cannot be read.
    public func metadata(of data: Data, limits: DecodeLimits) throws(ImageError) -> ImageMetadata {
        let profile = try Bitmap(file: data).header.profile(in: data, limits: limits)
        return ImageMetadata(colorProfile: profile, exif: nil, xmp: nil, limits: limits)
    }

    /// Whether the format is BMP.
    public func canEncode(to format: ImageFormat) -> Bool {
        format == .bmp
    }

    /// Lossless: 24 bits for an opaque picture, 32 bits with a mask for alpha (version 5 of the header) for others.
    /// Of metadata, the colour profile is written. Quality has no effect.
    ///
    /// The monitor is asked before each attempt.
    public func encode(
        _ image: DecodedImage, to format: ImageFormat, options: EncodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> Data {
        let search = EncodeSearch(image.pixelSize, to: .bmp, options: options)
        return try search.data(hasQuality: false, monitor) { attempt throws(ImageError) in
            try BMPWriter(image.resized(to: attempt.size), profile: options.metadata.colorProfile).data()
        }
    }
}

extension ImageCoder where Self == BMPCoder {
    /// The coder of BMP.
    public static var bmp: BMPCoder { BMPCoder() }
}

extension Bitmap {
    func probe(hasAlpha: Bool, profileName: String? = nil) -> ImageProbe {
        ImageProbe(format: format, size: size, hasAlpha: hasAlpha, profileName: profileName)
    }

    /// As far as the header tells, or the run lengths.
    fileprivate var mayHaveAlpha: Bool {
        guard header.compression == .runLengths, !size.isEmpty else { return header.masks[3] != 0 }
        return !BMPRunLengths(data.span, from: pixelStart, header).isWhole
    }

    func decode(_ options: DecodeOptions, _ monitor: DecodeMonitor) throws(ImageError) -> DecodedImage {
        try options.limits.check(size, of: format)
        let rows = try BitmapRows(self, monitor)
        let decoding = try RowDecoding(
            probe(hasAlpha: rows.hasAlpha), color: header.color(in: data, limits: options.limits), options: options,
            monitor: monitor)
        let region = decoding.storedRegion
        let band = PixelRect(x: 0, y: region.y, width: size.width, height: region.height)
        return try decoding.decode(showing: band) { sink throws(ImageError) in
            try rows.give(band.y..<band.y + band.height, to: &sink)
        }
    }
}
