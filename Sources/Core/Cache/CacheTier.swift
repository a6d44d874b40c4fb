/// One of the caches of a `CachesManager`, and how patient one is with it.
public struct CacheTier: Sendable {
    /// The cache.
    public var cache: any ImageCaching
    /// How long a question to it may take; what comes later counts as a miss. Default `nil`: as long as it takes.
    ///
    /// A tier with a time-out is taken for slow: a store to it is begun and never waited for, and its files are not
    /// read on a caller's thread. Removing and emptying are waited for until then.
    public var timeout: Duration?
    /// Whether bytes that only this cache had are put in those that the store policy names and that have no time-out,
    /// so that they are near the next time. Default `false`.
    public var copiesHits: Bool

    /// A cache that answers as soon as it can, and is waited for.
    public init(_ cache: any ImageCaching, timeout: Duration? = nil, copiesHits: Bool = false) {
        self.cache = cache
        self.timeout = timeout
        self.copiesHits = copiesHits
    }

    /// A cache that is far away, as behind a network: given up after the time-out, and what it has is copied nearer.
    public static func remote(_ cache: any ImageCaching, timeout: Duration) -> CacheTier {
        CacheTier(cache, timeout: timeout, copiesHits: true)
    }
}
