public import WebImageFoundation
import WebImagePixels

/// What a view shows in place of a picture.
public enum ImagePlaceholder: Sendable {
    /// A picture at hand.
    case image(DecodedImage)
    /// The impression that a BlurHash keeps, 32 pixels wide. A text that is no BlurHash shows nothing.
    case blurHash(String)
    /// The impression that a ThumbHash keeps. Bytes that are no ThumbHash show nothing.
    case thumbHash(Data)
    /// The picture of another key, such as a smaller one of the same subject, if the memory cache has it.
    case cached(CacheKey)
    /// The first of several that shows something.
    case firstOf([ImagePlaceholder])

    /// The picture, on the calling thread at once; never reads a file.
    public func image(from cache: any ImageCaching) -> DecodedImage? {
        switch self {
        case .image(let image): image
        case .blurHash(let text):
            BlurHash(text)?.pixels(size: PixelSize(32, 32)).map { DecodedImage(pixels: $0) }
        case .thumbHash(let data): ThumbHash(Array(data))?.pixels().map { DecodedImage(pixels: $0) }
        case .cached(let key): cache.imageFromMemory(for: key)
        case .firstOf(let placeholders): placeholders.lazy.compactMap { $0.image(from: cache) }.first
        }
    }
}

/// What a view shows while, and when, there is no picture to show.
public struct ViewPlaceholders: Sendable {
    /// While it is loaded; with `delayPlaceholder` when it could not be.
    public var placeholder: ImagePlaceholder?
    /// When it could not be loaded; `nil` leaves what is there.
    public var error: ImagePlaceholder?
    /// When there is no URL; `nil` shows `placeholder`.
    public var fallback: ImagePlaceholder?

    /// Placeholders, all optional.
    public init(
        _ placeholder: ImagePlaceholder? = nil, error: ImagePlaceholder? = nil, fallback: ImagePlaceholder? = nil
    ) {
        self.placeholder = placeholder
        self.error = error
        self.fallback = fallback
    }
}
