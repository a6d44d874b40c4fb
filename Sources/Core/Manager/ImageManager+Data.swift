import Synchronization
public import WebImageFoundation

/// A picture file's bytes, not decoded.
public struct DataResult: Sendable {
    /// The file as the server sent it, content encoding undone.
    public let data: Data
    /// Where it came from: `disk` or `network`.
    public let source: LoadSource
    /// The URL that was asked for.
    public let url: URL
    /// Whether the server has had a say in it.
    public let freshness: LoadResult.Freshness
    /// What the disk cache could not write; only a load with `waitStoreCache` waits to learn of it.
    public let storeError: ImageError?
}

extension DataResult: CustomStringConvertible, CustomDebugStringConvertible {
    /// Length, source and URL, without its credentials.
    public var description: String { "\(data.count) bytes from \(source), \(url.withoutCredentials)" }
    /// As `description`.
    public var debugDescription: String { description }
}

extension DataResult {
    /// What the cache has.
    fileprivate init(_ stored: CachedData, _ freshness: LoadResult.Freshness, _ plan: LoadPlan) {
        self.init(data: stored.data, source: .disk, url: plan.url, freshness: freshness, storeError: nil)
    }
}

extension ImageManager {
    /// The bytes of a picture, from the disk cache or through the loader, without decoding them.
    ///
    /// They are kept on disk as an original is, when they begin as some picture format does. Thumbnail size and
    /// transformer of the context mean nothing here.
    ///
    /// - Parameter progress: How far the download has come; on a thread of the loader, before this returns.
    /// - Throws: `unknownFormat` for bytes that are no picture; `cancelled` when the task was cancelled.
    public func data(
        for request: ImageRequest, progress: @escaping LoadOperation.Progress = { _ in }
    ) async throws(ImageError) -> DataResult {
        let operation = CurrentOperation(priority: request.options.priority)
        let result = await withTaskCancellationHandler {
            await data(for: request, operation, progress)
        } onCancel: {
            operation.cancel()
        }
        return try result.get()
    }

    /// The same, cancelled and hurried through an operation.
    func data(
        for request: ImageRequest, _ operation: CurrentOperation,
        _ progress: @escaping LoadOperation.Progress = { _ in }
    ) async -> Result<DataResult, ImageError> {
        let request = processed(request)
        let trace = diagnostics.trace(request.url)
        let sources = request.sources(isConstrained: configuration.isNetworkConstrained())
        let result: Result<DataResult, ImageError>
        do throws(ImageError) {
            result = .success(
                try await first(of: sources, of: request) { request async throws(ImageError) in
                    try await self.bytes(of: request, trace, operation, progress)
                })
        } catch {
            result = .failure(error)
        }
        trace.ended(result)
        return result
    }

    /// The bytes of one source.
    private func bytes(
        of request: ImageRequest, _ trace: LoadTrace, _ operation: CurrentOperation,
        _ progress: @escaping LoadOperation.Progress
    ) async throws(ImageError) -> DataResult {
        let plan = try LoadPlan(request, manager: self, trace)
        try checkNotFailed(plan.request, plan.url)
        running.add(operation)
        let errand = DataErrand(plan, operation, progress: progress)
        if let share = files.enter(errand.loadingPlan) { operation.keep(share) }
        defer {
            running.remove(operation)
            for share in operation.takeKept() { share.release() }
        }
        return try await found(errand).get()
    }

    /// Whether the bytes of a request are in the disk cache, and nobody is to be asked about them. Reads none of them.
    func isOnDisk(_ request: ImageRequest) async -> Bool {
        let request = processed(request)
        guard let plan = try? LoadPlan(request, manager: self, diagnostics.trace(request.url)), !plan.isLocal,
            plan.validation == .never, !plan.options.contains(.fromLoaderOnly),
            plan.context.queryCacheType.includesDisk
        else { return false }
        return await plan.originalCache.contains(plan.originalKey, in: .disk) == .disk
    }

    private func found(_ errand: DataErrand) async -> Result<DataResult, ImageError> {
        let plan = errand.plan
        let stored = await storedData(plan)
        guard !errand.operation.isCancelled else { return .failure(.cancelled(.cache)) }
        if let stored { return await judged(stored, errand) }
        guard !plan.options.contains(.fromCacheOnly) else { return .failure(.notInCache(plan.url)) }
        return await fetched(errand.loadingPlan, errand)
    }

    /// The stored bytes, after a word with the server where the load wants that.
    private func judged(_ stored: CachedData, _ errand: DataErrand) async -> Result<DataResult, ImageError> {
        let plan = errand.plan
        switch plan.verdict(stored.metadata.validators, at: wallNow) {
        case .use: return .success(DataResult(stored, .cached, plan))
        case .ignore: return await fetched(plan.pastCaches, errand)
        case .revalidate: return await asked(stored, errand)
        case .useAndRevalidate:
            let question = CurrentOperation(priority: .low)
            let errand = DataErrand(plan, question, takesAny: true) { _ in }
            running.add(question)
            Task {
                await asked(stored, errand)
                running.remove(question)
            }
            return .success(DataResult(stored, .stale, plan))
        }
    }

    @discardableResult
    private func asked(_ stored: CachedData, _ errand: DataErrand) async -> Result<DataResult, ImageError> {
        let plan = errand.plan
        let validators = stored.metadata.validators
        let (sent, request) = (wallNow, plan.loader.headers(for: plan.request))
        let answer = await fetched(plan.asking(about: nil, validators), errand)
        guard case .failure(let error) = answer else { return answer }
        guard error.code == .cacheNotModified else {
            let mayStandIn =
                plan.validation == .whenStale
                && HTTPFreshness(validators, at: wallNow).isUsable(after: error)
            return mayStandIn ? .success(DataResult(stored, .stale, plan)) : answer
        }
        let times = ExchangeTimes(sent: sent, received: wallNow)
        guard let confirmed = validators.confirmed(by: error.response, request: request, times: times) else {
            return await fetched(plan.unconditional, errand)
        }
        guard errand.rule.takes(error.response?.requestedAt, confirmed, at: wallNow) else {
            return await asked(stored, errand.again)
        }
        await plan.originalCache.updateValidators(confirmed, for: plan.originalKey)
        return .success(DataResult(stored, .revalidated, plan))
    }

    private func storedData(_ plan: LoadPlan) async -> CachedData? {
        guard !plan.options.contains(.fromLoaderOnly), plan.context.queryCacheType.includesDisk, !plan.isLocal else {
            return nil
        }
        var timings = LoadTimings()
        let stored = try? await plan.span(.cache, &timings) { () async throws(ImageError) in
            await plan.originalCache.data(for: plan.originalKey)
        }
        return stored ?? nil
    }

    /// - Parameter plan: The load as the loader is to see it.
    private func fetched(_ plan: LoadPlan, _ errand: DataErrand) async -> Result<DataResult, ImageError> {
        do throws(ImageError) {
            try askDelegate(plan)
        } catch {
            return .failure(error)
        }
        do throws(ImageError) {
            var timings = LoadTimings()
            let file = try await bytes(plan, errand.operation, errand.progress, &timings)
            let loaded = file.loaded
            let validators = file.validators()
            guard errand.rule.takes(loaded.response?.requestedAt, validators, at: wallNow) else {
                return await fetched(errand.plan.unconditional, errand.again)
            }
            guard FormatSniffer.format(of: loaded.data) != nil || plan.coder.canDecode(loaded.data) else {
                throw .unknownFormat(loaded.data)
            }
            failedURLs.withLock { $0.remove(plan.url) }
            let storeError = await keep(loaded, validators, plan, errand.operation)
            return .success(
                DataResult(
                    data: loaded.data, source: .network, url: plan.url, freshness: .loaded, storeError: storeError))
        } catch {
            noteFailure(error, plan)
            return .failure(error)
        }
    }

    private func keep(
        _ loaded: LoadedData, _ validators: DiskMetadata.Validators?, _ plan: LoadPlan, _ operation: CurrentOperation
    ) async -> ImageError? {
        guard plan.context.storeCacheType.includesDisk, !plan.isLocal else { return nil }
        guard validators?.mayBeStored ?? true else {
            if plan.options.contains(.fromLoaderOnly) {
                await plan.originalCache.remove(plan.originalKey, from: .disk)
            }
            return nil
        }
        if plan.options.contains(.fromLoaderOnly), let digest = validators?.bodyDigest {
            plan.cache.removeVariants(of: plan.originalKey, exceptMadeOf: digest)
        }
        let metadata = DiskMetadata(loaded.contentType, validators, body: loaded.data, url: plan.url)
        guard plan.options.contains(.waitStoreCache) else {
            let shares = operation.takeKept()
            plan.originalCache.storeData(loaded.data, for: plan.originalKey, metadata: metadata) { _ in
                for share in shares { share.release() }
            }
            return nil
        }
        return await write(loaded.data, plan.originalKey, metadata, to: plan.originalCache)
    }
}

/// A load of bytes, on its way.
private struct DataErrand {
    let plan: LoadPlan
    let operation: CurrentOperation
    let progress: LoadOperation.Progress
    var rule: AnswerRule

    init(
        _ plan: LoadPlan, _ operation: CurrentOperation, takesAny: Bool = false,
        progress: @escaping LoadOperation.Progress
    ) {
        self.plan = plan
        self.operation = operation
        self.progress = progress
        rule = AnswerRule(plan, takesAny: takesAny)
    }

    /// The load as the loader is to see it where no cache has anything for it.
    var loadingPlan: LoadPlan { plan.validation == .whenStale ? plan.pastCaches : plan }

    var again: DataErrand {
        var errand = self
        errand.rule = rule.again
        return errand
    }
}
