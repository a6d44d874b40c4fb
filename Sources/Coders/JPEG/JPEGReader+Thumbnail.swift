import CWebImageJPEG
import WebImageColor
import WebImageCore
import WebImageFoundation
import WebImagePixels

extension JPEGReader {
    /// The result, made of the small picture that a camera put into the EXIF block.
    ///
    /// - Returns: `nil` where it was not asked for speed, where there is no such picture or a damaged one, where it is
    ///   smaller than the result or of other proportions than the picture, where the picture has a colour profile or
    ///   is CMYK, of which the small one knows nothing.
    /// - Throws: Only what the monitor throws.
    func thumbnail(
        _ decoding: RowDecoding, _ options: DecodeOptions, _ monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage? {
        guard options.thumbnailQuality == .fast, decoding.isWhole, decoding.targetSize != decoding.storedSize,
            profile == nil, color(limits: options.limits).channels != .cmyk,
            let file = exif.flatMap({ EXIFTags($0)?.thumbnail })
        else { return nil }
        do throws(ImageError) {
            return try unsafe file.withImageBytes(of: .jpeg) { bytes throws(ImageError) in
                var small = try unsafe JPEGReader.open(bytes)
                return try small.picture(standingFor: decoding, options.limits, monitor)
            }
        } catch {
            // The picture itself may be sound all the same, unless nobody waits for it any more.
            try monitor.check()
            return nil
        }
    }

    /// - Returns: `nil` where this picture cannot stand for the one that is to be decoded.
    private mutating func picture(
        standingFor decoding: RowDecoding, _ limits: DecodeLimits, _ monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage? {
        guard Self.stands(storedSize, for: decoding), color(limits: limits).channels != .cmyk else { return nil }
        let rows = try start(decoding, limits: limits, denominator: 1)
        try gather(until: nil, monitor)
        return try decoding.decode(rowsOf: rows.size) { sink throws(ImageError) in try giveRows(to: &sink) }
    }

    /// The most that any camera writes is far less; it must fit a segment of 65,533 bytes.
    private static let maxThumbnailSide = 1024

    private static func stands(_ size: PixelSize, for decoding: RowDecoding) -> Bool {
        let (whole, target) = (decoding.storedSize, decoding.targetSize)
        guard size.width <= min(whole.width, maxThumbnailSide), size.height <= min(whole.height, maxThumbnailSide),
            size.width >= target.width, size.height >= target.height
        else { return false }
        // Within the pixel that one of its sides was rounded by; one with bars at its edges is further off.
        return abs(size.width * whole.height - size.height * whole.width) <= max(whole.width, whole.height)
    }
}
