public import WebImagePixels

/// What a picture may cost to decode. Checked against the header, before any large allocation.
public struct DecodeLimits: Sendable, Hashable {
    /// The most pixels that a file may claim, width × height. Default 134,217,728 (512 MiB of RGBA8).
    public var maxPixelCount: Int
    /// The longest side that a file may claim, in pixels. Default 131,072.
    public var maxDimension: Int
    /// The most compressed bytes. Default 268,435,456 (256 MiB).
    public var maxByteCount: Int

    /// The defaults, or some of them changed.
    public init(
        maxPixelCount: Int = 1 << 27, maxDimension: Int = 1 << 17, maxByteCount: Int = 1 << 28
    ) {
        self.maxPixelCount = maxPixelCount
        self.maxDimension = maxDimension
        self.maxByteCount = maxByteCount
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
}
