import WebImageFoundation

extension LoadPlan {
    /// Decodes a file as the load wants it. May take long.
    func picture(
        of data: Data, _ options: DecodeOptions, _ monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        var image = try coder.decode(data, options: options, monitor: monitor)
        if !options.usesLazyDecoding { image = try image.decoded() }
        if request.animatedImageClass != nil, !image.attributes.isVector, let frames = try frames(of: data, options) {
            image = try animated(image, frames, data: data)
        }
        return image
    }

    /// What a stage of the transformer makes of a picture. May take long.
    func transformed(
        _ image: DecodedImage, by stage: any ImageTransformer
    ) throws(ImageError) -> DecodedImage {
        let result = try stage.apply(to: image)
        guard image.isAnimated else { return result }
        // The other frames are transformed when someone wants to see or to store them.
        var attributes = result.attributes
        attributes.frameCount = image.attributes.frameCount
        attributes.loopCount = image.attributes.loopCount
        return result.with(attributes)
    }

    /// The news with the partial picture transformed as the result will be; without it where that fails. May take long.
    func shown(_ progress: LoadProgress) -> LoadProgress {
        guard isTransformed, let partial = progress.partialImage, !request.leavesUntransformed(partial) else {
            return progress
        }
        var progress = progress
        let stages = transformer.stages
        progress.partialImage = try? stages.reduce(partial) { try $1.apply(to: $0) }.incremental
        return progress
    }

    /// The frames of the result, decoded and transformed as they are asked for; `nil` where the coder knows none.
    func resultFrames(of data: Data, isUntransformed: Bool) throws(ImageError) -> (any FrameSource)? {
        guard let frames = try frames(of: data, decodeOptions) else { return nil }
        return isTransformed && !isUntransformed ? TransformedFrames(frames, by: transformer) : frames
    }

    /// The picture with frames in the form that the load wants to play.
    func animated(
        _ image: DecodedImage, _ frames: any FrameSource, data: Data?
    ) throws(ImageError) -> DecodedImage {
        guard let animatedImageClass = request.animatedImageClass else { return image }
        let animation = animatedImageClass.init(frames: frames, data: data)
        if options.contains(.preloadAllFrames) {
            try decodeOptions.limits.check(keeping: frames.frameCount, of: image.pixelSize)
            try animation.preloadAllFrames()
        }
        return image.with(animation)
    }

    private func frames(
        of data: Data, _ options: DecodeOptions
    ) throws(ImageError) -> (any FrameSource)? {
        guard let coder = coder as? any AnimatedImageCoder else { return nil }
        return try coder.frames(of: data, options: options)
    }
}
