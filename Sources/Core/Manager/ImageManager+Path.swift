import Synchronization
import WebImageFoundation

extension ImageManager {
    /// The path, read aloud.
    func walk(_ plan: LoadPlan, _ operation: LoadOperation) async -> Result<LoadResult, ImageError> {
        guard plan.validation == .never else { return await walkAsking(plan, operation, toldImage: nil) }
        let start = ContinuousClock.now
        if let share = files.enter(plan) { operation.keep(share) }
        do throws(ImageError) {
            if let found = try await cached(plan, operation) {
                if plan.context.storeCacheType.includesMemory { plan.cache.storeInMemory(found.image, for: plan.key) }
                return .success(LoadResult(found, from: plan, start: start))
            }
            let source = try await original(plan, operation)
            let picture = plan.isTransformed ? try await transformed(source, plan, operation) : source
            let storeError = await stored(picture, original: source, plan, operation)
            return .success(LoadResult(picture, from: plan, start: start, storeError: storeError))
        } catch  where error.code == .overtaken {
            if let found = imageInMemory(plan.request, plan.keys) { return .success(LoadResult(found, from: plan)) }
            return await walk(plan, operation)
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
            guard self.delegate?.imageManager(self, shouldLoad: plan.url) ?? true else {
                throw ImageError(
                    .notInCache, .load,
                    "\(plan.url.withoutCredentials) is in no cache, and the manager's delegate lets no loader get it")
            }
            let source = try await self.loaded(plan, step) { reporter.progress($0) }
            // Nothing is wrong with the URL: it is not blocked.
            guard plan.request.hasAnimatedImageClass(source.image) else {
                throw .noAnimation(plan.request.animatedImageClass)
            }
            return source
        }
    }

    private func originalInCache(
        _ plan: LoadPlan, _ step: CurrentOperation
    ) async throws(ImageError) -> SourceImage? {
        guard plan.isVariant, !plan.options.contains(.fromLoaderOnly) else { return nil }
        let places = plan.context.originalQueryCacheType
        if places.includesMemory, let image = plan.originalCache.imageFromMemory(for: plan.originalKey),
            plan.canBeMade(from: image)
        {
            let thumbnail = try await transformQueue.run(for: step, stage: .decode) {
                Result { () throws(ImageError) in try image.thumbnail(plan.decodeOptions) }
            }
            return SourceImage(image: thumbnail.with(image.validators), source: .memory, record: SourceRecord())
        }
        guard places.includesDisk else { return nil }
        do throws(ImageError) {
            return try await stored(.original, plan, step)
        } catch  where error.code == .notInCache {
            return nil
        }
    }

    /// What the disk has of a file, decoded. Bytes that are no picture are removed and count as a miss; not those that
    /// only the coders at hand cannot read.
    private func stored(
        _ file: LoadPlan.File, _ plan: LoadPlan, _ step: CurrentOperation
    ) async throws(ImageError) -> SourceImage {
        let (key, cache) = (plan.key(of: file), plan.cache(of: file))
        var timings = LoadTimings()
        let stored = try await plan.trace.span(.cache, &timings) { () async throws(ImageError) in
            await cache.data(for: key)
        }
        guard let found = stored else { throw .missed }
        if key != plan.originalKey, await !isMadeOfOriginal(found, plan) {
            await cache.remove(key, from: .disk)
            throw .missed
        }
        do throws(ImageError) {
            let image = try await decoded(found.data, as: file, plan, step, &timings)
            guard plan.request.hasAnimatedImageClass(image) else { throw .missed }
            return SourceImage(image, of: found, timings)
        } catch  where plan.isDamage(error, found.data) {
            await cache.remove(key, from: .disk)
            throw .missed
        }
    }

    /// Whether a variant was made of the original that is there now; where none is there, it is taken for good.
    private func isMadeOfOriginal(_ variant: CachedData, _ plan: LoadPlan) async -> Bool {
        guard variant.metadata.validators.bodyDigest != nil,
            let original = await plan.originalCache.metadata(for: plan.originalKey)?.validators
        else { return true }
        return variant.metadata.validators.isMade(of: original)
    }

    private func loaded(
        _ plan: LoadPlan, _ step: CurrentOperation, _ report: @escaping LoadOperation.Progress
    ) async throws(ImageError) -> SourceImage {
        do throws(ImageError) {
            var timings = LoadTimings()
            let file = try await arrived(plan, step, report, &timings)
            let image = try await decoded(file.loaded, plan, step, &timings)
            failedURLs.withLock { $0.remove(plan.url) }
            return SourceImage(image, of: file, plan, timings)
        } catch {
            noteFailure(error, plan)
            throw error
        }
    }

    /// The file's bytes through the loader, shown while they come where the load wants that.
    private func arrived(
        _ plan: LoadPlan, _ step: CurrentOperation, _ report: @escaping LoadOperation.Progress,
        _ timings: inout LoadTimings
    ) async throws(ImageError) -> ArrivedFile {
        guard plan.options.contains(.progressiveLoad) else { return try await bytes(plan, step, report, &timings) }
        let decoding = ProgressiveDecoding(plan, on: decodeQueue, for: step, report: report)
        do throws(ImageError) {
            let file = try await bytes(plan, step, { decoding.note($0) }, &timings)
            await decoding.end()
            return file
        } catch {
            await decoding.end()
            throw error
        }
    }

    /// The file's bytes, which another load gets or has just got, or through the loader.
    ///
    /// Not inlined: what is called in two places would lie in the memory of every task that loads twice.
    @inline(never)
    func bytes(
        _ plan: LoadPlan, _ step: CurrentOperation, _ report: @escaping LoadOperation.Progress,
        _ timings: inout LoadTimings
    ) async throws(ImageError) -> ArrivedFile {
        guard plan.loader.canLoad(plan.url) else { throw .noLoader(for: plan.url) }
        guard !step.isCancelled else { throw .cancelled(.load) }
        return try await plan.trace.span(.load, &timings) { () async throws(ImageError) in
            if let calls = files.calls(for: plan) {
                let (file, isOwn) = try await called(plan, step, report, among: calls)
                // A picture that no file brought may be made for the very size that the other asked for.
                if isOwn || file.loaded.image == nil { return file }
            }
            return try await called(plan, step, report, among: ArrivedFiles.Calls(stage: .load)).file
        }
    }

    /// What a call of the loader brought, and whether it is this load's own.
    ///
    /// Not inlined; see `bytes`.
    @inline(never)
    private func called(
        _ plan: LoadPlan, _ step: CurrentOperation, _ report: @escaping LoadOperation.Progress,
        among calls: ArrivedFiles.Calls
    ) async throws(ImageError) -> (file: ArrivedFile, isOwn: Bool) {
        var isOwn = false
        let file = try await calls.join(.file, as: step, keeping: .forGood, progress: report) { reporter in
            isOwn = true
            let call = LoaderCall(
                plan, clock: configuration.wallClock, priority: step.priority, report: reporter)
            call.start()
            return call
        }
        if isOwn { diagnostics.count(receivedByteCount: file.loaded.data.count) }
        return (file, isOwn)
    }

    /// What the loader brought: a file, or a picture that needs no decoding.
    private func decoded(
        _ loaded: LoadedData, _ plan: LoadPlan, _ step: CurrentOperation, _ timings: inout LoadTimings
    ) async throws(ImageError) -> DecodedImage {
        guard let image = loaded.image else {
            return try await decoded(loaded.data, as: .original, plan, step, &timings)
        }
        return try await transformQueue.run(for: step, stage: .decode) {
            Result { () throws(ImageError) in try image.thumbnail(plan.decodeOptions) }
        }
    }

    private func decoded(
        _ data: Data, as file: LoadPlan.File, _ plan: LoadPlan, _ step: CurrentOperation,
        _ timings: inout LoadTimings
    ) async throws(ImageError) -> DecodedImage {
        try await plan.trace.span(.decode, &timings) { () async throws(ImageError) in
            try await decodeQueue.run(for: step, stage: .decode) {
                let options = plan.decodeOptions(of: file)
                let monitor = DecodeMonitor(limits: options.limits) { step.isCancelled }
                return Result { () throws(ImageError) in try plan.picture(of: data, options, monitor) }
            }
        }
    }

    /// The picture transformed, stage by stage: loads that share an original and wish the same first stages of it have
    /// those done once.
    func transformed(
        _ source: SourceImage, _ plan: LoadPlan, _ operation: LoadOperation
    ) async throws(ImageError) -> SourceImage {
        guard plan.isTransformed else { return source }
        var picture = source
        guard !plan.request.leavesUntransformed(source.image) else {
            picture.isUntransformed = true
            return picture
        }
        operation.enter(.transform)
        for stage in plan.transformer.stages {
            let before = picture
            picture = try await before.record.stages.join(
                .transformed(by: stage, plan), as: operation, keeping: .forGood, progress: nil
            ) { (step, _) async throws(ImageError) in
                try await self.transformed(before, by: stage, plan, step)
            }
        }
        return try await animated(picture, source, plan, operation)
    }

    /// A transformed animation in the form that the load wants to play.
    private func animated(
        _ picture: SourceImage, _ source: SourceImage, _ plan: LoadPlan, _ operation: LoadOperation
    ) async throws(ImageError) -> SourceImage {
        guard plan.request.animatedImageClass != nil, picture.image.isAnimated, let data = source.record.data else {
            return picture
        }
        var result = picture
        result.image = try await transformQueue.run(for: operation, stage: .transform) {
            Result { () throws(ImageError) in
                guard let frames = try plan.resultFrames(of: data, isUntransformed: false) else {
                    return picture.image
                }
                return try plan.animated(picture.image, frames, data: nil)
            }
        }
        return result
    }

    private func transformed(
        _ picture: SourceImage, by stage: any ImageTransformer, _ plan: LoadPlan, _ step: CurrentOperation
    ) async throws(ImageError) -> SourceImage {
        var timings = picture.record.timings
        let image = try await plan.trace.span(.transform, &timings) { () async throws(ImageError) in
            try await transformQueue.run(for: step, stage: .transform) {
                Result { () throws(ImageError) in try plan.transformed(picture.image, by: stage) }
            }
        }
        return SourceImage(
            image: image.with(picture.image.validators), source: picture.source,
            record: SourceRecord(downloadMetrics: picture.record.downloadMetrics, timings: timings))
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
    fileprivate static let overtaken = ImageError.Code(rawValue: 0)
}

extension ImageError {
    fileprivate static let overtaken = ImageError(.overtaken, .cache, "the picture came to memory meanwhile")

    /// An entry that is not there, between the steps of the path; what a caller is told says more.
    fileprivate static let missed = ImageError(.notInCache, .cache, "not in the cache")

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
