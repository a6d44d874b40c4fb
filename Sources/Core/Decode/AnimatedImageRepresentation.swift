public import WebImageFoundation

/// The playable form of a file, which a load makes when `LoadContext.animatedImageClass` names it and hands over as
/// `DecodedImage.animation`. A still picture has one frame; a file of shapes has no such form.
public protocol AnimatedImageRepresentation: AnyObject, FrameSource {
    /// The playable form of frames, which it decodes as they are asked for.
    ///
    /// - Parameter data: The file that the frames are in; `nil` for those that a transformer made.
    init(frames: any FrameSource, data: Data?)

    /// Decodes all frames and keeps them, for `LoadOptions.preloadAllFrames`. May take long and much memory; never
    /// called on Swift's cooperative pool, nor where all frames together are over
    /// `DecodeLimits.maxTotalFrameByteCount`.
    ///
    /// - Throws: `badImageData` for a damaged frame.
    func preloadAllFrames() throws(ImageError)

    /// What the memory cache charges for it, in bytes, beside the first frame.
    var memoryCost: Int { get }
}
