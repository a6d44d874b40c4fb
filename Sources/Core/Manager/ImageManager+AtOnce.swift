import WebImageFoundation

/// What is answered on the calling thread.
extension ImageManager {
    /// The result without waiting for anyone: in memory, or on disk where the options make the thread read it.
    func imageAtOnce(_ plan: LoadPlan) -> SourceImage? {
        imageInMemory(plan) ?? imageOnDisk(plan)
    }

    /// Tells the load what was found at once, and with it the file's bytes where the options ask for those.
    func deliver(_ hit: SourceImage, _ plan: LoadPlan, _ operation: LoadOperation) {
        let lacksData = hit.data == nil && hit.key(in: plan) == plan.originalKey
        guard lacksData, !plan.options.contains(.queryMemoryDataSync), plan.options.contains(.queryMemoryData) else {
            var hit = hit
            if lacksData, plan.options.contains(.queryMemoryDataSync) {
                hit.data = plan.cache.diskData(for: plan.originalKey)?.data
            }
            operation.finish(.success(LoadResult(hit, from: plan)))
            return
        }
        start(operation) {
            var hit = hit
            hit.data = await plan.cache.data(for: plan.originalKey)?.data
            return .success(LoadResult(hit, from: plan))
        }
    }

    /// Starts to ask the server about a picture in memory, which is shown meanwhile if the load wants that.
    func ask(about hit: SourceImage, _ plan: LoadPlan, _ operation: LoadOperation) {
        if plan.validation == .always {
            operation.report(LoadProgress(stale: LoadResult(hit.stale, from: plan)))
        }
        start(operation) { await self.walkAsking(plan, operation, toldImage: hit.image) }
    }

    /// The result itself, in memory. Never waits.
    func imageInMemory(_ plan: LoadPlan) -> SourceImage? {
        guard !plan.options.contains(.fromLoaderOnly), plan.context.queryCacheType.includesMemory else { return nil }
        if let image = plan.cache.imageFromMemory(for: plan.key), plan.accepts(image) {
            return SourceImage(image: image, source: .memory, writes: SourceImage.noWrites)
        }
        return untransformedInMemory(plan) ?? firstFrameInMemory(plan)
    }

    /// A picture that the transformer would leave as it is lies under the key without the transformer.
    private func untransformedInMemory(_ plan: LoadPlan) -> SourceImage? {
        guard plan.isTransformed, let image = plan.cache.imageFromMemory(for: plan.decodedKey),
            plan.leavesUntransformed(image), plan.accepts(image)
        else { return nil }
        return SourceImage(image: image, source: .memory, isUntransformed: true, writes: SourceImage.noWrites)
    }

    /// The first frame of an animation that is there as a whole.
    private func firstFrameInMemory(_ plan: LoadPlan) -> SourceImage? {
        guard plan.decodeOptions.firstFrameOnly, !plan.isTransformed else { return nil }
        var whole = plan.decodeOptions
        whole.firstFrameOnly = false
        let key = whole.cacheKeyFragments.reduce(plan.originalKey) { $0.appending($1) }
        guard let image = plan.cache.imageFromMemory(for: key), plan.accepts(image.poster) else { return nil }
        return SourceImage(image: image.poster, source: .memory, writes: SourceImage.noWrites)
    }

    /// The result read from disk and decoded on this thread, for `queryDiskDataSync`. Whatever goes wrong is left to
    /// the path.
    private func imageOnDisk(_ plan: LoadPlan) -> SourceImage? {
        guard plan.options.contains(.queryDiskDataSync), !plan.options.contains(.fromLoaderOnly),
            plan.validation == .never
        else { return nil }
        let context = plan.context
        var found: SourceImage?
        if context.queryCacheType.includesDisk {
            found = decodedAtOnce(variantOrOriginal(plan), plan.storedDecodeOptions, plan)
        }
        if found == nil, plan.isVariant, !plan.isTransformed, context.originalQueryCacheType.includesDisk {
            found = decodedAtOnce(plan.originalCache.diskData(for: plan.originalKey), plan.decodeOptions, plan)
        }
        if let found, context.storeCacheType.includesMemory { plan.cache.storeInMemory(found.image, for: plan.key) }
        return found
    }

    /// What is stored under the final key, unless it was made of another original than the one there now.
    private func variantOrOriginal(_ plan: LoadPlan) -> CachedData? {
        guard let found = plan.cache.diskData(for: plan.key) else { return nil }
        guard plan.isVariant, found.metadata.validators.bodyDigest != nil,
            let original = plan.originalCache.diskData(for: plan.originalKey)?.metadata.validators
        else { return found }
        return found.metadata.validators.isMade(of: original) ? found : nil
    }

    private func decodedAtOnce(_ found: CachedData?, _ options: DecodeOptions, _ plan: LoadPlan) -> SourceImage? {
        guard let data = found?.data,
            let image = try? plan.picture(of: data, options, DecodeMonitor(limits: options.limits))
        else { return nil }
        return SourceImage(image: image.with(found?.metadata.validators.orNone), data: data, source: .disk)
    }
}
