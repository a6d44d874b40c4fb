/// The frames of an animation, each of which a transformer makes of a composed one when it is asked for.
public struct TransformedFrames: FrameSource {
    private let frames: any FrameSource
    private let transformer: any ImageTransformer

    /// The frames of `frames` after `transformer`; count, delays and loops are theirs. Holds no frame.
    ///
    /// Each frame is composed before: nothing of the one before shines through what is transformed.
    public init(_ frames: any FrameSource, by transformer: any ImageTransformer) {
        self.frames = frames
        self.transformer = transformer
    }

    /// As many as there were.
    public var frameCount: Int { frames.frameCount }
    /// As often as before.
    public var loopCount: Int { frames.loopCount }
    /// As long as before.
    public var durations: [Duration] { frames.durations }

    /// The frame, transformed anew at each call; throws what decoding it throws, and `transformFailed`.
    public func frame(at index: Int) throws(ImageError) -> DecodedImage {
        try transformer.apply(to: try frames.frame(at: index)).asFrame(of: frames)
    }
}

extension DecodedImage {
    /// This picture as one of the frames of an animation.
    func asFrame(of frames: any FrameSource) -> DecodedImage {
        var attributes = attributes
        attributes.frameCount = frames.frameCount
        attributes.loopCount = frames.loopCount
        return with(attributes)
    }
}
