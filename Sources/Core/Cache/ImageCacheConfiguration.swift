/// How much a cache keeps, and for how long.
public struct ImageCacheConfiguration: Sendable, Hashable {
    /// How old an entry on disk may get, counted from `expiry`; the next sweep removes older ones.
    ///
    /// Default 7 days. Negative: for ever. Zero: every entry goes at the next sweep.
    public var maxDiskAge: Duration
    /// How many bytes the bodies of all entries on disk may have together.
    ///
    /// A sweep that finds more removes the oldest until at most half of it is left. Default 512 MiB; 0 is no limit.
    public var maxDiskSize: Int
    /// What the pictures held in memory may cost together, in bytes.
    ///
    /// Default a fifth of what the process may use, at most 512 MiB; 0 is no limit.
    public var maxMemoryCost: Int
    /// How many pictures may be held in memory. Default 0: no limit.
    public var maxMemoryCount: Int
    /// Which date the age of an entry on disk is counted from. Default the last read.
    public var expiry: Expiry
    /// Whether a picture that memory let go is found again while it is in use elsewhere. Default `true`.
    ///
    /// Read when the cache is made; a later change has no effect.
    public var usesWeakMemoryCache: Bool
    /// The time from the end of one sweep to the beginning of the next. Default 30 minutes.
    public var sweepInterval: Duration
    /// The time from the making of the cache to the first sweep, so that a start is not slowed. Default 30 seconds.
    public var firstSweepDelay: Duration

    /// The date that an entry's age is counted from.
    public enum Expiry: Sendable, Hashable {
        /// When it was last read or stored.
        case accessDate
        /// When it was last stored.
        case modificationDate
    }

    /// All defaults.
    public init() {
        maxDiskAge = .seconds(7 * 24 * 60 * 60)
        maxDiskSize = 512 << 20
        maxMemoryCost = Self.defaultMemoryCost
        maxMemoryCount = 0
        expiry = .accessDate
        usesWeakMemoryCache = true
        sweepInterval = .seconds(30 * 60)
        firstSweepDelay = .seconds(30)
    }

    private static let defaultMemoryCost = min(MemoryLimit().byteCount / 5, 512 << 20)
}
