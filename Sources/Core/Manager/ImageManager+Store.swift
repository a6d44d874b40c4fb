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
            Task { await writeToDisk(picture, original: original, plan) }
            return nil
        }
        return await writeToDisk(picture, original: original, plan)
    }

    private func keepInMemory(_ picture: SourceImage, original: SourceImage, _ plan: LoadPlan) {
        let context = plan.context
        let key = picture.key(in: plan)
        if plan.options.contains(.fromLoaderOnly), let validators = original.image.validators {
            for cache in [plan.cache, plan.originalCache] {
                cache.removeVariants(of: plan.originalKey, exceptMadeOf: validators.bodyDigest)
            }
        }
        guard plan.mayReuse(original.image) else { return }
        if context.storeCacheType.includesMemory { plan.cache.storeInMemory(picture.image, for: key) }
        // One that was decoded smaller, or in part, is not the original: there is none to keep.
        let hasOriginal = plan.decodedKey == plan.originalKey
        if key != plan.originalKey, hasOriginal, context.originalStoreCacheType.includesMemory {
            plan.originalCache.storeInMemory(original.image, for: plan.originalKey)
        }
    }

    @discardableResult
    private func writeToDisk(_ picture: SourceImage, original: SourceImage, _ plan: LoadPlan) async -> ImageError? {
        var timings = LoadTimings()
        do throws(ImageError) {
            try await plan.trace.span(.store, &timings) { () async throws(ImageError) in
                if let failure = await write(picture, original: original, plan) { throw failure }
            }
            return nil
        } catch {
            return error
        }
    }

    /// The original, and the picture where that is another one; the first that could not be written.
    private func write(_ picture: SourceImage, original: SourceImage, _ plan: LoadPlan) async -> ImageError? {
        let context = plan.context
        let key = picture.key(in: plan)
        let isVariant = key != plan.originalKey
        guard original.image.validators?.mayBeStored ?? true else {
            await forget([key], plan)
            return nil
        }
        let keepsOriginal = await keepsOriginal(plan, isVariant: isVariant, from: original.source)
        var failure: ImageError?
        if keepsOriginal, original.source == .network {
            failure = await original.record.writes.once(plan.originalKey, in: plan.originalCache) {
                await self.writeOriginal(original, plan)
            }
        }
        // A variant with the very pixels of the original is found again through that.
        if isVariant, context.storeCacheType.includesDisk, !(keepsOriginal && plan.isWholeDecode(picture)) {
            let other = await picture.record.writes.once(key, in: plan.cache) {
                await self.writeVariant(picture, original: original, plan)
            }
            failure = other ?? failure
        }
        return failure
    }

    /// Whether the original is to be kept on disk: as the load says, and always where a former one is there, for that
    /// must not stay.
    private func keepsOriginal(_ plan: LoadPlan, isVariant: Bool, from source: LoadSource) async -> Bool {
        let context = plan.context
        let places = isVariant ? context.originalStoreCacheType : context.storeCacheType
        if places.includesDisk { return true }
        guard source == .network else { return false }
        return await plan.originalCache.contains(plan.originalKey, in: .disk) == .disk
    }

    /// Removes from disk what the server now forbids to store; what never was there need not be looked for.
    private func forget(_ keys: [CacheKey], _ plan: LoadPlan) async {
        guard plan.options.contains(.fromLoaderOnly) else { return }
        await plan.originalCache.remove(plan.originalKey, from: .disk)
        for key in keys where key != plan.originalKey { await plan.cache.remove(key, from: .disk) }
    }

    private func writeOriginal(_ original: SourceImage, _ plan: LoadPlan) async -> ImageError? {
        guard var data = original.record.data else { return await writeDrawn(original, plan) }
        if let serializer = plan.context.cacheSerializer {
            let file = data
            let serialized = try? await encodeQueue.run(for: CurrentOperation(), stage: .store) {
                .success(serializer.data(of: original.image, file, for: plan.url))
            }
            data = (serialized ?? nil) ?? data
        }
        let metadata = DiskMetadata(original.record.contentType, original.image.validators, url: plan.url)
        return await write(data, plan.originalKey, metadata, to: plan.originalCache)
    }

    /// An original that no file brought; one that was made smaller at once is none.
    private func writeDrawn(_ original: SourceImage, _ plan: LoadPlan) async -> ImageError? {
        guard plan.decodedKey == plan.originalKey else { return nil }
        return await encode(original, original: original, plan, to: plan.originalKey, in: plan.originalCache)
    }

    private func writeVariant(
        _ picture: SourceImage, original: SourceImage, _ plan: LoadPlan
    ) async -> ImageError? {
        await encode(picture, original: original, plan, to: picture.key(in: plan), in: plan.cache)
    }

    private func encode(
        _ picture: SourceImage, original: SourceImage, _ plan: LoadPlan, to key: CacheKey, in cache: any ImageCaching
    ) async -> ImageError? {
        do throws(ImageError) {
            let data = try await encodeQueue.run(for: CurrentOperation(), stage: .store) {
                Result { () throws(ImageError) in try plan.bytes(of: picture, original: original) }
            }
            return await write(data, key, DiskMetadata(nil, original.image.validators, url: plan.url), to: cache)
        } catch {
            return error
        }
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
