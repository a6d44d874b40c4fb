import Synchronization
import WebImageFoundation

/// What the loaders bring.
extension ImageManager {
    func loaded(
        _ plan: LoadPlan, _ step: CurrentOperation, _ report: @escaping LoadOperation.Progress
    ) async throws(ImageError) -> SourceImage {
        do throws(ImageError) {
            var timings = LoadTimings()
            let file = try await arrived(plan, step, report, &timings)
            let image = try await decoded(file.loaded, plan, step, &timings)
            failedURLs.withLock { $0.remove(plan.url) }
            return SourceImage(image, of: file, timings)
        } catch {
            noteFailure(error, plan)
            throw error
        }
    }

    /// Whether the loader may be asked.
    ///
    /// - Throws: `notInCache` where the delegate says no: nothing is wrong with the URL, and it is not blocked.
    func askDelegate(_ plan: LoadPlan) throws(ImageError) {
        guard !(delegate?.imageManager(self, shouldLoad: plan.url) ?? true) else { return }
        throw ImageError(
            .notInCache, .load,
            "\(plan.url.withoutCredentials) is in no cache, and the manager's delegate lets no loader get it")
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
        return try await plan.span(.load, &timings) { () async throws(ImageError) in
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
        return (file, isOwn)
    }
}
