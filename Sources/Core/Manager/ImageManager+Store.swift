import WebImageFoundation

extension ImageManager {
    /// Hands the picture, and its original where that is another one, to the caches.
    ///
    /// Memory has it when this returns; the disk is waited for only with `waitStoreCache`.
    ///
    /// - Returns: The first thing that could not be written, where that was waited for.
    func stored(
        _ picture: SourceImage, original: SourceImage, _ plan: LoadPlan, _ operation: LoadOperation
    ) async -> ImageError? {
        operation.enter(.store)
        keepInMemory(picture, original: original, plan)
        guard !plan.isLocal else { return nil }
        guard plan.options.contains(.waitStoreCache) else {
            // A result that memory does not get either is in no cache before it is encoded and written.
            let isOnItsWay =
                plan.placesOfOriginal(of: picture).includesDisk
                || (plan.context.storeCacheType.includesDisk && !plan.context.storeCacheType.includesMemory)
            if !isOnItsWay || !original.image.mayBeStored { operation.releaseShares() }
            operation.afterwards(
                LoadOperation.Rest(
                    starts: { self.startsWriting(picture, original: original, plan, $0) },
                    work: { await self.writeToDisk(picture, original: original, plan) }))
            return nil
        }
        return await writeToDisk(picture, original: original, plan)
    }

    private func keepInMemory(_ picture: SourceImage, original: SourceImage, _ plan: LoadPlan) {
        let key = picture.key(in: plan)
        if plan.options.contains(.fromLoaderOnly), let validators = original.image.validators {
            for cache in [plan.cache, plan.originalCache] {
                cache.removeVariants(of: plan.originalKey, exceptMadeOf: validators.bodyDigest)
            }
        }
        guard plan.mayReuse(original.image) else { return }
        if plan.context.storeCacheType.includesMemory { plan.cache.storeInMemory(picture.image, for: key) }
        // One that was decoded smaller, or in part, is not the original: there is none to keep.
        let hasOriginal = plan.decodedKey == plan.originalKey
        if key != plan.originalKey, hasOriginal, plan.context.originalStoreCacheType.includesMemory {
            plan.originalCache.storeInMemory(original.image, for: plan.originalKey)
        }
    }

    /// Has the file written where that is all there is to write, as of most loads. The task of the load does not wait
    /// for it: others find the file among what the load shares until it is on disk.
    ///
    /// - Returns: Whether that is so, and nobody else writes it already.
    private func startsWriting(
        _ picture: SourceImage, original: SourceImage, _ plan: LoadPlan, _ operation: LoadOperation
    ) -> Bool {
        let (key, cache, record) = (plan.originalKey, plan.originalCache, original.record)
        guard original.source == .network, let data = record.data, picture.key(in: plan) == key,
            plan.context.storeCacheType.includesDisk, plan.context.cacheSerializer == nil,
            original.image.mayBeStored, record.writes.begin(key, in: cache)
        else { return false }
        let shares = operation.takeShares()
        let start = plan.stageBegan(.store)
        cache.storeData(data, for: key, metadata: plan.metadata(of: .original, original)) { error in
            // A cache of a user's own may say it twice.
            guard record.writes.finish(key, in: cache, error) else { return }
            plan.stageEnded(.store, start, error)
            for share in shares { share.release() }
        }
        return true
    }

    @discardableResult
    private func writeToDisk(_ picture: SourceImage, original: SourceImage, _ plan: LoadPlan) async -> ImageError? {
        var timings = LoadTimings()
        do throws(ImageError) {
            try await plan.span(.store, &timings) { () async throws(ImageError) in
                if let failure = await write(picture, original: original, plan) { throw failure }
            }
            return nil
        } catch {
            return error
        }
    }

    /// The original, and the picture where that is another one; the first that could not be written.
    private func write(_ picture: SourceImage, original: SourceImage, _ plan: LoadPlan) async -> ImageError? {
        let key = picture.key(in: plan)
        let isVariant = key != plan.originalKey
        guard original.image.mayBeStored else {
            await forget([key], plan)
            return nil
        }
        let keepsOriginal = await keepsOriginal(of: picture, plan, from: original.source)
        var failure: ImageError?
        if keepsOriginal, original.source == .network {
            failure = await put(original, original: original, .original, plan.originalKey, plan)
        }
        // A variant with the very pixels of the original is found again through that.
        if isVariant, plan.context.storeCacheType.includesDisk, !(keepsOriginal && plan.isWholeDecode(picture)) {
            failure = await put(picture, original: original, .result, key, plan) ?? failure
        }
        return failure
    }

    /// Whether the original is to be kept on disk: as the load says, and always where a former one is there, for that
    /// must not stay.
    private func keepsOriginal(of picture: SourceImage, _ plan: LoadPlan, from source: LoadSource) async -> Bool {
        if plan.placesOfOriginal(of: picture).includesDisk { return true }
        guard source == .network else { return false }
        return await plan.originalCache.contains(plan.originalKey, in: .disk) == .disk
    }

    /// Removes from disk what the server now forbids to store; what never was there need not be looked for.
    private func forget(_ keys: [CacheKey], _ plan: LoadPlan) async {
        guard plan.options.contains(.fromLoaderOnly) else { return }
        await plan.originalCache.remove(plan.originalKey, from: .disk)
        for key in keys where key != plan.originalKey { await plan.cache.remove(key, from: .disk) }
    }

    /// Writes a picture to its place, once for all who share it. Not inlined; see `bytes`.
    @inline(never)
    private func put(
        _ picture: SourceImage, original: SourceImage, _ file: LoadPlan.File, _ key: CacheKey, _ plan: LoadPlan
    ) async -> ImageError? {
        let cache = plan.cache(of: file)
        return await picture.record.writes.once(key, in: cache) {
            do throws(ImageError) {
                guard let data = try await bytes(of: picture, original: original, file, plan) else { return nil }
                return await write(data, key, plan.metadata(of: file, original), to: cache)
            } catch {
                return error
            }
        }
    }

    /// What is written: the original's own file, else what the coder makes of the picture; nothing for an original that
    /// no file brought and that was made smaller at once, for it is none.
    private func bytes(
        of picture: SourceImage, original: SourceImage, _ file: LoadPlan.File, _ plan: LoadPlan
    ) async throws(ImageError) -> Data? {
        switch file {
        case .original:
            if let data = original.record.data { return await serialized(data, original, plan) }
            guard plan.decodedKey == plan.originalKey else { return nil }
        case .result: break
        }
        return try await encodeQueue.run(for: CurrentOperation(), stage: .store) {
            Result { () throws(ImageError) in try plan.bytes(of: picture, original: original) }
        }
    }

    /// A file as the load's serializer has it; as it came where there is none, or where that says nothing.
    private func serialized(_ file: Data, _ original: SourceImage, _ plan: LoadPlan) async -> Data {
        guard let serializer = plan.context.cacheSerializer else { return file }
        let serialized = try? await encodeQueue.run(for: CurrentOperation(), stage: .store) {
            .success(serializer.data(of: original.image, file, for: plan.url))
        }
        return (serialized ?? nil) ?? file
    }

    func write(
        _ data: Data, _ key: CacheKey, _ metadata: DiskMetadata, to cache: any ImageCaching
    ) async -> ImageError? {
        do throws(ImageError) {
            try await cache.storeData(data, for: key, metadata: metadata)
            return nil
        } catch {
            return error
        }
    }
}

extension LoadPlan {
    /// Where the original of a picture is to be kept.
    fileprivate func placesOfOriginal(of picture: SourceImage) -> CacheType {
        picture.key(in: self) == originalKey ? context.storeCacheType : context.originalStoreCacheType
    }
}
