import WebImageFoundation
import WebImagePixels

/// A request with every choice made: which caches, which loader, which keys.
struct LoadPlan: Sendable {
    let request: ImageRequest
    let url: URL
    /// The untransformed, full-size picture.
    let originalKey: CacheKey
    /// What the caller asked for.
    let key: CacheKey
    let decodeOptions: DecodeOptions
    let transformer: any ImageTransformer
    let cache: any ImageCaching
    let originalCache: any ImageCaching
    let loader: any ImageLoader
    let coder: any ImageCoder

    var options: LoadOptions { request.options }
    var context: LoadContext { request.context }

    /// Whether the result is another picture than the original.
    var isVariant: Bool { key != originalKey }
    var isTransformed: Bool { !transformer.stages.isEmpty }
    /// A file's own copy is the file.
    var isLocal: Bool { url.isFileURL || url.scheme?.lowercased() == "data" }

    init(_ request: ImageRequest, manager: ImageManager) throws(ImageError) {
        guard let url = request.url, !url.absoluteString.isEmpty else {
            throw ImageError(.invalidURL, .request, "there is no URL; give one that names a picture")
        }
        let context = request.context
        let filter = context.cacheKeyFilter ?? manager.configuration.cacheKeyFilter
        let transformer = context.transformer ?? manager.configuration.transformer ?? .identity
        self.request = request
        self.url = url
        self.transformer = transformer
        cache = context.imageCache ?? manager.imageCache
        originalCache = context.originalImageCache ?? context.imageCache ?? manager.imageCache
        loader = context.imageLoader ?? manager.imageLoader
        coder = context.imageCoder ?? manager.imageCoder
        originalKey = filter.map { CacheKey($0.key(for: url)) } ?? CacheKey(of: url)
        key = Self.key(originalKey, context, transformer)
        decodeOptions = Self.decodeOptions(context, scaleFactor: ScaleFactor.of(key: originalKey.base))
    }

    /// Whether an error of decoding stored bytes shows that they are no picture, rather than none for these coders.
    func isDamage(_ error: ImageError, _ data: Data) -> Bool {
        guard context.imageCoder == nil else { return false }
        return error.code == .badImageData
            || (error.code == .unknownFormat && FormatSniffer.format(of: data) == nil)
    }

    /// How the stored result is decoded: it is small already.
    var storedDecodeOptions: DecodeOptions {
        var options = decodeOptions
        options.cropRect = nil
        options.thumbnailPixelSize = nil
        return options
    }

    private static func decodeOptions(_ context: LoadContext, scaleFactor: Double) -> DecodeOptions {
        var options = DecodeOptions(
            thumbnailPixelSize: context.thumbnailPixelSize, preservesAspectRatio: context.preservesAspectRatio,
            scaleFactor: context.scaleFactor ?? scaleFactor, limits: context.decodeLimits)
        options.cropRect = context.cropRect
        options.thumbnailQuality = context.thumbnailQuality
        options.resamplingFilter = context.resamplingFilter
        return options
    }

    private static func key(
        _ original: CacheKey, _ context: LoadContext, _ transformer: any ImageTransformer
    ) -> CacheKey {
        var key = original
        if let rect = context.cropRect { key = key.appending(CacheKey.regionFragment(rect)) }
        if let size = context.thumbnailPixelSize {
            key = key.appending(
                CacheKey.thumbnailFragment(size: size, preservesAspectRatio: context.preservesAspectRatio))
            let quality = context.thumbnailQuality
            if quality != .exact { key = key.appending("ThumbnailQuality(\(quality.rawValue))") }
            let filter = context.resamplingFilter
            if filter != .lanczos3 { key = key.appending("Resampling(\(filter.rawValue))") }
        }
        for stage in transformer.stages { key = key.appending(stage.key) }
        return key
    }
}

/// What two loads must have in common to share one read, one download and one decode.
struct SourceKey: Hashable, Sendable {
    private let lookup: Lookup
    private let decodeOptions: DecodeOptions
    /// A coder of one's own has no identity to compare: such loads share nothing.
    private let soloist: ObjectIdentifier?

    private enum Lookup: Hashable {
        case cached(key: CacheKey, cache: ObjectIdentifier)
        case original(Origin)
        /// While anyone waits, the work holds the source: no other picture can get its identity.
        case transformed(source: ObjectIdentifier, key: CacheKey)
    }

    private struct Origin: Hashable {
        let url: URL
        let key: CacheKey
        let headers: HTTPHeaders
        let options: LoadOptions
        let cache: ObjectIdentifier
        let loader: ObjectIdentifier
        let asksMemory: Bool
        let asksDisk: Bool
    }

    /// The picture as stored under the final key.
    static func cached(_ plan: LoadPlan, _ operation: LoadOperation) -> SourceKey {
        SourceKey(
            lookup: .cached(key: plan.key, cache: ObjectIdentifier(plan.cache)),
            decodeOptions: plan.storedDecodeOptions,
            soloist: plan.context.imageCoder == nil ? nil : ObjectIdentifier(operation))
    }

    /// The picture made of the original.
    static func original(_ plan: LoadPlan, _ operation: LoadOperation) -> SourceKey {
        let relevant: LoadOptions = [.fromCacheOnly, .fromLoaderOnly, .allowInvalidSSLCertificates]
        let origin = Origin(
            url: plan.url, key: plan.originalKey, headers: plan.context.headers,
            options: plan.options.intersection(relevant), cache: ObjectIdentifier(plan.originalCache),
            loader: ObjectIdentifier(plan.loader),
            asksMemory: plan.isVariant && plan.context.originalQueryCacheType.includesMemory,
            asksDisk: plan.isVariant && plan.context.originalQueryCacheType.includesDisk)
        return SourceKey(
            lookup: .original(origin), decodeOptions: plan.decodeOptions,
            soloist: plan.context.imageCoder == nil ? nil : ObjectIdentifier(operation))
    }

    /// The picture made of another.
    static func transformed(_ source: SourceImage, _ plan: LoadPlan) -> SourceKey {
        SourceKey(
            lookup: .transformed(source: ObjectIdentifier(source.image), key: plan.key),
            decodeOptions: plan.decodeOptions, soloist: nil)
    }
}

extension CacheKey {
    /// The key of a URL that no filter has a say in: its exact spelling.
    ///
    /// A user name and a password, which must not come to lie on disk, stand in it as a digest: another user may be
    /// given another picture.
    init(of url: URL) {
        guard url.user != nil || url.password != nil else {
            self.init(url.absoluteString)
            return
        }
        let digest = Digest.sha256.hexadecimal("\(url.user ?? ""):\(url.password ?? "")")
        self.init(url.withoutCredentials, fragments: ["User(\(digest))"])
    }
}
