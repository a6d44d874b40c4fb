import WebImageFoundation

/// What the caches have of an original, and the disk of a file.
extension ImageManager {
    func originalInCache(
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
    func stored(
        _ file: LoadPlan.File, _ plan: LoadPlan, _ step: CurrentOperation
    ) async throws(ImageError) -> SourceImage {
        let (key, cache) = (plan.key(of: file), plan.cache(of: file))
        var timings = LoadTimings()
        let stored = try await plan.span(.cache, &timings) { () async throws(ImageError) in
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
}

extension ImageError {
    /// An entry that is not there, between the steps of the path; what a caller is told says more.
    fileprivate static let missed = ImageError(.notInCache, .cache, "not in the cache")
}
