public import WebImagePixels

/// What one load does otherwise than the manager: typed, with defaults, one for each of SDWebImage's context keys.
public struct LoadContext: Sendable {
    /// Where the closures of a load are called. Default the main queue. The async forms do not use it.
    public var callbackQueue: CallbackQueue
    /// The cache for this load; `nil` is the manager's.
    public var imageCache: (any ImageCaching)?
    /// The cache for the untransformed picture; `nil` is `imageCache`, then the manager's.
    public var originalImageCache: (any ImageCaching)?
    /// The loader for this load; `nil` is the manager's.
    public var imageLoader: (any ImageLoader)?
    /// The coder for this load, asked without looking at the bytes first; `nil` is the manager's.
    public var imageCoder: (any ImageCoder)?
    /// The transformer for this load; `nil` is the manager's, `.identity` switches that off.
    public var transformer: (any ImageTransformer)?
    /// Decode no larger than this many pixels. Part of the cache key.
    public var thumbnailPixelSize: ImageSize?
    /// Whether a thumbnail keeps the picture's proportions. Default `true`.
    public var preservesAspectRatio: Bool
    /// The part of the upright picture to decode, in its full-size pixels; `nil` is all of it. Thumbnail size applies
    /// to what is left. Part of the cache key.
    public var cropRect: PixelRect?
    /// What a thumbnail may lack for speed. Default `.exact`. Part of the cache key.
    public var thumbnailQuality: DecodeOptions.ThumbnailQuality
    /// How a thumbnail's pixels are weighed together. Default `.lanczos3`. Part of the cache key.
    public var resamplingFilter: ResamplingFilter
    /// Pixels per point; `nil` reads `@2x` and `@3x` in the key.
    public var scaleFactor: Double?
    /// What a picture may cost to decode.
    public var decodeLimits: DecodeLimits
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
    /// HTTP header fields of this load; they win over the downloader's of the same name.
    public var headers: HTTPHeaders

    /// The defaults, with the choices that are made most; set the others afterwards.
    public init(
        thumbnailPixelSize: ImageSize? = nil, transformer: (any ImageTransformer)? = nil,
        callbackQueue: CallbackQueue = .main
    ) {
        self.callbackQueue = callbackQueue
        self.transformer = transformer
        self.thumbnailPixelSize = thumbnailPixelSize
        preservesAspectRatio = true
        thumbnailQuality = .exact
        resamplingFilter = .lanczos3
        decodeLimits = DecodeLimits()
        encodeOptions = EncodeOptions()
        queryCacheType = .all
        storeCacheType = .all
        originalQueryCacheType = .disk
        originalStoreCacheType = .disk
        headers = HTTPHeaders()
    }
}
