import WebImageFoundation
import WebImagePixels

/// A request that memory did not answer, with every choice made: which caches, which loader, which keys. A class, since
/// every step of a load holds it.
final class LoadPlan: Sendable {
    let request: ImageRequest
    let keys: LoadKeys
    let decodeOptions: DecodeOptions
    let transformer: any ImageTransformer
    let isTransformed: Bool
    /// Whether the result is another picture than the original.
    let isVariant: Bool
    let cache: any ImageCaching
    let originalCache: any ImageCaching
    let loader: any ImageLoader
    let coder: any ImageCoder
    /// By which observers know the load.
    let loadID: UInt64
    let diagnostics: LoadDiagnostics
    /// Whether it is on this machine: a file's own copy is the file.
    let isLocal: Bool
    /// Whether it shares what is done but lies in no cache yet, though it does not look there itself.
    private let sharesPastCaches: Bool

    var options: LoadOptions { request.options }
    var context: LoadContext { _read { yield request.context } }
    var url: URL { keys.url }
    /// The untransformed, full-size picture.
    var originalKey: CacheKey { keys.original }
    /// What the caller asked for, before the transformer.
    var decodedKey: CacheKey { keys.decoded }
    /// What the caller asked for.
    var key: CacheKey { keys.result }

    /// A plan for a request that the manager's options processor has seen.
    convenience init(_ request: ImageRequest, manager: ImageManager, _ trace: LoadTrace) throws(ImageError) {
        self.init(request, try LoadKeys(request), manager: manager, trace)
    }

    /// The same, with the keys of the request.
    init(_ request: ImageRequest, _ keys: LoadKeys, manager: ImageManager, _ trace: LoadTrace) {
        let url = keys.url
        self.request = request
        self.keys = keys
        (loadID, diagnostics) = (trace.id, trace.diagnostics)
        transformer = request.context.transformer ?? .identity
        isTransformed = !transformer.stages.isEmpty
        isVariant = keys.hasVariant
        cache = request.context.imageCache ?? manager.imageCache
        // A picture that is the original itself is looked for, and so kept, as every result.
        originalCache = (isVariant ? request.context.originalImageCache : nil) ?? cache
        loader = request.context.imageLoader ?? manager.imageLoader
        coder = request.context.imageCoder ?? manager.imageCoder
        decodeOptions = request.decodeOptions(of: url, keys.original)
        let text = url.absoluteString
        isLocal = text.hasScheme("file") || text.hasScheme("data")
        sharesPastCaches = false
    }

    /// The same load with another request for the loader; keys and decoding are the same.
    init(_ plan: LoadPlan, _ request: ImageRequest, sharesPastCaches: Bool = false) {
        self.request = request
        self.sharesPastCaches = sharesPastCaches
        (keys, decodeOptions) = (plan.keys, plan.decodeOptions)
        (transformer, isLocal) = (plan.transformer, plan.isLocal)
        (isTransformed, isVariant) = (plan.isTransformed, plan.isVariant)
        (cache, originalCache, loader, coder) = (plan.cache, plan.originalCache, plan.loader, plan.coder)
        (loadID, diagnostics) = (plan.loadID, plan.diagnostics)
    }

    /// Whether an error of decoding stored bytes shows that they are no picture, rather than none for these coders.
    func isDamage(_ error: ImageError, _ data: Data) -> Bool {
        guard context.imageCoder == nil else { return false }
        return error.code == .badImageData
            || (error.code == .unknownFormat && FormatSniffer.format(of: data) == nil)
    }

    /// What a load may read.
    enum File {
        case original
        /// What was made of the original, as the cache has it.
        case result
    }

    func key(of file: File) -> CacheKey {
        switch file {
        case .original: originalKey
        case .result: key
        }
    }

    /// Where a file lies.
    func cache(of file: File) -> any ImageCaching {
        switch file {
        case .original: originalCache
        case .result: cache
        }
    }

    /// How a file is decoded: what makes the result another picture than the original was done before.
    func decodeOptions(of file: File) -> DecodeOptions {
        switch file {
        case .original: decodeOptions
        case .result: decodeOptions.afterPixelChanges
        }
    }

    /// Whether it takes, and leaves to others, what is done but lies in no cache yet: only loads that would find it
    /// there later.
    var sharesLate: Bool {
        let places = isVariant ? context.originalQueryCacheType : context.queryCacheType
        return places.includesDisk && (sharesPastCaches || !options.contains(.fromLoaderOnly))
    }

    /// Whether the decoded original is enough for what the load wants of the file: only its bytes have other frames,
    /// shapes to be drawn at another size, colours before they were converted and colours under no alpha.
    func canBeMade(from original: DecodedImage) -> Bool {
        let needsFrames = original.isAnimated && !decodeOptions.firstFrameOnly
        return !needsFrames && !original.attributes.isVector && decodeOptions.frameIndex == 0
            && decodeOptions.colorConversion == .sRGB && decodeOptions.alpha != .straight
    }
}
