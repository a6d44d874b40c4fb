import Synchronization
import WebImageFoundation

/// What two queries must have in common to read and decode once.
struct CacheDecode: Hashable {
    var key: CacheKey
    var options: DecodeOptions
    var firstFrameOnly: Bool
    var asksMemory: Bool
    /// A coder of one's own has no identity to compare: such queries share nothing.
    var soloist: ObjectIdentifier?
}

extension ImageCache {
    /// Looks for a picture in memory, then on disk.
    ///
    /// - Parameters:
    ///   - context: Its callback queue, coder, thumbnail size, scale and limits are used, and `storeCacheType`, which
    ///     says whether a picture from disk is put in memory: a thumbnail under the thumbnail's own key.
    ///   - type: The layers to look in.
    ///   - completion: Called exactly once. A memory hit, and a miss that no file has to be read for, are told before
    ///     this returns where the callback queue allows it.
    /// - Returns: What is still under way, to cancel it; `nil` when nothing is.
    @discardableResult
    public func query(
        _ key: CacheKey, options: CacheQueryOptions = [], context: LoadContext = LoadContext(),
        from type: CacheType = .all, completion: @escaping @Sendable (CacheQueryResult) -> Void
    ) -> CacheToken? {
        let token = CacheToken(key, context.callbackQueue, completion)
        let image = type.includesMemory ? memory.image(for: key).map { $0.asAsked(options) } : nil
        let isAnswered = image != nil && !(type.includesDisk && options.contains(.queryMemoryData))
        if isAnswered || !type.includesDisk {
            token.finish(CacheQueryResult(image: image, data: nil, type: image == nil ? .none : .memory))
            return nil
        }
        if let image {
            addData(to: image, token, atOnce: options.contains(.queryMemoryDataSync))
        } else if options.contains(.queryDiskDataSync) {
            token.finish(found(key, readNow(key), options, context))
        } else {
            let recheck = type.includesMemory
            join(CacheDecode(key, options, context, token, asksMemory: recheck), token) { [self] entry in
                if recheck, let image = memory.image(for: key) {
                    return CacheQueryResult(image: image.asAsked(options), data: entry?.data, type: .memory)
                }
                return found(key, entry, options, context)
            }
        }
        return token.isFinished ? nil : token
    }

    /// Looks for a picture in memory, then on disk. A cancelled task gets nothing.
    public func query(
        _ key: CacheKey, options: CacheQueryOptions = [], context: LoadContext = LoadContext(),
        from type: CacheType = .all
    ) async -> CacheQueryResult {
        var context = context
        context.callbackQueue = .immediate
        let operation = CurrentOperation()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let token = query(key, options: options, context: context, from: type) {
                    continuation.resume(returning: $0)
                }
                if let token { operation.become(token) }
            }
        } onCancel: {
            operation.cancel()
        }
    }

    /// The picture on disk, read and decoded before this returns; put in memory as `query` does.
    public func imageFromDisk(
        for key: CacheKey, options: CacheQueryOptions = [], context: LoadContext = LoadContext()
    ) -> DecodedImage? {
        found(key, readNow(key), options, context).image
    }

    /// The picture in memory, or that on disk, read and decoded before this returns.
    public func image(
        for key: CacheKey, options: CacheQueryOptions = [], context: LoadContext = LoadContext()
    ) -> DecodedImage? {
        memory.image(for: key).map { $0.asAsked(options) }
            ?? imageFromDisk(for: key, options: options, context: context)
    }

    private func addData(to image: DecodedImage, _ token: CacheToken, atOnce: Bool) {
        let finish = { @Sendable (entry: CachedData?) in
            token.finish(CacheQueryResult(image: image, data: entry?.data, type: .memory))
        }
        if atOnce { finish(readNow(token.key)) } else { read(token.key, token.operation, completion: finish) }
    }

    /// Reads and decodes once for all who ask for the same meanwhile. Who cancels is told at once; the work goes on.
    private func join(
        _ decode: CacheDecode, _ token: CacheToken, _ work: @escaping @Sendable (CachedData?) -> CacheQueryResult
    ) {
        let isFirst = decodes.withLock { decodes in
            decodes[decode, default: []].append(token)
            return decodes[decode]?.count == 1
        }
        guard isFirst else { return }
        read(decode.key, CurrentOperation()) { [self] entry in
            let isWanted = decodes.withLock { $0[decode]?.contains { !$0.isFinished } ?? false }
            let result = isWanted ? work(entry) : .missing
            for token in decodes.withLock({ $0.removeValue(forKey: decode) }) ?? [] { token.finish(result) }
        }
    }

    /// Decodes an entry and puts the picture in memory.
    private func found(
        _ key: CacheKey, _ entry: CachedData?, _ options: CacheQueryOptions, _ context: LoadContext
    ) -> CacheQueryResult {
        guard let entry else { return .missing }
        let decodeOptions = DecodeOptions(key, options, context)
        let coder = context.imageCoder ?? self.coder
        guard var image = try? coder.decode(entry.data, options: decodeOptions) else {
            return CacheQueryResult(image: nil, data: entry.data, type: .disk)
        }
        image = image.with(extendedData: entry.metadata.extendedData).asAsked(options)
        let isWhole = !options.contains(.decodeFirstFrameOnly) && decodeOptions.scaleDownByteLimit == nil
        if isWhole, context.storeCacheType.includesMemory {
            storeInMemory(image, for: context.thumbnailKey(of: key))
        }
        return CacheQueryResult(image: image, data: entry.data, type: .disk)
    }
}

extension CacheDecode {
    fileprivate init(
        _ key: CacheKey, _ options: CacheQueryOptions, _ context: LoadContext, _ token: CacheToken,
        asksMemory: Bool
    ) {
        self.key = key
        self.options = DecodeOptions(key, options, context)
        firstFrameOnly = options.contains(.decodeFirstFrameOnly)
        self.asksMemory = asksMemory
        let mayShare = context.imageCoder == nil && context.storeCacheType.includesMemory
        soloist = mayShare ? nil : ObjectIdentifier(token)
    }
}

extension DecodeOptions {
    fileprivate init(_ key: CacheKey, _ options: CacheQueryOptions, _ context: LoadContext) {
        self.init(
            thumbnailPixelSize: context.thumbnailPixelSize, preservesAspectRatio: context.preservesAspectRatio,
            scaleFactor: context.scaleFactor ?? ScaleFactor.of(key: key.base), limits: context.decodeLimits)
        if options.contains(.scaleDownLargeImages) { scaleDownByteLimit = CacheQueryOptions.scaleDownByteLimit }
    }
}

extension LoadContext {
    /// The key of the thumbnail that this context asks for of the picture of a key.
    fileprivate func thumbnailKey(of key: CacheKey) -> CacheKey {
        guard let thumbnailPixelSize else { return key }
        return key.appending(
            CacheKey.thumbnailFragment(size: thumbnailPixelSize, preservesAspectRatio: preservesAspectRatio))
    }
}

extension DecodedImage {
    /// The picture as a query's options want it.
    fileprivate func asAsked(_ options: CacheQueryOptions) -> DecodedImage {
        guard options.contains(.decodeFirstFrameOnly), isAnimated else { return self }
        var attributes = attributes
        attributes.frameCount = 1
        attributes.loopCount = 0
        return DecodedImage(pixels: pixels, attributes: attributes)
    }

    fileprivate func with(extendedData: Data?) -> DecodedImage {
        guard let extendedData else { return self }
        var attributes = attributes
        attributes.extendedData = extendedData
        return DecodedImage(pixels: pixels, attributes: attributes)
    }
}
