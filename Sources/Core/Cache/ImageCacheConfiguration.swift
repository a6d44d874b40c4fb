/// How much a cache keeps, for how long, and of what it is made.
///
/// The limits may be changed while the cache is in use; what is read only when it is made says so.
public struct ImageCacheConfiguration: Sendable {
    /// Whether pictures are kept in memory at all. Default `true`.
    ///
    /// While it is `false`, `ImageCache.storeInMemory` and all that stores through it keep nothing there.
    public var cachesImagesInMemory: Bool
    /// What the pictures held in memory may cost together, in bytes.
    ///
    /// Default a fifth of what the process may use, at most 512 MiB; 0 is no limit.
    public var maxMemoryCost: Int
    /// How many pictures may be held in memory. Default 0: no limit.
    public var maxMemoryCount: Int
    /// What a single picture may cost to be held in memory, in bytes. Default 0: no other limit than `maxMemoryCost`.
    ///
    /// Lower it where one huge picture must not take the place of many; a larger one is found while it is in use.
    public var maxMemoryCostPerImage: Int
    /// Whether a picture that memory let go is found again while it is in use elsewhere. Default `true`.
    ///
    /// Read when the cache is made; a later change has no effect.
    public var usesWeakMemoryCache: Bool

    /// Tells when the system is short of memory. Default what the system itself says; `nil`: memory is kept whatever
    /// comes.
    ///
    /// At `low` the less used half of the pictures in memory is let go, at `critical` all, and both times the memory
    /// that `PixelMemoryPool` keeps. Pictures in use elsewhere are still found. Read when the cache is made.
    public var memoryPressureSource: (any MemoryPressureSource)?

    /// How old an entry on disk may get, counted from `expiry`; the next sweep removes older ones.
    ///
    /// Default 7 days. Negative: for ever. Zero: every entry goes at the next sweep.
    public var maxDiskAge: Duration
    /// How many bytes the bodies of all entries on disk may have together.
    ///
    /// A sweep that finds more removes the oldest until at most half of it is left. Default 512 MiB; 0 is no limit.
    public var maxDiskSize: Int
    /// Which date the age of an entry on disk is counted from, and by which the oldest are told. Default the last read.
    public var expiry: Expiry
    /// Whether the bytes of an entry are compared with their digest at every read. Default `false`.
    ///
    /// An entry that differs is removed and is a miss. Costs about a millisecond for each megabyte; without it an entry
    /// whose length is right is taken as whole.
    public var verifiesDigestOnRead: Bool
    /// The time from the end of one sweep to the beginning of the next. Default 30 minutes; at least a second.
    public var sweepInterval: Duration
    /// The time from the making of the cache to the first sweep, so that a start is not slowed. Default 30 seconds.
    ///
    /// Read when the cache is made.
    public var firstSweepDelay: Duration

    /// Told when the disk cannot be read or written, once for each cause until it has worked again. Default `nil`.
    ///
    /// Loads go on without the disk. Called on whatever thread met the fault, without a lock; must be short.
    public var onWarning: (@Sendable (ImageError) -> Void)?
    /// Makes the memory layer. Default a `MemoryCache`. Read when the cache is made.
    public var makeMemoryCache: @Sendable (ImageCacheConfiguration) -> any MemoryCaching
    /// Makes the disk layer for a folder, with the clock that dates its entries. Default a `DiskCache`. Read when the
    /// cache is made.
    public var makeDiskCache: @Sendable (_ folder: String, ImageCacheConfiguration, any WallClock) -> any DiskCaching

    /// The date that an entry's age is counted from.
    public enum Expiry: Sendable, Hashable, CaseIterable {
        /// When it was last read or stored. Kept by the cache itself, whatever `relatime` or `noatime` say.
        case accessDate
        /// When it was last stored, or its metadata last replaced.
        case modificationDate
        /// When it was last stored; the day of the last change where the file system does not note it. By the system's
        /// clock.
        case creationDate
        /// When anything about its file last changed, a noted read included. By the system's clock.
        case changeDate
    }

    /// All defaults.
    public init() {
        cachesImagesInMemory = true
        maxMemoryCost = Self.defaultMemoryCost
        maxMemoryCount = 0
        maxMemoryCostPerImage = 0
        usesWeakMemoryCache = true
        memoryPressureSource = .system
        maxDiskAge = .seconds(7 * 24 * 60 * 60)
        maxDiskSize = 512 << 20
        expiry = .accessDate
        verifiesDigestOnRead = false
        sweepInterval = .seconds(30 * 60)
        firstSweepDelay = .seconds(30)
        makeMemoryCache = { MemoryCache(configuration: $0) }
        makeDiskCache = { DiskCache(folder: $0, configuration: $1, wallClock: $2) }
    }

    private static let defaultMemoryCost = min(MemoryLimit().byteCount / 5, 512 << 20)
}
