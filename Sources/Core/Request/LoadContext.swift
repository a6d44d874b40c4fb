public import WebImagePixels

/// What one load does otherwise than the manager: typed, with defaults, one for each of SDWebImage's context keys.
public struct LoadContext: Sendable {
    /// Where the closures of a load are called. Default the main queue. The async forms do not use it.
    public var callbackQueue: CallbackQueue
    /// The cache for this load; `nil` is the manager's.
    public var imageCache: (any ImageCaching)?
    /// The cache for the original of a thumbnail or a transformed picture; `nil` is `imageCache`, then the manager's.
    public var originalImageCache: (any ImageCaching)?
    /// The loader for this load; `nil` is the manager's.
    public var imageLoader: (any ImageLoader)?
    /// The coder for this load, asked without looking at the bytes first; `nil` is the manager's.
    public var imageCoder: (any ImageCoder)?
    /// The transformer for this load; `nil` is the manager's, `.identity` switches that off.
    public var transformer: (any ImageTransformer)?
    /// How the picture is decoded: what this load says of it elsewhere goes before what stands here.
    public var decodeOptions: DecodeOptions
    /// Pixels per point; `nil` reads `@2x` and `@3x` in the key. A picture in memory that another load gave another
    /// scale is delivered with this one, as an object of its own over the same pixels.
    public var scaleFactor: Double?
    /// What the bytes are said to be. Default: what the URL's path ends in.
    public var typeHint: TypeHint
    /// When the pixels are decoded. Default `.automatic`: before the completion.
    public var forceDecodePolicy: ForceDecodePolicy
    /// What makes the playable form of animations, a class of a view kit or of one's own; `nil` loads the first frame
    /// alone, which still knows how many there are.
    public var animatedImageClass: (any AnimatedImageRepresentation.Type)?
    /// How a transformed picture or a thumbnail is written to disk.
    public var encodeOptions: EncodeOptions
    /// Where to look for the result. Default `.all`.
    public var queryCacheType: CacheType
    /// Where to keep the result. Default `.all`.
    public var storeCacheType: CacheType
    /// Where to look for the original of a thumbnail or a transformed picture. Default `.disk`.
    public var originalQueryCacheType: CacheType
    /// Where to keep the original of a thumbnail or a transformed picture. Default `.disk`.
    public var originalStoreCacheType: CacheType
    /// Makes the base of the cache key; `nil` is the manager's.
    public var cacheKeyFilter: CacheKeyFilter?
    /// Makes the bytes that are written to disk; `nil` is the manager's.
    public var cacheSerializer: CacheSerializer?
    /// How long cached pictures are good for this load; `nil` is the manager's.
    public var cachePolicy: CachePolicy?
    /// For loaders: the cached picture that the server is asked about; `nil` where there is none. A loader that finds
    /// it unchanged ends with `cacheNotModified`. Set by the manager.
    public var loaderCachedImage: DecodedImage?
    /// HTTP header fields of this load; they win over the downloader's of the same name.
    public var headers: HTTPHeaders
    /// Changes the request before it is sent; `nil` is the downloader's.
    public var requestModifier: RequestModifier?
    /// Changes the answer's head before it is judged; `nil` is the downloader's.
    public var responseModifier: ResponseModifier?
    /// Deciphers the bytes of a download or a file; `nil` is the downloader's, and none for a file.
    public var decryptor: Decryptor?
    /// Which of a view's pictures it is, for loads of `ViewLoads`; `nil` is the view's only one.
    public var operationKey: String?
    /// Loads in place of a view's manager, for loads of `ViewLoads`.
    public var customManager: ImageManager?
    private var open: [ObjectIdentifier: any Sendable] = [:]

    /// The defaults, with the choices that are made most; set the others afterwards.
    public init(
        thumbnailPixelSize: ImageSize? = nil, transformer: (any ImageTransformer)? = nil,
        callbackQueue: CallbackQueue = .main
    ) {
        self.callbackQueue = callbackQueue
        self.transformer = transformer
        decodeOptions = DecodeOptions(thumbnailPixelSize: thumbnailPixelSize)
        typeHint = .fromURL
        forceDecodePolicy = .automatic
        encodeOptions = EncodeOptions()
        queryCacheType = .all
        storeCacheType = .all
        originalQueryCacheType = .disk
        originalStoreCacheType = .disk
        headers = HTTPHeaders()
    }
}

extension LoadContext {
    /// Decode no larger than this many pixels. Part of the cache key.
    public var thumbnailPixelSize: ImageSize? {
        get { decodeOptions.thumbnailPixelSize }
        set { decodeOptions.thumbnailPixelSize = newValue }
    }

    /// Whether a thumbnail keeps the picture's proportions. Default `true`.
    public var preservesAspectRatio: Bool {
        get { decodeOptions.preservesAspectRatio }
        set { decodeOptions.preservesAspectRatio = newValue }
    }

    /// The most bytes that the decoded picture may take; goes before a thumbnail size. Part of the cache key.
    public var scaleDownByteLimit: Int? {
        get { decodeOptions.scaleDownByteLimit }
        set { decodeOptions.scaleDownByteLimit = newValue }
    }

    /// What a picture may cost to decode.
    public var decodeLimits: DecodeLimits {
        get { decodeOptions.limits }
        set { decodeOptions.limits = newValue }
    }

    /// A value of a kind that a loader, a cache or a processor of your own defines.
    public subscript<Key: LoadContextKey>(key: Key.Type) -> Key.Value {
        get { open[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
        set { open[ObjectIdentifier(key)] = newValue }
    }
}

/// Names a value of one's own in a `LoadContext`, as SwiftUI's environment keys do.
public protocol LoadContextKey {
    /// What is kept under it.
    associatedtype Value: Sendable
    /// What a context holds that nobody set.
    static var defaultValue: Value { get }
}

/// What bytes are said to be that show no format themselves.
public enum TypeHint: Sendable, Hashable {
    /// What the URL's path ends in.
    case fromURL
    /// Nothing.
    case none
    /// A format.
    case format(ImageFormat)
}

/// When the pixels of a loaded picture are decoded.
public enum ForceDecodePolicy: Sendable, Hashable {
    /// Before the completion, off the calling thread.
    case automatic
    /// When they are first asked for, on the thread that asks. A thumbnail is decoded before the completion all the
    /// same.
    case never
    /// Before the completion, whatever the coder did.
    case always
}
