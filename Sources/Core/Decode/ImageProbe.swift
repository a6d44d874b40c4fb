public import WebImagePixels

/// What a file's header tells about its picture, without decoding it.
public struct ImageProbe: Sendable, Hashable {
    /// By signature.
    public var format: ImageFormat
    /// Upright, in pixels.
    public var size: PixelSize
    /// How the stored pixels are turned to stand upright.
    public var orientation: Orientation
    /// Whether the file declares transparency.
    public var hasAlpha: Bool
    /// 1 for a still picture.
    public var frameCount: Int
    /// How many pictures of their own the file holds, such as the pages of a TIFF or a burst in HEIC;
    /// `DecodeOptions.frameIndex` chooses one. 1 for other files, animations included: frames are no pages.
    public var pageCount = 1
    /// How often an animation is played, as the file says it; 0 is for ever, `nil` where it says nothing.
    public var loopCount: Int?
    /// How long each frame of an animation shows, in milliseconds as stored; empty for a still picture.
    public var durations: [Int]
    /// The description inside the embedded colour profile; `nil` without a readable one.
    public var profileName: String?
    /// Whether all bytes that could change this were there. `false` only from `CodersManager.probe(prefix:…)`: bytes
    /// to come may hold more frames, transparency, or an orientation behind the pixels.
    public var isFinal = true

    /// What a coder found in a header.
    public init(
        format: ImageFormat, size: PixelSize, orientation: Orientation = .up, hasAlpha: Bool = false,
        frameCount: Int = 1, loopCount: Int? = nil, durations: [Int] = [], profileName: String? = nil
    ) {
        self.format = format
        self.size = size
        self.orientation = orientation
        self.hasAlpha = hasAlpha
        self.frameCount = frameCount
        self.loopCount = loopCount
        self.durations = durations
        self.profileName = profileName
    }
}
