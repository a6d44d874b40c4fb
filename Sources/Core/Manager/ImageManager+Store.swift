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
        guard plan.options.contains(.waitStoreCache) else {
            Task { await writeToDisk(picture, original: original, plan) }
            return nil
        }
        return await writeToDisk(picture, original: original, plan)
    }

    private func keepInMemory(_ picture: SourceImage, original: SourceImage, _ plan: LoadPlan) {
        let context = plan.context
        if context.storeCacheType.includesMemory { plan.cache.storeInMemory(picture.image, for: plan.key) }
        // A thumbnail or a part was never decoded in full: there is no original to keep.
        let hasFullImage = context.thumbnailPixelSize == nil && context.cropRect == nil
        if plan.isVariant, hasFullImage, context.originalStoreCacheType.includesMemory {
            plan.originalCache.storeInMemory(original.image, for: plan.originalKey)
        }
    }

    @discardableResult
    private func writeToDisk(_ picture: SourceImage, original: SourceImage, _ plan: LoadPlan) async -> ImageError? {
        guard !plan.isLocal else { return nil }
        let context = plan.context
        let keepsOriginal =
            plan.isVariant ? context.originalStoreCacheType.includesDisk : context.storeCacheType.includesDisk
        var failure: ImageError?
        if keepsOriginal, original.source == .network, let data = original.data {
            failure = await original.writes.once(plan.originalKey, in: plan.originalCache) {
                let metadata = DiskMetadata(original.response, url: plan.url)
                return await self.write(data, plan.originalKey, metadata, to: plan.originalCache)
            }
        }
        if plan.isVariant, context.storeCacheType.includesDisk {
            let other = await picture.writes.once(plan.key, in: plan.cache) {
                await self.writeVariant(picture.image, plan)
            }
            failure = other ?? failure
        }
        return failure
    }

    private func writeVariant(_ image: DecodedImage, _ plan: LoadPlan) async -> ImageError? {
        do throws(ImageError) {
            let format = image.preferredFormat(for: plan.coder)
            let data = try await encodeQueue.run(for: CurrentOperation(), stage: .store) {
                Result { () throws(ImageError) in
                    try plan.coder.encode(image, to: format, options: plan.context.encodeOptions)
                }
            }
            return await write(data, plan.key, DiskMetadata(nil, url: plan.url), to: plan.cache)
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
