/// Switches of one load. The bits are SDWebImage's.
public struct LoadOptions: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt

    /// Options by their bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Try a URL again although it failed before in a way that does not mend itself. A success forgets the failure.
    public static let retryFailed = LoadOptions(rawValue: 1 << 0)
    /// Start with low priority.
    public static let lowPriority = LoadOptions(rawValue: 1 << 1)
    /// Show partial pictures while the bytes arrive, where the format and the coder can. Not while a cached picture is
    /// shown and the server is asked about it.
    public static let progressiveLoad = LoadOptions(rawValue: 1 << 2)
    /// Ask the server whether a cached picture is still good. That picture comes first, through the progress closure as
    /// `LoadProgress.staleResult`, or as the event `stale`; then the one end: the new picture, the cached one marked
    /// `revalidated` when it is unchanged, or the error. One that the server calls `immutable` is the end by itself as
    /// long as it is fresh. Means nothing with `fromCacheOnly` and `fromLoaderOnly`.
    public static let refreshCached = LoadOptions(rawValue: 1 << 3)
    /// Keep the application running until the download ends; see `BackgroundActivity`.
    public static let continueInBackground = LoadOptions(rawValue: 1 << 4)
    /// Send and keep cookies, in the downloader's own jar. Default off: none are sent and none are kept.
    public static let handleCookies = LoadOptions(rawValue: 1 << 5)
    /// Accept a server whose certificate cannot be verified, for this load only.
    public static let allowInvalidSSLCertificates = LoadOptions(rawValue: 1 << 6)
    /// Start with high priority; wins over `lowPriority`.
    public static let highPriority = LoadOptions(rawValue: 1 << 7)
    /// For views: show the placeholder only when the picture does not come.
    public static let delayPlaceholder = LoadOptions(rawValue: 1 << 8)
    /// Let the transformer have animated pictures too, every frame of them. Without it an animation stays as it is.
    public static let transformAnimatedImage = LoadOptions(rawValue: 1 << 9)
    /// For views: leave it to the completion to show the picture.
    public static let avoidAutoSetImage = LoadOptions(rawValue: 1 << 10)
    /// Decode within a number of bytes: `LoadContext.scaleDownByteLimit`, or `DecodeOptions.defaultScaleDownByteLimit`.
    public static let scaleDownLargeImages = LoadOptions(rawValue: 1 << 11)
    /// On a memory hit bring the file's bytes from disk too, and complete when they are there.
    public static let queryMemoryData = LoadOptions(rawValue: 1 << 12)
    /// The same, but reading the disk on the calling thread before the call returns; wins over `queryMemoryData`.
    public static let queryMemoryDataSync = LoadOptions(rawValue: 1 << 13)
    /// On a memory miss read the disk and decode on the calling thread, so that a picture on disk is delivered before
    /// the call returns. For the few pictures of a first screen: it makes the thread wait.
    public static let queryDiskDataSync = LoadOptions(rawValue: 1 << 14)
    /// Never call the loader: a picture that no cache has is the error `notInCache`.
    public static let fromCacheOnly = LoadOptions(rawValue: 1 << 15)
    /// Never ask a cache, memory included; wins over the flags that say how to ask one. The result is still stored.
    /// With `fromCacheOnly` nobody may be asked: the error `notInCache`.
    public static let fromLoaderOnly = LoadOptions(rawValue: 1 << 16)
    /// For views: go over to the picture with the view's transition though it was in memory.
    public static let forceTransition = LoadOptions(rawValue: 1 << 17)
    /// Leave the picture undecoded until its pixels are asked for, as `ForceDecodePolicy.never` does. The policy
    /// `always` wins over it.
    public static let avoidDecodeImage = LoadOptions(rawValue: 1 << 18)
    /// Take an animation for a still picture of its first frame; wins over the two flags below. Part of the cache key.
    public static let decodeFirstFrameOnly = LoadOptions(rawValue: 1 << 19)
    /// Decode all frames of `LoadContext.animatedImageClass` before completing.
    public static let preloadAllFrames = LoadOptions(rawValue: 1 << 20)
    /// Take only pictures that carry an animation of `LoadContext.animatedImageClass`: others in a cache count as
    /// missing, others from a loader are the error `badImageData`. Means nothing with `decodeFirstFrameOnly`.
    public static let matchAnimatedImageClass = LoadOptions(rawValue: 1 << 21)
    /// Finish only after the caches have written the picture.
    public static let waitStoreCache = LoadOptions(rawValue: 1 << 22)

    /// Let the transformer have pictures of shapes too, drawn at their size. Without it they stay as they are.
    public static let transformVectorImage = LoadOptions(rawValue: 1 << 23)
    /// For views: let the loads go on that are under way for the same slot. The picture of the latest still wins.
    public static let avoidAutoCancelImage = LoadOptions(rawValue: 1 << 24)
    /// For views: complete at the end of the transition.
    public static let waitTransition = LoadOptions(rawValue: 1 << 25)

    /// The priority that the flags ask for.
    public var priority: LoadPriority {
        contains(.highPriority) ? .high : contains(.lowPriority) ? .low : .normal
    }
}
