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
            try await decodeQueue.run(for: step, stage: .decode) {
                let options = plan.decodeOptions(of: file)
                let monitor = DecodeMonitor(limits: options.limits) { step.isCancelled }
                return Result { () throws(ImageError) in try plan.picture(of: data, options, monitor) }
            }
        }
    }
}
