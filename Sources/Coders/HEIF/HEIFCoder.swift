public import WebImageCore
public import WebImageFoundation

/// Reads HEIC and HEIF with libheif: the primary picture of a file, or one of the others that stand by themselves, as
/// in a burst, by `DecodeOptions.frameIndex`; `ImageProbe.pageCount` says how many there are. Writes still HEIC.
///
/// Crop, rotation and mirror of the container are applied; EXIF orientation is not, as the format demands. Samples of
/// more than 8 bits are cut to 8; those of high dynamic range stay as they are. A file that holds nothing but an HEVC
/// sequence is an error.
public struct HEIFCoder: MetadataImageCoder {
    /// A coder keeps no state, so that one is as good as another.
    public init() {}

    /// Whether a brand of the file is HEIF's, and none is AVIF's.
    public func canDecode(_ data: Data) -> Bool {
        FormatSniffer.format(of: data) == .heic
    }

    /// Reads the boxes and decodes no pixel: of a cut file, the boxes are enough.
    ///
    /// - Throws: `badImageData` for a header that cannot be read.
    public func probe(_ data: Data) throws(ImageError) -> ImageProbe {
        do {
            return try Self.read(data, for: .header, limits: DecodeLimits()) { reader in reader.probe }
        } catch {
            throw ImageError(.badImageData, .decode, error.message)
        }
    }

    /// Takes the memory of the picture several times over: libheif decodes as a whole.
    ///
    /// - Throws: `limitExceeded` before any large allocation, `badImageData` for damaged or truncated bytes.
    public func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        try Self.read(data, page: options.frameIndex, for: .picture, limits: options.limits) {
            reader throws(ImageError) in
            try reader.picture(options: options, monitor: monitor)
        }
    }

    /// EXIF, XMP and colour profile.
    ///
    /// - Throws: `badImageData` for a container that cannot be read.
    public func metadata(of data: Data, limits: DecodeLimits) throws(ImageError) -> ImageMetadata {
        try Self.read(data, for: .picture, limits: limits) { reader in reader.metadata(limits: limits) }
    }

    /// Whether the format is HEIC, and the system's libheif has an HEVC encoder, as that of Debian has.
    public func canEncode(to format: ImageFormat) -> Bool {
        format == .heic && HEIFWriter.isAvailable
    }

    /// 8 bits in 4:2:0, which every reader takes, so that it always loses something; alpha is kept by the same quality.
    ///
    /// - Throws: `encodingFailed` for a side of more than 8192 pixels, and where there is no encoder.
    ///
    /// The monitor is asked before each attempt: libheif cannot be stopped.
    public func encode(
        _ image: DecodedImage, to format: ImageFormat, options: EncodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> Data {
        let search = EncodeSearch(image.pixelSize, to: .heic, options: options)
        return try search.data(hasQuality: true, monitor) { attempt throws(ImageError) in
            var options = options
            options.quality = attempt.quality
            return try HEIFWriter.data(of: image.resized(to: attempt.size), options: options)
        }
    }

    private static func read<Result>(
        _ data: Data, page: Int = 0, for purpose: HEIFItems.Purpose, limits: DecodeLimits,
        _ body: (borrowing HEIFReader) throws(ImageError) -> Result
    ) throws(ImageError) -> Result {
        guard !holdsSequenceOnly(data) else {
            throw ImageError(
                .badImageData, .decode, "the heic holds an HEVC sequence and no still picture, which is not read")
        }
        let items = HEIFItems(data)
        try items.checkParts(limits)
        // libheif 1.15 refuses a file that lacks bytes of anything, be it of a picture that nobody asked for.
        let missing = items.spareByteCount(in: data.count, for: purpose)
        let padded = missing > 0 ? data + Data(count: missing) : data
        return try unsafe padded.withImageBytes(of: .heic) { bytes throws(ImageError) in
            let reader = try unsafe HEIFReader(bytes, page: page, limits: limits)
            if page > 0 {
                try items.checkParts(of: reader.item, limits)
                guard items.isWhole(reader.item, within: data.count) else {
                    throw ImageError(.badImageData, .decode, "the heic is truncated: it ends in its picture \(page)")
                }
            }
            return try body(reader)
        }
    }

    /// Whether there is a box of tracks and none of still pictures (ISO 14496-12, 8.2 and 8.11).
    private static func holdsSequenceOnly(_ data: Data) -> Bool {
        let boxes = ISOBoxes(data)
        let file = 0..<data.count
        return boxes.first("meta", in: file) == nil && boxes.first("moov", in: file) != nil
    }
}

extension ImageCoder where Self == HEIFCoder {
    /// The coder of HEIC and HEIF.
    public static var heif: HEIFCoder { HEIFCoder() }
}
