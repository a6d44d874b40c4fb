import WebImageFoundation

/// Pictures of pictures.
extension ImageManager {
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
        let image = try await plan.span(.transform, &timings) { () async throws(ImageError) in
            try await transformQueue.run(for: step, stage: .transform) {
                Result { () throws(ImageError) in try plan.transformed(picture.image, by: stage) }
            }
        }
        return SourceImage(
            image: image.with(picture.image.validators), source: picture.source,
            record: SourceRecord(downloadMetrics: picture.record.downloadMetrics, timings: timings))
    }
}
