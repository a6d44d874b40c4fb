public import WebImageCore
public import WebImageFoundation
import WebImagePixels

/// Reads and writes JPEG with libjpeg-turbo.
///
/// Baseline, progressive and arithmetic, grey, YCbCr, RGB, CMYK and YCCK, 8 bits a sample; other depths and lossless
/// files are refused. The colour profile is applied; CMYK without one is taken by the plain formula. EXIF orientation
/// is applied. A thumbnail is made out of a picture that the inverse cosine transform already halves, quarters or
/// eighths, so far that the resampler still gets twice what it needs. A part (`DecodeOptions.cropRect`) is decoded
/// alone, with the same pixels as in the whole; what stands behind it is not read. With `.fast`, the small picture in
/// the EXIF block is taken where it is large enough for the thumbnail, of the same proportions, and sound, and neither
/// has a colour profile; else a progressive file is read up to the scan that says what the thumbnail can show.
///
/// A file that lacks no more than its end marker decodes; one that lacks pixel data that is read is an error.
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

    /// Decodes row by row; only the coefficients of a file in several scans are held as a whole, within
    /// `options.limits`.
    ///
    /// - Throws: `limitExceeded` before any large allocation, `badImageData` for damaged or truncated bytes.
    public func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        try unsafe data.withImageBytes(of: .jpeg) { bytes throws(ImageError) in
            var reader = try unsafe JPEGReader.open(bytes)
            let decoding = try RowDecoding(
                reader.probe(), color: reader.color(limits: options.limits), options: options, monitor: monitor)
            if let small = try reader.thumbnail(decoding, options, monitor), reader.endIsAhead { return small }
            let rows = try reader.start(decoding, limits: options.limits)
            try reader.gather(until: JPEGSufficiency(decoding, options), monitor)
            return try decoding.decode(rowsOf: rows.size, showing: rows.part) { sink throws(ImageError) in
                try reader.skip(rows.skippedCount) { () throws(ImageError) in try monitor.check() }
                try reader.giveRows(to: &sink)
            }
        }
    }

    /// Whether the format is JPEG.
    public func canEncode(to format: ImageFormat) -> Bool {
        format == .jpeg
    }

    /// Transparent pixels show `options.backgroundColor`. Colour is kept at half resolution (4:2:0) below a quality of
    /// 0.9, and in full (4:4:4) from there on; a picture whose pixels are all grey has one channel. EXIF, XMP and IPTC
    /// of more than 65,000 bytes do not fit the format and are left out.
    ///
    /// The monitor is asked between rows.
    public func encode(
        _ image: DecodedImage, to format: ImageFormat, options: EncodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> Data {
        let search = EncodeSearch(image.pixelSize, to: .jpeg, options: options)
        return try search.data(hasQuality: true, monitor) { attempt throws(ImageError) in
            var options = options
            options.quality = attempt.quality
            return try JPEGWriter.data(of: image.resized(to: attempt.size), options: options, monitor.forEncoding)
        }
    }
}

extension JPEGCoder: MetadataImageCoder {
    /// The blocks before the first scan.
    public func metadata(of data: Data, limits: DecodeLimits) throws(ImageError) -> ImageMetadata {
        try unsafe data.withImageBytes(of: .jpeg) { bytes throws(ImageError) in
            try unsafe JPEGReader.open(bytes).metadata(limits: limits)
        }
    }
}

extension JPEGCoder: ProgressiveImageCoder {
    /// Shows a file of several scans scan by scan, and one of a single scan from the top down, as often as half of what
    /// decoding costs pays for. One of a single scan below 65,536 pixels, or of several below 16,384, comes in a few
    /// packets and is not shown before its end.
    public func incrementalDecoder(options: DecodeOptions) -> any IncrementalDecoder {
        PortionedDecoder(of: .jpeg, limits: options.limits) { () throws(ImageError) in try JPEGArrival(options) }
    }
}

extension ImageCoder where Self == JPEGCoder {
    /// The coder of JPEG.
    public static var jpeg: JPEGCoder { JPEGCoder() }
}

extension JPEGReader {
    /// Gathers the scans of a file that is there as a whole, up to the one that is enough.
    func gather(until sufficiency: JPEGSufficiency?, _ monitor: DecodeMonitor) throws(ImageError) {
        guard hasScans else { return }
        var sufficiency = sufficiency
        repeat {
            try monitor.check()
            let scanCount = completedScanCount
            guard try gather() == .some else { break }
            if completedScanCount > scanCount, sufficiency?.isReached(by: accuracies) == true {
                if endIsAhead { break }
                // The file is cut; where exactly is found by reading on.
                sufficiency = nil
            }
        } while true
        _ = try beginPass()
    }

    func giveRows(to sink: inout DecodingSink) throws(ImageError) {
        for y in 0..<sink.neededRows.upperBound {
            try unsafe sink.withNextRow { row throws(ImageError) in _ = try unsafe read(row, y) }
        }
        try checkIsComplete()
    }
}
