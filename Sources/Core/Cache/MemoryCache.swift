import Synchronization

/// Pictures ready to be shown, in memory; the least recently used goes first when a limit is crossed.
///
/// A picture that was evicted but is still in use somewhere, as on a screen, is found again. All methods may be called
/// on any thread, never wait for anything but each other, and take about the same time however many pictures there
/// are.
public final class MemoryCache: Sendable {
    private let entries: Mutex<MemoryEntries>

    /// An empty cache with the memory part of a configuration.
    public init(configuration: ImageCacheConfiguration = ImageCacheConfiguration()) {
        entries = Mutex(
            MemoryEntries(
                costLimit: configuration.maxMemoryCost, countLimit: configuration.maxMemoryCount,
                findsEvicted: configuration.usesWeakMemoryCache))
    }

    /// The picture under a key, which becomes the most recently used.
    public func image(for key: CacheKey) -> DecodedImage? {
        // The dropped ones go when this returns, after unlocking; so everywhere below.
        let found = entries.withLock { $0.find(key) }
        return found.image
    }

    /// Whether there is a picture under a key. Does not count as a use.
    public func contains(_ key: CacheKey) -> Bool {
        let image = entries.withLock { $0.peek(key) }
        return image != nil
    }

    /// Puts a picture under a key in place of the one there.
    ///
    /// One that costs more than the whole limit is only found while it is in use elsewhere. `cost` is in bytes, by
    /// default `DecodedImage.memoryCost`.
    public func store(_ image: DecodedImage, for key: CacheKey, cost: Int? = nil) {
        let cost = cost ?? image.memoryCost
        _ = entries.withLock { $0.insert(image, key, cost: cost) }
    }

    /// Forgets a picture, even if it is in use elsewhere.
    public func remove(_ key: CacheKey) {
        _ = entries.withLock { $0.remove(key) }
    }

    /// Forgets the pictures under a key and under all that were made of it, except those made of a file with the digest
    /// given. Takes time for each picture there is.
    public func removeVariants(of key: CacheKey, exceptMadeOf bodyDigest: String?) {
        _ = entries.withLock { $0.removeVariants(of: key, exceptMadeOf: bodyDigest) }
    }

    /// Forgets all pictures, even those in use elsewhere.
    public func removeAll() {
        _ = entries.withLock { $0.removeAll() }
    }

    /// Lets go of all pictures, for the system is short of memory; those in use elsewhere are still found.
    public func dropStrongLayer() {
        _ = entries.withLock { $0.evictAll() }
    }

    /// What the held pictures cost together, in bytes.
    public var totalCost: Int { entries.withLock { $0.cost } }

    /// How many pictures are held.
    public var count: Int { entries.withLock { $0.count } }

    /// What the held pictures may cost together, in bytes; 0 is no limit. A lower one holds at once.
    public var costLimit: Int {
        get { entries.withLock { $0.costLimit } }
        set { _ = entries.withLock { Self.change(&$0) { $0.costLimit = newValue } } }
    }

    /// How many pictures may be held; 0 is no limit. A lower one holds at once.
    public var countLimit: Int {
        get { entries.withLock { $0.countLimit } }
        set { _ = entries.withLock { Self.change(&$0) { $0.countLimit = newValue } } }
    }

    private static func change(
        _ entries: inout MemoryEntries, _ change: (inout MemoryEntries) -> Void
    ) -> [DecodedImage] {
        change(&entries)
        return entries.trim()
    }
}
