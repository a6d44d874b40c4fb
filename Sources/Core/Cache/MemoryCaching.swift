/// Pictures by key in memory; conform to give `ImageCache` a memory layer of one's own.
///
/// Every method may be called on any thread, at once, and never waits for a file. `MemoryCache` is the one that
/// `ImageCacheConfiguration.makeMemoryCache` makes unless it is changed.
public protocol MemoryCaching: AnyObject, Sendable {
    /// The picture under a key. Counts as a use.
    func image(for key: CacheKey) -> DecodedImage?
    /// Whether there is a picture under a key. Does not count as a use.
    func contains(_ key: CacheKey) -> Bool
    /// Puts a picture under a key in place of the one there; `cost` is in bytes, `nil` is the picture's own.
    func store(_ image: DecodedImage, for key: CacheKey, cost: Int?)
    /// Forgets a picture.
    func remove(_ key: CacheKey)
    /// Forgets the pictures under a key and under all that were made of it, except those made of a file with the digest
    /// given.
    func removeVariants(of key: CacheKey, exceptMadeOf bodyDigest: String?)
    /// Forgets all pictures.
    func removeAll()
    /// What the held pictures cost together, in bytes.
    var totalCost: Int { get }
    /// How many pictures are held.
    var count: Int { get }
    /// Takes over the limits of a configuration that has changed, at once.
    func apply(_ configuration: ImageCacheConfiguration)
    /// Lets go of pictures, for the system is short of memory. What is in use elsewhere may still be found.
    func relieve(_ level: MemoryPressureLevel)
}

extension MemoryCaching {
    /// Forgets all pictures, for a memory layer that cannot tell which those are.
    public func removeVariants(of key: CacheKey, exceptMadeOf bodyDigest: String?) {
        removeAll()
    }

    /// Forgets all pictures when the level is critical, and none before.
    public func relieve(_ level: MemoryPressureLevel) {
        if level == .critical { removeAll() }
    }
}
