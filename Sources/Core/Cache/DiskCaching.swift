public import WebImageFoundation

/// Bytes by key in files; conform to give `ImageCache` a disk layer of one's own.
///
/// Every method may be called on any thread, at once, and may wait for files. `ImageCache` calls those that change an
/// entry alone for each key, and those that read together. `DiskCache` is the one that
/// `ImageCacheConfiguration.makeDiskCache` makes unless it is changed.
public protocol DiskCaching: AnyObject, Sendable {
    /// The folder that it was made for.
    var folder: String { get }
    /// The limits that the next sweep keeps.
    var configuration: ImageCacheConfiguration { get set }

    /// The entry of a key; `nil` when there is none. Counts as a use.
    func data(for key: CacheKey) throws(ImageError) -> CachedData?
    /// What is kept beside the bytes of a key; `nil` when there is no entry.
    func metadata(for key: CacheKey) throws(ImageError) -> DiskMetadata?
    /// Whether there is an entry of a key.
    func contains(_ key: CacheKey) -> Bool
    /// Stores bytes under a key in place of those there, whole or not at all.
    func store(_ data: Data, for key: CacheKey, metadata: DiskMetadata) throws(ImageError)
    /// Replaces what is kept beside the bytes of a key; does nothing when there is no entry.
    func setMetadata(_ metadata: DiskMetadata, for key: CacheKey) throws(ImageError)
    /// Removes the entry of a key; one that is not there is no error.
    func remove(_ key: CacheKey) throws(ImageError)
    /// Removes all entries.
    func removeAll() throws(ImageError)
    /// Removes the entries that the configuration's limits say.
    func removeExpired()

    /// How many entries there are.
    var totalCount: Int { get }
    /// How many bytes all entries have together.
    var totalSize: Int { get }
    /// Where the bytes of a key are or would be.
    func path(for key: CacheKey) -> String
}
