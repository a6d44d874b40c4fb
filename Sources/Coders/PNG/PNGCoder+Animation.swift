public import WebImageCore
public import WebImageFoundation

extension PNGCoder: AnimatedImageCoder {
    /// Reads the chunks only. A damaged frame, and one that builds on it, throws when it is asked for.
    ///
    /// - Throws: `limitExceeded` for too many frames or a canvas that is too large, `badImageData` for a header that
    ///   cannot be read.
    public func frames(of data: Data, options: DecodeOptions) throws(ImageError) -> any FrameSource {
        var options = options
        options.frameIndex = 0
        let file = try PNGFile(data, within: options.limits)
        let decoding = try file.decoding(options, DecodeMonitor(limits: options.limits))
        return PNGCompositor(file, file.animation ?? .still(of: file), decoding, limits: options.limits)
    }

    /// Whether the format is PNG.
    public func canEncodeAnimation(to format: ImageFormat) -> Bool {
        format == .png
    }

    /// An APNG: lossless, each frame cut to what changed. A single frame makes a still PNG.
    public func encode(
        _ frames: any FrameSource, to format: ImageFormat, options: EncodeOptions
    ) throws(ImageError) -> Data {
        let first = try frames.frame(at: 0)
        guard frames.frameCount > 1, !options.firstFrameOnly else {
            return try encode(first, to: format, options: options)
        }
        let search = EncodeSearch(first.pixelSize, to: .png, options: options)
        return try search.data(hasQuality: false) { attempt throws(ImageError) in
            let animation = PNGFrames(source: frames, first: first, size: attempt.size)
            return try PNGAnimationWriter.data(of: animation, options: options)
        }
    }
}

extension PNGCoder: MetadataImageCoder {
    /// EXIF of `eXIf`, XMP of `iTXt`, the profile of `iCCP`.
    public func metadata(of data: Data, limits: DecodeLimits) throws(ImageError) -> ImageMetadata {
        try PNGFile(data).metadata(limits: limits)
    }
}

extension PNGAnimation {
    /// A still picture as an animation of one frame.
    static func still(of file: PNGFile) -> PNGAnimation {
        let frame = PNGFrame(
            placement: FramePlacement(x: 0, y: 0, size: file.header.size, disposal: .keep), blending: .source,
            delay: PNGDelay(.zero), pixels: .ofDefaultPicture)
        return PNGAnimation(loopCount: 1, frames: [frame])
    }
}
