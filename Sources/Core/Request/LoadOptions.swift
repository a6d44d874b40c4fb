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
    /// Accept a server whose certificate cannot be verified, for this load only.
    public static let allowInvalidSSLCertificates = LoadOptions(rawValue: 1 << 6)
    /// Start with high priority; wins over `lowPriority`.
    public static let highPriority = LoadOptions(rawValue: 1 << 7)
    /// Never call the loader: a picture that no cache has is the error `notInCache`.
    public static let fromCacheOnly = LoadOptions(rawValue: 1 << 15)
    /// Never ask a cache. The result is still stored.
    public static let fromLoaderOnly = LoadOptions(rawValue: 1 << 16)
    /// Finish only after the caches have written the picture.
    public static let waitStoreCache = LoadOptions(rawValue: 1 << 22)

    /// The priority that the flags ask for.
    public var priority: LoadPriority {
        contains(.highPriority) ? .high : contains(.lowPriority) ? .low : .normal
    }
}
