public import WebImageFoundation

/// Calls that wait for files, and short forms of others.
///
/// The waiting ones see all that was asked of this cache before about their key. In one of its completions they write
/// at once, whatever is still to be done.
extension ImageCache {
    /// The bytes on disk, read before this returns; `nil` where there are none.
    public func diskData(for key: CacheKey) -> CachedData? { readNow(key) }

    /// Whether there are bytes on disk, looked at before this returns.
    public func diskDataExists(for key: CacheKey) -> Bool { lookNow(key) }

    /// Writes bytes to disk before this returns.
    public func storeDataToDisk(
        _ data: Data, for key: CacheKey, metadata: DiskMetadata = DiskMetadata()
    ) throws(ImageError) {
        try queues.changeNow(key, .stored(staged(data, metadata))) { () throws(ImageError) in
            try disk.store(data, for: key, metadata: metadata)
        }
    }

    /// Removes the bytes on disk before this returns.
    public func removeFromDisk(_ key: CacheKey) throws(ImageError) {
        try queues.changeNow(key, .removed) { () throws(ImageError) in try disk.remove(key) }
    }

    /// Replaces what is kept beside the bytes on disk; the completion gets the error, or `nil` also when there is no
    /// entry.
    public func setMetadata(
        _ metadata: DiskMetadata, for key: CacheKey, completion: @escaping @Sendable (ImageError?) -> Void
    ) {
        var coming = metadata
        coming.storedAt = wallClock.now
        change(
            key, .metadata(coming),
            { [disk] () throws(ImageError) in
                try disk.setMetadata(metadata, for: key)
            }, completion: completion)
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
        queues.afterAll { [disk] in completion(disk.totalCount, disk.totalSize) }
    }

    /// Counts the entries on disk and their bytes, after all that was asked of this cache before.
    public func calculateSize() async -> (count: Int, byteCount: Int) {
        await withCheckedContinuation { continuation in
            calculateSize { continuation.resume(returning: ($0, $1)) }
        }
    }

    /// Removes the entries that are too old or too many, after all that was asked of this cache before.
    public func removeExpired(completion: @escaping @Sendable () -> Void) {
        queues.afterAll { [disk] in
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
