import WebImageFoundation

/// What a request says of the picture that it wants.
extension ImageRequest {
    /// What is done to the picture, in order.
    var stages: [any ImageTransformer] { context.transformer?.stages ?? [] }

    /// Whether the pixels wait until they are asked for.
    var usesLazyDecoding: Bool {
        switch context.forceDecodePolicy {
        case .automatic: options.contains(.avoidDecodeImage)
        case .never: true
        case .always: false
        }
    }

    /// Whether an animation is taken for a still picture.
    private var takesFirstFrame: Bool {
        options.contains(.decodeFirstFrameOnly) || context.decodeOptions.firstFrameOnly
    }

    /// What is to play an animation; nothing where only its first frame is wanted.
    var animatedImageClass: (any AnimatedImageRepresentation.Type)? {
        takesFirstFrame ? nil : context.animatedImageClass
    }

    /// What the cache key says of the decode.
    var decodeFragments: [String] {
        options.isDisjoint(with: Self.pixelOptions)
            ? context.decodeOptions.cacheKeyFragments : pixelOptions.cacheKeyFragments
    }

    /// What the cache key would say if an animation were wanted as a whole; `nil` where it is.
    var fragmentsOfWholeAnimation: [String]? {
        guard takesFirstFrame else { return nil }
        var whole = pixelOptions
        whole.firstFrameOnly = false
        return whole.cacheKeyFragments
    }

    /// The flags that change pixels.
    private static let pixelOptions: LoadOptions = [.scaleDownLargeImages, .decodeFirstFrameOnly]

    /// The context's options with what the flags say of the pixels.
    private var pixelOptions: DecodeOptions {
        var pixels = context.decodeOptions
        if options.contains(.scaleDownLargeImages) {
            pixels.scaleDownByteLimit = pixels.scaleDownByteLimit ?? DecodeOptions.defaultScaleDownByteLimit
        }
        if options.contains(.decodeFirstFrameOnly) { pixels.firstFrameOnly = true }
        return pixels
    }

    /// What the context says of decoding, in its base and one by one, and what the flags add.
    ///
    /// - Parameters:
    ///   - url: Whose ending tells the format.
    ///   - key: Whose name tells the scale.
    func decodeOptions(of url: URL?, _ key: CacheKey) -> DecodeOptions {
        var options = pixelOptions
        if options.scaleFactor == 1 { options.scaleFactor = ScaleFactor.of(key: key.base) }
        options.scaleFactor = context.scaleFactor ?? options.scaleFactor
        options.typeHint = url.flatMap { context.typeHint.format(of: $0) } ?? options.typeHint
        options.usesLazyDecoding = usesLazyDecoding
        return options
    }

    /// A picture in memory at the scale that the context asks for, of which the key says nothing.
    func atScale(_ image: DecodedImage) -> DecodedImage {
        guard let scale = context.scaleFactor, scale != image.attributes.scale else { return image }
        var attributes = image.attributes
        attributes.scale = scale
        return image.with(attributes)
    }

    /// Whether a picture in memory is all that the load wants: nobody is asked about it, nor for its bytes.
    var isContentWithMemory: Bool {
        options.isDisjoint(with: [.refreshCached, .queryMemoryData, .queryMemoryDataSync])
            && context.cachePolicy != .http
    }

    /// Whether a picture in memory is of the form that the load wants.
    func accepts(_ image: DecodedImage) -> Bool {
        (image.isDecoded || usesLazyDecoding) && hasAnimatedImageClass(image)
    }

    /// Whether a picture carries the animation that `matchAnimatedImageClass` insists on.
    func hasAnimatedImageClass(_ image: DecodedImage) -> Bool {
        guard options.contains(.matchAnimatedImageClass), let wanted = animatedImageClass else { return true }
        return image.animation.map { type(of: $0) == wanted } ?? false
    }

    /// Whether a picture stays as it is, though the load has a transformer.
    func leavesUntransformed(_ image: DecodedImage) -> Bool {
        (image.isAnimated && !options.contains(.transformAnimatedImage))
            || (image.attributes.isVector && !options.contains(.transformVectorImage))
    }
}

extension TypeHint {
    fileprivate func format(of url: URL) -> ImageFormat? {
        switch self {
        case .fromURL: ImageFormat(pathOf: url)
        case .none: nil
        case .format(let format): format
        }
    }
}
