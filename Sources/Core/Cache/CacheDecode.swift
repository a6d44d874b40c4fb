import WebImageFoundation
import WebImagePixels

/// How a query wants a picture: what two must have in common to read and decode once.
struct CacheDecode: Sendable {
    let key: CacheKey
    let options: LoadOptions
    let context: LoadContext
    let coder: any ImageCoder
    let decodeOptions: DecodeOptions
    /// The key of what the decode gives: of a thumbnail not that of the whole picture.
    let decodedKey: CacheKey
    /// Whether memory may answer.
    let asksMemory: Bool

    init(_ key: CacheKey, _ options: LoadOptions, _ context: LoadContext, _ type: CacheType, coder: any ImageCoder) {
        self.key = key
        self.options = options
        self.context = context
        self.coder = context.imageCoder ?? coder
        decodeOptions = ImageRequest(nil, options: options, context: context)
            .decodeOptions(of: URL(string: key.base), key)
        decodedKey = decodeOptions.cacheKeyFragments.reduce(key) { $0.appending($1) }
        asksMemory = type.includesMemory
    }

    /// What memory has for this query.
    func image(in memory: any MemoryCaching) -> DecodedImage? {
        guard asksMemory else { return nil }
        if let image = memory.image(for: decodedKey), let accepted = accepted(image) { return accepted }
        // The first frame of an animation that is there as a whole.
        guard decodedKey == key.appending(CacheKey.firstFrameFragment) else { return nil }
        return memory.image(for: key)?.poster
    }

    /// Which playable form the picture must have.
    private var wantedClass: (any AnimatedImageRepresentation.Type)? {
        decodeOptions.firstFrameOnly ? nil : context.animatedImageClass
    }

    /// A picture in memory as this query wants it; `nil` for one that does not do.
    private func accepted(_ image: DecodedImage) -> DecodedImage? {
        if decodeOptions.firstFrameOnly { return image.poster }
        guard options.contains(.matchAnimatedImageClass), let wantedClass else { return image }
        return image.animation.map { type(of: $0) == wantedClass } == true ? image : nil
    }

    /// Decodes an entry; `nil` for a picture without the animation that the query insists on. May take long.
    func image(of entry: CachedData) throws(ImageError) -> DecodedImage? {
        var image = try coder.decode(entry.data, options: decodeOptions)
        if let extendedData = entry.metadata.extendedData {
            var attributes = image.attributes
            attributes.extendedData = extendedData
            image = image.with(attributes)
        }
        guard let wantedClass, !image.attributes.isVector, let animated = coder as? any AnimatedImageCoder,
            let frames = try? animated.frames(of: entry.data, options: decodeOptions)
        else { return accepted(image) }
        let animation = wantedClass.init(frames: frames, data: entry.data)
        if options.contains(.preloadAllFrames) { try preload(animation, of: image.pixelSize) }
        return accepted(image.with(animation))
    }

    private func preload(_ animation: any AnimatedImageRepresentation, of size: PixelSize) throws(ImageError) {
        try decodeOptions.limits.check(keeping: animation.frameCount, of: size)
        try animation.preloadAllFrames()
    }

    /// Equal for queries that may share one decode.
    func identity(_ token: CacheToken) -> Identity {
        let mayShare = context.imageCoder == nil && context.storeCacheType.includesMemory
        return Identity(
            key: key, options: options, decodeOptions: decodeOptions, asksMemory: asksMemory,
            animatedImageClass: context.animatedImageClass.map { ObjectIdentifier($0) },
            soloist: mayShare ? nil : ObjectIdentifier(token))
    }

    /// What queries are told apart by.
    struct Identity: Hashable {
        fileprivate let key: CacheKey
        fileprivate let options: LoadOptions
        fileprivate let decodeOptions: DecodeOptions
        fileprivate let asksMemory: Bool
        fileprivate let animatedImageClass: ObjectIdentifier?
        /// A coder of one's own has no identity to compare: such queries share nothing.
        fileprivate let soloist: ObjectIdentifier?
    }
}
