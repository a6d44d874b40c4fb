import Synchronization
import WebImageFoundation

/// Loads for which a cached picture is not the last word: the server's is.
extension ImageManager {
    /// A result that a cache has, and what the server said of it.
    fileprivate struct CachedResult {
        var picture: SourceImage
        var validators: DiskMetadata.Validators
        /// The picture as it was found.
        let found: DecodedImage
    }

    /// A load that asks the server.
    fileprivate struct Asking {
        let plan: LoadPlan
        let operation: LoadOperation
        var rule: AnswerRule
        let start = Moment.now

        init(_ plan: LoadPlan, _ operation: LoadOperation, takesAny: Bool = false) {
            self.plan = plan
            self.operation = operation
            rule = AnswerRule(plan, takesAny: takesAny)
        }

        var again: Asking {
            var asking = self
            asking.rule = rule.again
            return asking
        }

        func result(_ picture: SourceImage, storeError: ImageError? = nil) -> LoadResult {
            LoadResult(picture, from: plan, start: start, storeError: storeError)
        }
    }

    /// The path of such a load.
    ///
    /// - Parameter toldImage: The picture that the caller has been shown already.
    func walkAsking(
        _ plan: LoadPlan, _ operation: LoadOperation, toldImage: DecodedImage?
    ) async -> Result<LoadResult, ImageError> {
        let asking = Asking(plan, operation)
        if let share = files.enter(plan.pastCaches) { operation.keep(share) }
        do throws(ImageError) {
            guard let known = try await cachedResult(plan, operation) else {
                return .success(try await anew(plan.pastCaches, asking))
            }
            switch plan.verdict(known.validators, at: wallNow) {
            case .use: return .success(asking.result(known.picture))
            case .ignore: return .success(try await anew(plan.pastCaches, asking))
            case .useAndRevalidate:
                refreshLater(plan, known)
                return .success(asking.result(known.picture.stale))
            case .revalidate:
                if plan.validation == .always, known.found !== toldImage {
                    operation.report(LoadProgress(stale: asking.result(known.picture.stale)))
                }
                return .success(try await revalidated(known, asking))
            }
        } catch {
            return .failure(error)
        }
    }

    var wallNow: WallTime { configuration.wallClock.now }

    // MARK: What the caches have

    private func cachedResult(_ plan: LoadPlan, _ operation: LoadOperation) async throws(ImageError) -> CachedResult? {
        operation.enter(.cache)
        // The original's entry knows best: a server's word on one variant is its word on all.
        let record = await plan.originalCache.metadata(for: plan.originalKey)?.validators
        if let found = imageInMemory(plan.request, plan.keys) {
            if let known = CachedResult(await withData(found, plan), record) { return known }
            // Another process has changed what is on disk.
            plan.cache.removeVariants(of: plan.originalKey, exceptMadeOf: record?.bodyDigest)
        }
        guard let found = try await onDisk(plan, operation), let known = CachedResult(found, record) else { return nil }
        if plan.context.storeCacheType.includesMemory {
            plan.cache.storeInMemory(known.picture.image, for: known.picture.key(in: plan))
        }
        return known
    }

    private func onDisk(_ plan: LoadPlan, _ operation: LoadOperation) async throws(ImageError) -> SourceImage? {
        if let found = try await cached(plan, operation) { return found }
        guard plan.isVariant else { return nil }
        let plan = plan.fromCacheOnly
        do throws(ImageError) {
            let source = try await original(plan, operation)
            let picture = try await transformed(source, plan, operation)
            _ = await stored(picture, original: source, plan, operation)
            return picture
        } catch  where error.code == .notInCache {
            return nil
        } catch  where error.code == .overtaken {
            return imageInMemory(plan.request, plan.keys)
        }
    }

    // MARK: What the server says

    private func revalidated(_ known: CachedResult, _ asking: Asking) async throws(ImageError) -> LoadResult {
        let plan = asking.plan
        let (sent, request) = (wallNow, plan.loader.headers(for: plan.request))
        do throws(ImageError) {
            return try await anew(plan.asking(about: known.picture.image, known.validators), asking, known)
        } catch  where error.code == .cacheNotModified {
            let times = ExchangeTimes(sent: sent, received: wallNow)
            guard let validators = known.validators.confirmed(by: error.response, request: request, times: times)
            else { return try await anew(plan.unconditional, asking, known) }
            guard asking.rule.takes(error.response?.requestedAt, validators, at: wallNow) else {
                return try await revalidated(known, asking.again)
            }
            failedURLs.withLock { $0.remove(plan.url) }
            return asking.result(await confirm(known, validators, plan))
        } catch  where plan.validation == .whenStale {
            guard HTTPFreshness(known.validators, at: wallNow).isUsable(after: error) else { throw error }
            return asking.result(known.picture.stale)
        }
    }

    /// The picture from the server, in place of what the caches have.
    ///
    /// - Parameter plan: The load as the loader is to see it.
    private func anew(
        _ plan: LoadPlan, _ asking: Asking, _ known: CachedResult? = nil
    ) async throws(ImageError) -> LoadResult {
        let source = try await original(plan, asking.operation)
        guard asking.rule.takes(source.record.requestedAt, source.image.validators, at: wallNow) else {
            return try await again(source, asking.again)
        }
        if let known, let validators = source.image.validators, known.validators.isOfSameBody(validators) {
            return asking.result(await confirm(known, validators, plan))
        }
        let picture = try await transformed(source, plan, asking.operation)
        return asking.result(
            picture, storeError: await stored(picture, original: source, plan, asking.operation))
    }

    /// Another answer than the one that came, which is for those alone who had asked before.
    private func again(_ source: SourceImage, _ asking: Asking) async throws(ImageError) -> LoadResult {
        guard let validators = source.image.validators, asking.rule.mayAsk(about: validators) else {
            return try await anew(asking.plan.unconditional, asking)
        }
        let picture = try await transformed(source, asking.plan, asking.operation)
        return try await revalidated(
            CachedResult(picture: picture, validators: validators, found: picture.image), asking)
    }

    /// Notes that a picture is good for longer: the caches keep it, with what the server says now.
    private func confirm(
        _ known: CachedResult, _ validators: DiskMetadata.Validators, _ plan: LoadPlan
    ) async -> SourceImage {
        var picture = known.picture
        picture.image = picture.image.with(validators)
        picture.freshness = .revalidated
        if plan.context.storeCacheType.includesMemory {
            plan.cache.storeInMemory(picture.image, for: picture.key(in: plan))
        }
        await plan.originalCache.updateValidators(validators, for: plan.originalKey)
        if plan.isVariant { await plan.cache.updateValidators(validators, for: plan.key) }
        return picture
    }

    /// Asks the server while the caller has the picture already; loads that ask meanwhile share the question.
    private func refreshLater(_ plan: LoadPlan, _ known: CachedResult) {
        let operation = LoadOperation(
            .low, on: .immediate, trace: diagnostics.trace(plan.url), progress: nil, completion: { _ in })
        start(operation) {
            do throws(ImageError) {
                return .success(try await self.revalidated(known, Asking(plan, operation, takesAny: true)))
            } catch {
                return .failure(error)
            }
        }
    }
}

extension ImageManager.CachedResult {
    /// A picture and the server's word on its original; `nil` where it was made of another one.
    fileprivate init?(_ picture: SourceImage, _ record: DiskMetadata.Validators?) {
        found = picture.image
        let own = picture.image.validators
        if let record, record != DiskMetadata.Validators(), own?.bodyDigest != record.bodyDigest { return nil }
        validators = record ?? own ?? DiskMetadata.Validators()
        self.picture = picture
        self.picture.image = picture.image.with(validators.orNone)
    }
}

extension DiskMetadata.Validators {
    /// Whether both came with the same bytes.
    fileprivate func isOfSameBody(_ other: DiskMetadata.Validators) -> Bool {
        bodyDigest != nil && bodyDigest == other.bodyDigest
    }
}

extension SourceImage {
    /// The same picture, marked as perhaps out of date.
    var stale: SourceImage {
        var picture = self
        picture.freshness = .stale
        return picture
    }
}

extension LoadProgress {
    /// News of a cached picture that comes first.
    init(stale result: LoadResult) {
        self.init(receivedByteCount: 0, expectedByteCount: nil)
        staleResult = result
    }
}
