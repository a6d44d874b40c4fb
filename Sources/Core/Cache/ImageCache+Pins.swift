// A pin is of the disk alone: memory lets go of what is not used, whatever lies on disk.
extension ImageCache {
    /// Has sweeps leave the entry of a key alone, also one that is stored later, until it is unpinned; see
    /// `DiskCache.pin`. Writes a file before it returns.
    ///
    /// - Throws: `storeFailed` where the pin cannot be written, or the disk layer is one of your own.
    public func pin(_ key: CacheKey, tag: String = "") throws(ImageError) {
        try pinningDisk().pin(key, tag: tag)
    }

    /// Takes a tag's pin from a key; one that is not there is no error.
    public func unpin(_ key: CacheKey, tag: String = "") throws(ImageError) {
        try pinningDisk().unpin(key, tag: tag)
    }

    /// Takes the pins of a tag from all keys, or with `nil` all pins. The entries stay until a sweep finds them old.
    public func unpinAll(tag: String? = nil) throws(ImageError) {
        try pinningDisk().unpinAll(tag: tag)
    }

    /// Whether the entry of a key is pinned, or would be. Reads a folder before it returns.
    public func isPinned(_ key: CacheKey) -> Bool {
        (disk as? DiskCache)?.isPinned(key) == true
    }

    private func pinningDisk() throws(ImageError) -> DiskCache {
        if let disk = disk as? DiskCache { return disk }
        throw ImageError(
            .storeFailed, .store, "only a DiskCache keeps pins; have makeDiskCache make one, or keep pins of your own")
    }
}
