import WebImageFoundation
import WebImagePixels

/// A request with every choice made: which caches, which loader, which keys. A class, since every step of a load holds
/// it.
final class LoadPlan: Sendable {
    let request: ImageRequest
    let url: URL
    /// The untransformed, full-size picture.
    let originalKey: CacheKey
    /// What the caller asked for, before the transformer.
    let decodedKey: CacheKey
    /// What the caller asked for.
    let key: CacheKey
    let decodeOptions: DecodeOptions
    let transformer: any ImageTransformer
    let cache: any ImageCaching
    let originalCache: any ImageCaching
    let loader: any ImageLoader
    let coder: any ImageCoder
    let trace: LoadTrace

    var options: LoadOptions { request.options }
    var context: LoadContext { request.context }

    /// Whether the result is another picture than the original.
    var isVariant: Bool { key != originalKey }
    var isTransformed: Bool { !transformer.stages.isEmpty }
    /// A file's own copy is the file.
    var isLocal: Bool { url.isFileURL || url.scheme?.lowercased() == "data" }

    /// A plan for a request that the manager's options processor has seen.
    init(_ request: ImageRequest, manager: ImageManager, _ trace: LoadTrace) throws(ImageError) {
        guard let url = request.url, !url.absoluteString.isEmpty else {
            throw ImageError(.invalidURL, .request, "there is no URL; give one that names a picture")
        }
        let context = request.context
        self.request = request
        self.url = url
        self.trace = trace
        transformer = context.transformer ?? .identity
        cache = context.imageCache ?? manager.imageCache
        originalCache = context.originalImageCache ?? context.imageCache ?? manager.imageCache
        loader = context.imageLoader ?? manager.imageLoader
        coder = context.imageCoder ?? manager.imageCoder
        originalKey = context.cacheKeyFilter.map { CacheKey($0.key(for: url)) } ?? CacheKey(of: url)
        decodeOptions = Self.decodeOptions(request, url, originalKey)
        decodedKey = decodeOptions.cacheKeyFragments.reduce(originalKey) { $0.appending($1) }
        key = transformer.stages.reduce(decodedKey) { $0.appending($1.key) }
    }

    /// The same load with another request for the loader; keys and decoding are the same.
    init(_ plan: LoadPlan, _ request: ImageRequest) {
        self.request = request
        (url, originalKey, decodedKey, key) = (plan.url, plan.originalKey, plan.decodedKey, plan.key)
        (decodeOptions, transformer) = (plan.decodeOptions, plan.transformer)
        (cache, originalCache, loader, coder) = (plan.cache, plan.originalCache, plan.loader, plan.coder)
        trace = plan.trace
    }

    /// What the context says of decoding, in its base and one by one, and what the flags add.
    static func decodeOptions(_ request: ImageRequest, _ url: URL?, _ key: CacheKey) -> DecodeOptions {
        let context = request.context
        var options = context.decodeOptions
        if options.scaleFactor == 1 { options.scaleFactor = ScaleFactor.of(key: key.base) }
        options.scaleFactor = context.scaleFactor ?? options.scaleFactor
        if request.options.contains(.scaleDownLargeImages) {
            options.scaleDownByteLimit = options.scaleDownByteLimit ?? DecodeOptions.defaultScaleDownByteLimit
        }
        if request.options.contains(.decodeFirstFrameOnly) { options.firstFrameOnly = true }
        options.typeHint = url.flatMap { context.typeHint.format(of: $0) } ?? options.typeHint
        let avoidsDecoding = request.options.contains(.avoidDecodeImage) && context.forceDecodePolicy == .automatic
        options.usesLazyDecoding = avoidsDecoding || context.forceDecodePolicy == .never
        return options
    }

    /// Whether an error of decoding stored bytes shows that they are no picture, rather than none for these coders.
    func isDamage(_ error: ImageError, _ data: Data) -> Bool {
        guard context.imageCoder == nil else { return false }
        return error.code == .badImageData
            || (error.code == .unknownFormat && FormatSniffer.format(of: data) == nil)
    }

    /// How the stored result is decoded: what makes it another picture than the original was done before.
    var storedDecodeOptions: DecodeOptions { decodeOptions.afterPixelChanges }

    /// What is to play an animation; nothing where only its first frame is wanted.
    var animatedImageClass: (any AnimatedImageRepresentation.Type)? {
        decodeOptions.firstFrameOnly ? nil : context.animatedImageClass
    }

    /// Whether a picture stays as it is, though the load has a transformer.
    func leavesUntransformed(_ image: DecodedImage) -> Bool {
        (image.isAnimated && !options.contains(.transformAnimatedImage))
            || (image.attributes.isVector && !options.contains(.transformVectorImage))
    }

    /// Whether the decoded original is enough for what the load wants of the file: only its bytes have other frames,
    /// shapes to be drawn at another size, colours before they were converted and colours under no alpha.
    func canBeMade(from original: DecodedImage) -> Bool {
        let needsFrames = original.isAnimated && !decodeOptions.firstFrameOnly
        return !needsFrames && !original.attributes.isVector && decodeOptions.frameIndex == 0
            && decodeOptions.colorConversion == .sRGB && decodeOptions.alpha != .straight
    }

    /// Whether a picture in memory is of the form that the load wants.
    func accepts(_ image: DecodedImage) -> Bool {
        (image.isDecoded || decodeOptions.usesLazyDecoding) && hasAnimatedImageClass(image)
    }

    /// Whether a picture carries the animation that `matchAnimatedImageClass` insists on.
    func hasAnimatedImageClass(_ image: DecodedImage) -> Bool {
        guard options.contains(.matchAnimatedImageClass), let wanted = animatedImageClass else { return true }
        return image.animation.map { type(of: $0) == wanted } ?? false
    }
}

extension ImageFormat {
    /// What the path of a URL ends in. The text is read from its end, for taking a URL apart costs microseconds.
    init?(pathOf url: URL) {
        var text = url.absoluteString
        guard let ending = text.withUTF8({ bytes in unsafe Self.ending(of: bytes) }) else {
            self.init(fileExtension: url.pathExtension)
            return
        }
        self.init(fileExtension: ending)
    }

    /// The letters and digits after the last dot of a path; `nil` where it is not as plain as that.
    private static func ending(of bytes: UnsafeBufferPointer<UInt8>) -> String? {
        var (slashes, dot, end) = (0, -1, 0)
        while end < bytes.count {
            let byte = unsafe bytes[end]
            if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
            if byte == UInt8(ascii: "%") { dot = -1 }
            if byte == UInt8(ascii: ".") { dot = end }
            if byte == UInt8(ascii: "/") { (slashes, dot) = (slashes + 1, -1) }
            end += 1
        }
        // After the third slash the host is over.
        guard slashes >= 3, dot >= 0, end - dot <= 5 else { return nil }
        return unsafe String(decoding: bytes[(dot + 1)..<end], as: UTF8.self)
    }
}

extension TypeHint {
    fileprivate func format(of url: URL) -> ImageFormat? {
        switch self {
        case .fromURL: ImageFormat(pathOf: url)
        case .none: nil
        case .format(let format): format
        }
    }
}

/// What two loads must have in common to share one read, one download and one decode.
///
/// A class that knows its hash: it is looked up several times, and there is much to hash.
final class SourceKey: Hashable, Sendable {
    private let parts: Parts
    private let hash: Int

    private struct Parts: Hashable {
        let lookup: Lookup
        let decodeOptions: DecodeOptions
        let form: Form
        /// A coder of one's own has no identity to compare: such loads share nothing.
        let soloist: ObjectIdentifier?
    }

    private init(lookup: Lookup, decodeOptions: DecodeOptions, form: Form, soloist: ObjectIdentifier?) {
        parts = Parts(lookup: lookup, decodeOptions: decodeOptions, form: form, soloist: soloist)
        hash = parts.hashValue
    }

    static func == (first: SourceKey, second: SourceKey) -> Bool {
        first === second || (first.hash == second.hash && first.parts == second.parts)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }

    private enum Lookup: Hashable {
        case cached(key: CacheKey, cache: ObjectIdentifier)
        case original(Origin)
        /// While anyone waits, the work holds the source: no other picture can get its identity.
        case transformed(source: ObjectIdentifier, stage: String)
    }

    /// What is made of an animation.
    private struct Form: Hashable {
        let animatedImageClass: ObjectIdentifier?
        let relevantOptions: LoadOptions

        init(_ plan: LoadPlan) {
            animatedImageClass = plan.animatedImageClass.map { ObjectIdentifier($0) }
            relevantOptions = plan.options.intersection(
                [.preloadAllFrames, .matchAnimatedImageClass, .transformAnimatedImage, .transformVectorImage])
        }
    }

    private struct Origin: Hashable {
        let url: URL
        let key: CacheKey
        let headers: HTTPHeaders
        let requestModifier: RequestModifier?
        let responseModifier: ResponseModifier?
        let decryptor: Decryptor?
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
            decodeOptions: plan.storedDecodeOptions, form: Form(plan),
            soloist: plan.context.imageCoder == nil ? nil : ObjectIdentifier(operation))
    }

    /// The picture made of the original.
    static func original(_ plan: LoadPlan, _ operation: LoadOperation) -> SourceKey {
        let relevant: LoadOptions = [
            .fromCacheOnly, .fromLoaderOnly, .allowInvalidSSLCertificates, .handleCookies,
            .progressiveLoad,
        ]
        let origin = Origin(
            url: plan.url, key: plan.originalKey, headers: plan.context.headers,
            requestModifier: plan.context.requestModifier, responseModifier: plan.context.responseModifier,
            decryptor: plan.context.decryptor,
            options: plan.options.intersection(relevant), cache: ObjectIdentifier(plan.originalCache),
            loader: ObjectIdentifier(plan.loader),
            asksMemory: plan.isVariant && plan.context.originalQueryCacheType.includesMemory,
            asksDisk: plan.isVariant && plan.context.originalQueryCacheType.includesDisk)
        return SourceKey(
            lookup: .original(origin), decodeOptions: plan.decodeOptions, form: Form(plan),
            soloist: plan.context.imageCoder == nil ? nil : ObjectIdentifier(operation))
    }

    /// The picture that a stage of the transformer makes of another.
    static func transformed(
        _ source: SourceImage, by stage: any ImageTransformer, _ plan: LoadPlan
    ) -> SourceKey {
        SourceKey(
            lookup: .transformed(source: ObjectIdentifier(source.image), stage: stage.key),
            decodeOptions: plan.decodeOptions, form: Form(plan), soloist: nil)
    }
}

extension CacheKey {
    /// The key of a URL that no filter has a say in: its exact spelling.
    ///
    /// A user name and a password, which must not come to lie on disk, stand in it as a digest: another user may be
    /// given another picture.
    init(of url: URL) {
        let text = url.absoluteString
        // Where there is no @ there are no credentials; taking a URL apart costs more than looking.
        guard text.utf8.contains(UInt8(ascii: "@")), url.user != nil || url.password != nil else {
            self.init(text)
            return
        }
        let digest = Digest.sha256.hexadecimal("\(url.user ?? ""):\(url.password ?? "")")
        self.init(url.withoutCredentials, fragments: ["User(\(digest))"])
    }
}
