import WebImageFoundation

/// What is answered on the calling thread.
extension ImageManager {
    /// Tells the load what was found at once, and with it the file's bytes where the options ask for those.
    func deliver(_ hit: SourceImage, _ plan: LoadPlan, _ operation: LoadOperation) {
        guard plan.wantsData(beside: hit) else { return operation.finish(.success(LoadResult(hit, from: plan))) }
        if plan.options.contains(.queryMemoryDataSync) {
            let data = plan.cache.diskData(for: plan.originalKey)?.data
            operation.finish(.success(LoadResult(hit.with(data), from: plan)))
        } else {
            start(operation) { .success(LoadResult(await self.withData(hit, plan), from: plan)) }
        }
    }

    /// A picture, with the file's bytes where it is from memory and the options ask for those.
    func withData(_ hit: SourceImage, _ plan: LoadPlan) async -> SourceImage {
        guard plan.wantsData(beside: hit) else { return hit }
        return hit.with(await plan.cache.data(for: plan.originalKey)?.data)
    }

    /// Starts to ask the server about a picture in memory, which is shown meanwhile if the load wants that.
    func ask(about hit: SourceImage, _ plan: LoadPlan, _ operation: LoadOperation) {
        tellStale(hit, plan, operation)
        start(operation) { await self.walkAsking(plan, operation, toldImage: hit.image) }
    }

    /// Shows a picture in memory while the server is asked about it, if the load wants that.
    func tellStale(_ hit: SourceImage, _ plan: LoadPlan, _ operation: LoadOperation) {
        guard plan.validation == .always else { return }
        operation.report(LoadProgress(stale: LoadResult(hit.stale, from: plan)))
    }

    /// The result itself, in memory. Never waits.
    func imageInMemory(_ request: ImageRequest, _ keys: LoadKeys) -> SourceImage? {
        guard !request.options.contains(.fromLoaderOnly), request.context.queryCacheType.includesMemory else {
            return nil
        }
        let cache = request.context.imageCache ?? imageCache
        if let image = cache.imageFromMemory(for: keys.result), request.accepts(image) {
            return SourceImage(inMemory: image)
        }
        return request.stages.isEmpty
            ? firstFrameInMemory(request, keys, cache) : untransformedInMemory(request, keys, cache)
    }

    /// A picture that the transformer would leave as it is lies under the key without the transformer.
    private func untransformedInMemory(
        _ request: ImageRequest, _ keys: LoadKeys, _ cache: any ImageCaching
    ) -> SourceImage? {
        guard let image = cache.imageFromMemory(for: keys.decoded), request.leavesUntransformed(image),
            request.accepts(image)
        else { return nil }
        return SourceImage(inMemory: image, isUntransformed: true)
    }

    /// The first frame of an animation that is there as a whole.
    private func firstFrameInMemory(
        _ request: ImageRequest, _ keys: LoadKeys, _ cache: any ImageCaching
    ) -> SourceImage? {
        guard let fragments = request.fragmentsOfWholeAnimation else { return nil }
        let key = fragments.reduce(keys.original) { $0.appending($1) }
        guard let image = cache.imageFromMemory(for: key), request.accepts(image.poster) else { return nil }
        return SourceImage(inMemory: image.poster)
    }

    /// The result read from disk and decoded on this thread, for `queryDiskDataSync`. Whatever goes wrong is left to
    /// the path.
    func imageOnDisk(_ plan: LoadPlan) -> SourceImage? {
        guard plan.options.contains(.queryDiskDataSync), !plan.options.contains(.fromLoaderOnly),
            plan.validation == .never
        else { return nil }
        var found: SourceImage?
        if plan.context.queryCacheType.includesDisk {
            found = decodedAtOnce(variantOrOriginal(plan), plan.decodeOptions(of: .result), plan)
        }
        if found == nil, plan.isVariant, !plan.isTransformed, plan.context.originalQueryCacheType.includesDisk {
            found = decodedAtOnce(
                plan.originalCache.diskData(for: plan.originalKey), plan.decodeOptions(of: .original), plan)
        }
        if let found, plan.context.storeCacheType.includesMemory {
            plan.cache.storeInMemory(found.image, for: plan.key)
        }
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
        guard let found, let image = try? plan.picture(of: found.data, options, DecodeMonitor(limits: options.limits)),
            plan.request.hasAnimatedImageClass(image)
        else { return nil }
        return SourceImage(image, of: found, LoadTimings())
    }
}

extension LoadPlan {
    /// Whether the options ask for the file's bytes of a picture that memory had.
    fileprivate func wantsData(beside hit: SourceImage) -> Bool {
        !options.isDisjoint(with: [.queryMemoryData, .queryMemoryDataSync])
            && hit.source == .memory && hit.record.data == nil && hit.key(in: self) == originalKey
    }
}
