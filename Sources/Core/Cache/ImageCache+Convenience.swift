public import WebImageFoundation

/// Calls that wait for files, and short forms of others.
///
/// The waiting ones see all that was asked of this cache before about their key. In one of its completions they look
/// at once and see only what is already done about other keys.
extension ImageCache {
    /// The bytes on disk, read before this returns; `nil` where there are none.
    public func diskData(for key: CacheKey) -> CachedData? {
        let address = DiskAddress(key)
        return queues.sync(address) { try? disk.data(at: address) }
    }

    /// Whether there are bytes on disk, looked at before this returns.
    public func diskDataExists(for key: CacheKey) -> Bool {
        let address = DiskAddress(key)
        return queues.sync(address) { disk.contains(address) }
    }

    /// Writes bytes to disk before this returns.
    public func storeDataToDisk(
        _ data: Data, for key: CacheKey, metadata: DiskMetadata = DiskMetadata()
    ) throws(ImageError) {
        let address = DiskAddress(key)
        try queues.sync(address) { () throws(ImageError) in try disk.store(data, at: address, metadata: metadata) }
    }

    /// Replaces what is kept beside the bytes on disk; the completion gets the error, or `nil` also when there is no
    /// entry.
    public func setMetadata(
        _ metadata: DiskMetadata, for key: CacheKey, completion: @escaping @Sendable (ImageError?) -> Void
    ) {
        let address = DiskAddress(key)
        queues.async(address) { [disk] in
            do throws(ImageError) {
                try disk.setMetadata(metadata, at: address)
                completion(nil)
            } catch {
                completion(error)
            }
        }
    }

    /// Where the bytes of a key are or would be.
    public func cachePath(for key: CacheKey) -> String { disk.path(for: key) }

    /// What the pictures held in memory cost together, in bytes.
    public var memoryCost: Int { memory.totalCost }

    /// Forgets all pictures in memory, at once.
    public func clearMemory() { memory.removeAll() }

    /// Removes all entries on disk.
    public func clearDisk(completion: @escaping @Sendable () -> Void) {
        clear(.disk, completion: completion)
    }

    /// How many bytes all entries on disk have together, counted before this returns.
    public var totalDiskSize: Int { disk.totalSize }

    /// How many entries there are on disk, counted before this returns.
    public var totalDiskCount: Int { disk.totalCount }

    /// Counts the entries on disk and their bytes, after all that was asked of this cache before.
    public func calculateSize(completion: @escaping @Sendable (_ count: Int, _ byteCount: Int) -> Void) {
        queues.asyncAfterAll { [disk] in completion(disk.totalCount, disk.totalSize) }
    }

    /// Removes the entries that are too old or too many, after all that was asked of this cache before.
    public func removeExpired(completion: @escaping @Sendable () -> Void) {
        queues.asyncAfterAll { [disk] in
            disk.removeExpired()
            completion()
        }
    }

    /// Removes the entries that are too old or too many, and returns when they are gone.
    public func removeExpired() async {
        await withCheckedContinuation { continuation in
            removeExpired { continuation.resume() }
        }
    }
}
