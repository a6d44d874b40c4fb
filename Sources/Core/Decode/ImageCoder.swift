public import WebImageFoundation

/// Reads and writes one format, or a family of formats.
///
/// The order of calls: the bytes are sniffed (`canDecode`), then `probe` or `decode` is called with all of them, any
/// number of times, from any thread, at once. A coder keeps no state between calls. Any bytes may come: the answer is
/// a picture or one `ImageError`, in bounded memory.
///
/// `decode` and `encode` may take long and are never called on Swift's cooperative pool.
public protocol ImageCoder: Sendable {
    /// Whether the bytes, of which the first 1,024 are enough, are of this coder's format. Says nothing about the rest.
    func canDecode(_ data: Data) -> Bool

    /// Whether to try bytes that show no format but are said to be of this one.
    func canDecode(hint: ImageFormat) -> Bool

    /// What the header tells. Reads no pixels.
    ///
    /// - Throws: `badImageData` for a header that cannot be read.
    func probe(_ data: Data) throws(ImageError) -> ImageProbe

    /// The picture: upright, RGBA8 with the alpha asked for, no larger than `options` allow.
    ///
    /// - Parameter monitor: Asked between rows, scans and frames whether to go on.
    /// - Throws: `limitExceeded` before any large allocation, `badImageData` for damaged or truncated bytes,
    ///   `cancelled` when the monitor says so.
    func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage

    /// Whether `encode` can write the format.
    func canEncode(to format: ImageFormat) -> Bool

    /// The picture as a file.
    ///
    /// - Parameter monitor: Asked whether to go on, as often as the encoder allows: by the coders of JPEG, PNG and WebP
    ///   between rows, by that of GIF between steps, by others before each attempt.
    /// - Throws: `encodingFailed` when the format cannot hold the picture; `cancelled` when the monitor says so.
    func encode(
        _ image: DecodedImage, to format: ImageFormat, options: EncodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> Data
}

extension ImageCoder {
    /// No format: the bytes themselves show it.
    public func canDecode(hint: ImageFormat) -> Bool { false }

    /// No format: a coder that only reads.
    public func canEncode(to format: ImageFormat) -> Bool { false }

    /// Always throws.
    public func encode(
        _ image: DecodedImage, to format: ImageFormat, options: EncodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> Data {
        throw ImageError(.encodingFailed, .store, "\(Self.self) writes no \(format); choose a coder that does")
    }

    /// The picture as a file, for a caller that waits for it.
    public func encode(
        _ image: DecodedImage, to format: ImageFormat, options: EncodeOptions = EncodeOptions()
    ) throws(ImageError) -> Data {
        try encode(image, to: format, options: options, monitor: DecodeMonitor())
    }

    /// The picture, for a caller that waits for it, however long the limits allow.
    public func decode(_ data: Data, options: DecodeOptions = DecodeOptions()) throws(ImageError) -> DecodedImage {
        try decode(data, options: options, monitor: DecodeMonitor(limits: options.limits))
    }
}
