import Synchronization

extension ImageCache {
    /// Looks for a picture in memory, then on disk.
    ///
    /// - Parameters:
    ///   - options: Those about querying and decoding are used.
    ///   - context: Its callback queue, coder and all about decoding are used, and `storeCacheType`, which says whether
    ///     a picture from disk is put in memory: a thumbnail under the thumbnail's own key.
    ///   - type: The layers to look in.
    ///   - completion: Called exactly once. A memory hit, and a miss that no file has to be read for, are told before
    ///     this returns where the callback queue allows it.
    /// - Returns: What is still under way, to cancel it; `nil` when nothing is.
    @discardableResult
    public func query(
        _ key: CacheKey, options: LoadOptions = [], context: LoadContext = LoadContext(),
        from type: CacheType = .all, completion: @escaping @Sendable (CacheQueryResult) -> Void
    ) -> CacheToken? {
        let token = CacheToken(key, context.callbackQueue, completion)
        let decode = CacheDecode(key, options, context, type, coder: coder)
        let image = decode.image(in: memory)
        let wantsData = options.contains(.queryMemoryData) || options.contains(.queryMemoryDataSync)
        if (image != nil && !(type.includesDisk && wantsData)) || !type.includesDisk {
            token.finish(CacheQueryResult(image: image, data: nil, type: image == nil ? .none : .memory))
        } else if let image {
            addData(to: image, token, atOnce: options.contains(.queryMemoryDataSync))
        } else if options.contains(.queryDiskDataSync) {
            token.finish(found(decode, readNow(key)))
        } else {
            join(decode, token)
        }
        return token.isFinished ? nil : token
    }

    /// Looks for a picture in memory, then on disk. A cancelled task gets nothing.
    public func query(
        _ key: CacheKey, options: LoadOptions = [], context: LoadContext = LoadContext(),
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
        for key: CacheKey, options: LoadOptions = [], context: LoadContext = LoadContext()
    ) -> DecodedImage? {
        found(CacheDecode(key, options, context, .disk, coder: coder), readNow(key)).image
    }

    /// The picture in memory, or that on disk, read and decoded before this returns.
    public func image(
        for key: CacheKey, options: LoadOptions = [], context: LoadContext = LoadContext()
    ) -> DecodedImage? {
        let decode = CacheDecode(key, options, context, .all, coder: coder)
        return decode.image(in: memory) ?? found(decode, readNow(key)).image
    }

    private func addData(to image: DecodedImage, _ token: CacheToken, atOnce: Bool) {
        let finish = { @Sendable (entry: CachedData?) in
            token.finish(CacheQueryResult(image: image, data: entry?.data, type: .memory))
        }
        if atOnce { finish(readNow(token.key)) } else { read(token.key, token.operation, completion: finish) }
    }

    /// Reads and decodes once for all who ask for the same meanwhile. Who cancels is told at once; the work goes on.
    private func join(_ decode: CacheDecode, _ token: CacheToken) {
        let identity = decode.identity(token)
        let isFirst = decodes.withLock { decodes in
            decodes[identity, default: []].append(token)
            return decodes[identity]?.count == 1
        }
        guard isFirst else { return }
        read(decode.key, CurrentOperation()) { [self] entry in
            let isWanted = decodes.withLock { $0[identity]?.contains { !$0.isFinished } ?? false }
            let result = isWanted ? brought(decode, entry) : .missing
            for token in decodes.withLock({ $0.removeValue(forKey: identity) }) ?? [] { token.finish(result) }
        }
    }

    /// What an entry gives, unless another query has brought it to memory meanwhile.
    private func brought(_ decode: CacheDecode, _ entry: CachedData?) -> CacheQueryResult {
        guard let image = decode.image(in: memory) else { return found(decode, entry) }
        return CacheQueryResult(image: image, data: entry?.data, type: .memory)
    }

    /// Decodes an entry and puts the picture in memory.
    private func found(_ decode: CacheDecode, _ entry: CachedData?) -> CacheQueryResult {
        guard let entry else { return .missing }
        do throws(ImageError) {
            let image = try decode.image(of: entry)
            if let image, decode.context.storeCacheType.includesMemory { storeInMemory(image, for: decode.decodedKey) }
            return CacheQueryResult(image: image, data: entry.data, type: .disk)
        } catch {
            return CacheQueryResult(image: nil, data: entry.data, type: .disk, error: error)
        }
    }
}
