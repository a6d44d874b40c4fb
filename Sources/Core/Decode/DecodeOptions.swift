public import WebImagePixels

/// How a picture is to be decoded. Two loads with equal options share one decode.
public struct DecodeOptions: Sendable, Hashable {
    /// The part of the upright picture to decode, in its full-size pixels; `nil` is all of it. It is clipped to the
    /// picture; `transformFailed` is thrown when nothing of it lies inside. Thumbnail size and byte budget apply to
    /// what is left, and no pixel outside counts.
    public var cropRect: PixelRect?
    /// Decode no larger than this many pixels; `nil` decodes in full. Never enlarges. See `PixelSize.fitted(in:)`.
    ///
    /// Of JPEG, PNG, TIFF and BMP rows go into the small picture as they are decoded, and libwebp makes lossy WebP
    /// without alpha small itself: the large picture is never held. What cannot be had so is held whole, within
    /// `limits.maxPixelCount`: interlaced PNG, the coefficients of a progressive JPEG, GIF, AVIF, HEIC, JPEG XL, and
    /// WebP with alpha or without loss. Of a lossless one libwebp holds every pixel in any case; up to 8,388,608 of
    /// them are held a second time (32 MiB at most), because that is faster than to let it make them small.
    public var thumbnailPixelSize: ImageSize?
    /// Whether a thumbnail keeps the picture's proportions. Default `true`; `false` stretches to the size.
    public var preservesAspectRatio: Bool
    /// The most bytes that the decoded picture may take, at 4 bytes a pixel: it is made smaller until it does, down to
    /// 1×1, proportions kept. `nil` sets no bound. A thumbnail size does not count beside it.
    public var scaleDownByteLimit: Int?
    /// What a thumbnail may lack for speed. Default `.exact`.
    public var thumbnailQuality: ThumbnailQuality
    /// How pixels are weighed together where a picture is made smaller. Default `.lanczos3`. In linear light, and with
    /// single pixels (`.nearest`), no decoder makes the picture smaller before, so that it takes longer.
    public var resampling: Resampling
    /// Which frame of an animation, from 0; composed as it shows. Of a file with pages, which page; see
    /// `ImageProbe.pageCount`. Default 0.
    public var frameIndex: Int
    /// Take an animation for a still picture of its first frame: the result counts one frame. Default `false`.
    public var firstFrameOnly: Bool
    /// What the bytes are said to be, by a name or a server. Asked only of bytes that show no format themselves: what
    /// they show is always right. Default `nil`.
    public var typeHint: ImageFormat?
    /// Read the header at once, and the pixels when they are first asked for, on the thread that asks. Holds for a
    /// picture decoded in full; a smaller one is decoded at once. Default `false`. See `DecodedImage.decoded()`.
    public var usesLazyDecoding: Bool
    /// Pixels per point of the result. Default 1.
    public var scaleFactor: Double
    /// What becomes of the file's colour. Default `.sRGB`.
    public var colorConversion: ColorConversion
    /// Whether the result's alpha is `.premultiplied` (default) or `.straight`. A picture without alpha is `.opaque`.
    public var alpha: AlphaMode
    /// What the picture may cost.
    public var limits: DecodeLimits

    /// What a thumbnail may lack for speed. Says nothing to a picture that is decoded in full.
    public enum ThumbnailQuality: String, Sendable, Hashable {
        /// As if the whole picture were decoded and then made smaller, within what no eye sees.
        case exact
        /// What the file holds for later refinement may be left unread, such as the last scans of a progressive JPEG;
        /// damage in it is then not found. A small picture that a camera put into the file may stand for the large
        /// one, where it has the same proportions; a program that changed the large one may have forgotten it.
        case fast
    }

    /// What `LoadOptions.scaleDownLargeImages` allows: 60 MiB, SDWebImage's number for telephones, about 15.7 million
    /// pixels.
    public static let defaultScaleDownByteLimit = 60 << 20

    /// What becomes of the file's colour.
    public enum ColorConversion: Sendable, Hashable {
        /// Profiles, gamma and code points are applied: the result is sRGB.
        case sRGB
        /// The file's samples as they are. CMYK is converted all the same, by the plain formula.
        case none
    }

    /// The defaults, or some of them changed.
    public init(
        thumbnailPixelSize: ImageSize? = nil, preservesAspectRatio: Bool = true, frameIndex: Int = 0,
        scaleFactor: Double = 1, limits: DecodeLimits = DecodeLimits()
    ) {
        self.thumbnailPixelSize = thumbnailPixelSize
        self.preservesAspectRatio = preservesAspectRatio
        self.frameIndex = frameIndex
        self.scaleFactor = scaleFactor
        self.limits = limits
        thumbnailQuality = .exact
        resampling = .lanczos3
        colorConversion = .sRGB
        alpha = .premultiplied
        firstFrameOnly = false
        usesLazyDecoding = false
    }

    /// The part of a picture of the given upright size that is decoded.
    ///
    /// - Throws: `transformFailed` when `cropRect` has nothing of the picture in it.
    public func region(of upright: PixelSize) throws(ImageError) -> PixelRect {
        guard let cropRect else { return PixelRect(upright) }
        guard let region = cropRect.clipped(to: upright) else {
            throw ImageError(
                .transformFailed, .decode,
                "nothing of \(cropRect) lies in a picture of \(upright); give a DecodeOptions.cropRect inside of it")
        }
        return region
    }

    /// Whether nothing is asked for that makes the picture smaller.
    var isFullSize: Bool { thumbnailPixelSize == nil && scaleDownByteLimit == nil && cropRect == nil }

    /// The size that a picture of the given upright size is decoded to; 0×0 when `cropRect` lies outside of it.
    public func targetSize(for upright: PixelSize) -> PixelSize {
        let region = cropRect.map { $0.clipped(to: upright)?.size ?? PixelSize(0, 0) } ?? upright
        if let scaleDownByteLimit { return region.fitted(inByteCount: scaleDownByteLimit) }
        guard let thumbnailPixelSize else { return region }
        return region.fitted(in: thumbnailPixelSize, preservesAspectRatio: preservesAspectRatio)
    }
}
