import WebImageFoundation

/// Pictures of bytes, on threads that may be busy for long.
extension ImageManager {
    /// What the loader brought: a file, or a picture that needs no decoding.
    func decoded(
        _ loaded: LoadedData, _ plan: LoadPlan, _ step: CurrentOperation, _ timings: inout LoadTimings
    ) async throws(ImageError) -> DecodedImage {
        guard let image = loaded.image else {
            return try await decoded(loaded.data, as: .original, plan, step, &timings)
        }
        return try await transformQueue.run(for: step, stage: .decode) {
            Result { () throws(ImageError) in try image.thumbnail(plan.decodeOptions) }
        }
    }

    func decoded(
        _ data: Data, as file: LoadPlan.File, _ plan: LoadPlan, _ step: CurrentOperation,
        _ timings: inout LoadTimings
    ) async throws(ImageError) -> DecodedImage {
        try await plan.span(.decode, &timings) { () async throws(ImageError) in
            let work: @Sendable () -> Result<DecodedImage, ImageError> = {
                let options = plan.decodeOptions(of: file)
                let monitor = DecodeMonitor(limits: options.limits) { step.isCancelled }
                return Result { () throws(ImageError) in try plan.picture(of: data, options, monitor) }
            }
            if data.count <= Self.shortFileByteCount, plan.request.animatedImageClass == nil,
                let done = decodeQueue.runHere(for: step, stage: .decode, work)
            {
                return try done.get()
            }
            return try await decodeQueue.run(for: step, stage: .decode, work)
        }
    }

    /// Files up to here may be decoded on a borrowed thread: icons and faces, mostly done in a tenth of a millisecond.
    private static let shortFileByteCount = 4096
}
