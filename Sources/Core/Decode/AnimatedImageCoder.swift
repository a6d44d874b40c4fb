public import WebImageFoundation

/// A coder of a format that has animations.
public protocol AnimatedImageCoder: ImageCoder {
    /// The frames of a file, decoded one at a time as they are asked for. A still picture has one.
    ///
    /// Reads the structure only: the number of frames is known without decompressing any.
    ///
    /// - Throws: `badImageData` for damaged bytes; frames that are damaged may throw only when they are asked for.
    func frames(of data: Data, options: DecodeOptions) throws(ImageError) -> any FrameSource

    /// Whether `encode(_:to:options:)` of frames can write the format.
    func canEncodeAnimation(to format: ImageFormat) -> Bool

    /// The frames as an animated file. Frames are pulled one at a time, so that memory holds a few of them at most.
    ///
    /// - Parameter frames: All of one size.
    func encode(
        _ frames: any FrameSource, to format: ImageFormat, options: EncodeOptions
    ) throws(ImageError) -> Data
}

extension AnimatedImageCoder {
    /// No format.
    public func canEncodeAnimation(to format: ImageFormat) -> Bool { false }

    /// Always throws.
    public func encode(
        _ frames: any FrameSource, to format: ImageFormat, options: EncodeOptions
    ) throws(ImageError) -> Data {
        throw ImageError(
            .encodingFailed, .store, "\(format) animations are not written; choose gif, png or webp")
    }

    /// The frames as an animated file, with the defaults of encoding.
    public func encode(_ frames: any FrameSource, to format: ImageFormat) throws(ImageError) -> Data {
        try encode(frames, to: format, options: EncodeOptions())
    }

    /// The frames of a file, with the defaults of decoding.
    public func frames(of data: Data) throws(ImageError) -> any FrameSource {
        try frames(of: data, options: DecodeOptions())
    }
}

/// The frames of an animation. Any order, from any thread, at once: the same pixels each time.
public protocol FrameSource: Sendable {
    /// At least 1.
    var frameCount: Int { get }
    /// How often the animation is played; 0 is for ever.
    var loopCount: Int { get }
    /// How long each frame is shown, as it is to be played: a stored delay of 10 ms or less is 100 ms, as browsers
    /// have it.
    var durations: [Duration] { get }

    /// A frame, composed as it shows, upright. May take long: never call it on Swift's cooperative pool.
    ///
    /// - Parameter index: 0 to `frameCount` − 1; another is the error `badImageData`.
    func frame(at index: Int) throws(ImageError) -> DecodedImage
}

/// The delay rule of browsers.
public enum FrameDuration {
    /// How long a frame with the given stored delay is shown.
    public static func played(milliseconds: Int) -> Duration {
        .milliseconds(milliseconds <= 10 ? 100 : milliseconds)
    }
}
