public import WebImagePixels

/// What a picture may cost to decode. Checked against the header, before any large allocation.
public struct DecodeLimits: Sendable, Hashable {
    /// The most pixels that a file may claim, width × height. Default 134,217,728 (512 MiB of RGBA8).
    public var maxPixelCount: Int
    /// The longest side that a file may claim, in pixels. Default 131,072.
    public var maxDimension: Int
    /// The most compressed bytes. Default 268,435,456 (256 MiB).
    public var maxByteCount: Int
    /// The most frames of an animation. Default 20,000.
    public var maxFrameCount: Int
    /// The most bytes that all frames of an animation may take where they are kept together, as by
    /// `LoadOptions.preloadAllFrames`: 4 for each pixel of each. Frames that are decoded one at a time, as they are
    /// otherwise, do not count. Default 1,073,741,824 (1 GiB).
    public var maxTotalFrameByteCount: Int
    /// The most bytes of EXIF, XMP, IPTC and colour profile together. Default 16,777,216 (16 MiB); what is over the
    /// limit is left unread.
    public var maxMetadataByteCount: Int
    /// The longest that decoding one picture or frame may take, in seconds. Default 60.
    public var maxSeconds: Double

    /// The defaults, or some of them changed.
    public init(maxPixelCount: Int = 1 << 27, maxDimension: Int = 1 << 17, maxByteCount: Int = 1 << 28) {
        self.maxPixelCount = maxPixelCount
        self.maxDimension = maxDimension
        self.maxByteCount = maxByteCount
        maxFrameCount = 20_000
        maxTotalFrameByteCount = 1 << 30
        maxMetadataByteCount = 1 << 24
        maxSeconds = 60
    }

    /// Throws `limitExceeded` for a size that is over a limit, and `badImageData` for an empty one.
    public func check(_ size: PixelSize, of format: ImageFormat) throws(ImageError) {
        guard !size.isEmpty else {
            throw ImageError(.badImageData, .decode, "the \(format) header says \(size), a picture of no pixels")
        }
        guard size.width <= maxDimension, size.height <= maxDimension else {
            throw ImageError(
                .limitExceeded, .decode,
                "\(format) of \(size) has a side over the limit of \(maxDimension); raise DecodeLimits.maxDimension")
        }
        guard let pixels = size.pixelCount, pixels <= maxPixelCount else {
            throw ImageError(
                .limitExceeded, .decode,
                "\(format) of \(size) is over the limit of \(maxPixelCount) pixels; raise DecodeLimits.maxPixelCount")
        }
    }

    /// Throws `limitExceeded` for frames that are too large to be kept together.
    public func check(keeping frameCount: Int, of size: PixelSize) throws(ImageError) {
        let (pixelCount, overflow) = (size.pixelCount ?? .max / 4).multipliedReportingOverflow(by: max(0, frameCount))
        guard !overflow, pixelCount <= max(0, maxTotalFrameByteCount) / 4 else {
            throw ImageError(
                .limitExceeded, .decode,
                "\(frameCount) frames of \(size) are over the limit of \(maxTotalFrameByteCount) bytes for frames that "
                    + "are kept together; raise DecodeLimits.maxTotalFrameByteCount, or leave preloadAllFrames out")
        }
    }

    /// Throws `limitExceeded` for too many frames.
    public func check(frameCount: Int, of format: ImageFormat) throws(ImageError) {
        guard frameCount <= maxFrameCount else {
            throw ImageError(
                .limitExceeded, .decode,
                "\(format) of \(frameCount) frames is over the limit of \(maxFrameCount); "
                    + "raise DecodeLimits.maxFrameCount")
        }
    }
}
