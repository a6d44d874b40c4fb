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
    /// What the disk cache could not write; only a load with `waitStoreCache` waits to learn of it.
    public let storeError: ImageError?
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
        do throws(ImageError) {
            let request = processed(request)
            let plan = try LoadPlan(request, manager: self, diagnostics.trace(request.url))
            try checkNotFailed(plan)
            noteStart(operation)
            defer { noteEnd(operation) }
            return await found(plan, operation, progress)
        } catch {
            return .failure(error)
        }
    }

    /// Whether the bytes of a request are in the disk cache. Reads none of them.
    func isOnDisk(_ request: ImageRequest) async -> Bool {
        let request = processed(request)
        guard let plan = try? LoadPlan(request, manager: self, diagnostics.trace(request.url)), !plan.isLocal else {
            return false
        }
        return await plan.originalCache.contains(plan.originalKey, in: .disk) == .disk
    }

    private func found(
        _ plan: LoadPlan, _ operation: CurrentOperation, _ progress: @escaping LoadOperation.Progress
    ) async -> Result<DataResult, ImageError> {
        let stored = await storedData(plan)
        guard !operation.isCancelled else { return .failure(.cancelled(.cache)) }
        if let stored {
            return .success(DataResult(data: stored.data, source: .disk, url: plan.url, storeError: nil))
        }
        guard !plan.options.contains(.fromCacheOnly) else { return .failure(.notInCache(plan.url)) }
        return await fetched(plan, operation, progress)
    }

    private func storedData(_ plan: LoadPlan) async -> CachedData? {
        guard !plan.options.contains(.fromLoaderOnly), plan.context.queryCacheType.includesDisk, !plan.isLocal else {
            return nil
        }
        return await plan.originalCache.data(for: plan.originalKey)
    }

    private func fetched(
        _ plan: LoadPlan, _ operation: CurrentOperation, _ progress: @escaping LoadOperation.Progress
    ) async -> Result<DataResult, ImageError> {
        do throws(ImageError) {
            var timings = LoadTimings()
            let loaded = try await bytes(plan, operation, progress, &timings)
            guard FormatSniffer.format(of: loaded.data) != nil || plan.coder.canDecode(loaded.data) else {
                throw .unknownFormat(loaded.data)
            }
            failedURLs.withLock { $0.remove(plan.url) }
            let storeError = await keep(loaded, plan)
            return .success(
                DataResult(data: loaded.data, source: .network, url: plan.url, storeError: storeError))
        } catch {
            noteFailure(error, plan)
            return .failure(error)
        }
    }

    private func keep(_ loaded: LoadedData, _ plan: LoadPlan) async -> ImageError? {
        guard plan.context.storeCacheType.includesDisk, !plan.isLocal else { return nil }
        let metadata = DiskMetadata(loaded.response, url: plan.url)
        guard plan.options.contains(.waitStoreCache) else {
            plan.originalCache.storeData(loaded.data, for: plan.originalKey, metadata: metadata) { _ in }
            return nil
        }
        return await write(loaded.data, plan.originalKey, metadata, to: plan.originalCache)
    }
}
