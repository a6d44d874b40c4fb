import Synchronization

/// Pictures ready to be shown, in memory, within limits.
///
/// When a limit is crossed, what was not used lately goes first, and of what is used alike what came last: looking
/// through a thousand pictures once does not push out those that are used every day. A picture just stored is always
/// found, unless it alone is over a limit. A picture that was evicted but is still in use somewhere, as on a screen, is
/// found again.
///
/// All methods may be called on any thread. Look-ups that hit hardly wait for one another; changes wait for each other
/// and take about the same time however many pictures there are.
public final class MemoryCache: Sendable {
    private let index = MemoryIndex()
    private let entries: Mutex<MemoryEntries>

    /// An empty cache with the memory part of a configuration.
    public init(configuration: ImageCacheConfiguration = ImageCacheConfiguration()) {
        entries = Mutex(
            MemoryEntries(
                index: index, limits: MemoryLimits(configuration), findsEvicted: configuration.usesWeakMemoryCache))
    }

    /// The picture under a key. Counts as a use.
    public func image(for key: CacheKey) -> DecodedImage? {
        // The dropped ones go when this returns, after unlocking; so everywhere below.
        switch index.find(key) {
        case .held(let image): return image
        case .alive(let image):
            _ = entries.withLock { $0.revive(image, key) }
            return image
        case .dead:
            _ = entries.withLock { $0.forgetDead(key) }
            return nil
        case .missing: return nil
        }
    }

    /// Whether there is a picture under a key. Does not count as a use.
    public func contains(_ key: CacheKey) -> Bool {
        switch index.find(key, isUse: false) {
        case .held, .alive: true
        case .dead, .missing: false
        }
    }

    /// Puts a picture under a key in place of the one there.
    ///
    /// One that costs more than `costLimit` or `imageCostLimit` is only found while it is in use elsewhere. `cost` is
    /// in bytes, by default `DecodedImage.memoryCost`.
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
        keep(share: 0)
    }

    /// Lets go of the least used pictures until at most this share of their cost and number is left, 0…1; those in use
    /// elsewhere are still found.
    public func keep(share: Double) {
        let share = share > 0 ? min(share, 1) : 0
        _ = entries.withLock { $0.keep(share: share) }
    }

    /// What the held pictures cost together, in bytes.
    public var totalCost: Int { entries.withLock { $0.cost } }

    /// How many pictures are held.
    public var count: Int { entries.withLock { $0.count } }

    /// What the held pictures may cost together, in bytes; 0 is no limit. A lower one holds at once.
    public var costLimit: Int {
        get { entries.withLock { $0.limits.cost } }
        set { change { $0.cost = newValue } }
    }

    /// How many pictures may be held; 0 is no limit. A lower one holds at once.
    public var countLimit: Int {
        get { entries.withLock { $0.limits.count } }
        set { change { $0.count = newValue } }
    }

    /// What a single picture may cost to be held, in bytes; 0 is no other limit than `costLimit`. A lower one holds for
    /// pictures stored from then on.
    public var imageCostLimit: Int {
        get { entries.withLock { $0.limits.imageCost } }
        set { change { $0.imageCost = newValue } }
    }

    private func change(_ change: (inout MemoryLimits) -> Void) {
        _ = entries.withLock { entries in
            change(&entries.limits)
            return entries.trim()
        }
    }
}

extension MemoryCache: MemoryCaching {
    /// Takes over `maxMemoryCost`, `maxMemoryCount` and `maxMemoryCostPerImage`.
    public func apply(_ configuration: ImageCacheConfiguration) {
        change { $0 = MemoryLimits(configuration) }
    }

    /// Lets go of the less used half, or of all when the level is critical; what is in use elsewhere is still found.
    public func relieve(_ level: MemoryPressureLevel) {
        switch level {
        case .low: keep(share: 0.5)
        case .critical: dropStrongLayer()
        }
    }
}

extension MemoryLimits {
    fileprivate init(_ configuration: ImageCacheConfiguration) {
        self.init(
            cost: configuration.maxMemoryCost, count: configuration.maxMemoryCount,
            imageCost: configuration.maxMemoryCostPerImage)
    }
}
