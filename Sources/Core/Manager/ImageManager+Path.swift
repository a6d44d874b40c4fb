import WebImageFoundation

extension ImageManager {
    /// The path, read aloud.
    func walk(_ plan: LoadPlan, _ operation: LoadOperation) async -> Result<LoadResult, ImageError> {
        guard plan.validation == .never else { return await walkAsking(plan, operation, toldImage: nil) }
        let start = Moment.now
        if let share = files.enter(plan) { operation.keep(share) }
        do throws(ImageError) {
            if let found = try await cached(plan, operation) {
                if plan.context.storeCacheType.includesMemory { plan.cache.storeInMemory(found.image, for: plan.key) }
                return .success(LoadResult(await withData(found, plan), from: plan, start: start))
            }
            let source = try await original(plan, operation)
            let picture = plan.isTransformed ? try await transformed(source, plan, operation) : source
            let storeError = await stored(picture, original: source, plan, operation)
            return .success(LoadResult(picture, from: plan, start: start, storeError: storeError))
        } catch  where error.code == .overtaken {
            guard let found = imageInMemory(plan.request, plan.keys) else { return await walk(plan, operation) }
            return .success(LoadResult(await withData(found, plan), from: plan))
        } catch {
            return .failure(error)
        }
    }

    /// The result itself, on disk; concurrent loads of one key read and decode it once.
    func cached(_ plan: LoadPlan, _ operation: LoadOperation) async throws(ImageError) -> SourceImage? {
        guard !plan.options.contains(.fromLoaderOnly), plan.context.queryCacheType.includesDisk else { return nil }
        operation.enter(.cache)
        do throws(ImageError) {
            return try await share(.cached(plan, operation), plan, operation) { (step, _) async throws(ImageError) in
                // Another load may have brought it to memory while this one was on its way.
                if let image = self.imageInMemory(plan.request, plan.keys), !image.isUntransformed { return image }
                return try await self.stored(.result, plan, step)
            }
        } catch  where error.code == .notInCache {
            return nil
        }
    }

    /// The untransformed picture: from its own place in the cache, or through the loader.
    func original(_ plan: LoadPlan, _ operation: LoadOperation) async throws(ImageError) -> SourceImage {
        operation.enter(.load)
        let tell: LoadOperation.Progress = { operation.report(plan.shown($0)) }
        return try await share(
            .original(plan, operation), plan, operation, progress: operation.wantsProgress ? tell : nil
        ) {
            (step, reporter) async throws(ImageError) in
            // Another load may have brought it to memory since this one looked. Others may wait for another variant.
            if let found = self.imageInMemory(plan.request, plan.keys) {
                guard plan.isVariant else { return found }
                throw .overtaken
            }
            if let found = try await self.originalInCache(plan, step) { return found }
            guard !plan.options.contains(.fromCacheOnly) else { throw .notInCache(plan.url) }
            try self.askDelegate(plan)
            let source = try await self.loaded(plan, step) { reporter.progress($0) }
            // Nothing is wrong with the URL: it is not blocked.
            guard plan.request.hasAnimatedImageClass(source.image) else {
                throw .noAnimation(plan.request.animatedImageClass)
            }
            return source
        }
    }

    /// Waits for shared work; does it when nobody did.
    private func share(
        _ key: SourceKey, _ plan: LoadPlan, _ operation: LoadOperation, progress: LoadOperation.Progress? = nil,
        _ work: (CurrentOperation, SharedWork<SourceKey, SourceImage>.Reporter) async throws(ImageError) -> SourceImage
    ) async throws(ImageError) -> SourceImage {
        guard !operation.isCancelled else { throw .cancelled(.load) }
        let keeping: SharedWork<SourceKey, SourceImage>.Keeping = plan.sharesLate ? .untilReleased : .nothing
        return try await sources.join(key, as: operation, keeping: keeping, progress: progress, work: work)
    }
}

extension ImageError.Code {
    /// Between the steps of the path only: the result came to memory meanwhile.
    static let overtaken = ImageError.Code(rawValue: 0)
}

extension ImageError {
    fileprivate static let overtaken = ImageError(.overtaken, .cache, "the picture came to memory meanwhile")

    /// A file whose picture lacks what the load insists on.
    fileprivate static func noAnimation(_ wanted: (any AnimatedImageRepresentation.Type)?) -> ImageError {
        ImageError(
            .badImageData, .decode,
            "the file gives no \(wanted.map { "\($0)" } ?? "animation"); load it without matchAnimatedImageClass")
    }

    static func notInCache(_ url: URL) -> ImageError {
        ImageError(
            .notInCache, .cache,
            "\(url.withoutCredentials) is in no cache; load it without fromCacheOnly to ask the network")
    }
}
