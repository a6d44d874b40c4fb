public import WebImageFoundation

/// A cache as the manager uses it; conform to give it one of your own.
///
/// It keeps pictures in memory and bytes on disk and knows nothing of formats. Every completion is called exactly once,
/// on whatever thread the cache likes and never while it holds a lock. Calls about one key take effect in the order in
/// which they were made; those that read it may run side by side.
public protocol ImageCaching: AnyObject, Sendable {
    /// The picture in memory. At once, and never waits for a file.
    func imageFromMemory(for key: CacheKey) -> DecodedImage?

    /// Puts a picture in memory. At once, and never waits for a file.
    func storeInMemory(_ image: DecodedImage, for key: CacheKey)

    /// Reads bytes from disk; `nil` where there are none, also when they cannot be read or are damaged.
    func data(for key: CacheKey, completion: @escaping @Sendable (CachedData?) -> Void)

    /// Reads bytes from disk on the calling thread, for loads that ask for that; `nil` where there are none, and from a
    /// cache that reads no file without waiting for others.
    func diskData(for key: CacheKey) -> CachedData?

    /// Reads what is kept beside the bytes on disk, if it can without them; `nil` where there are none.
    func metadata(for key: CacheKey, completion: @escaping @Sendable (DiskMetadata?) -> Void)

    /// Replaces what the server said of the bytes on disk, which are good for longer. Does nothing where there are
    /// none, or others: those that were stored with another `bodyDigest`.
    func updateValidators(
        _ validators: DiskMetadata.Validators, for key: CacheKey, completion: @escaping @Sendable () -> Void)

    /// Forgets the pictures in memory under a key and under all that were made of it, for the picture has changed;
    /// those may stay that were made of the one with the digest given. At once, and never waits for a file.
    func removeVariants(of key: CacheKey, exceptMadeOf bodyDigest: String?)

    /// Writes bytes to disk; the completion gets the error, or `nil`.
    func storeData(
        _ data: Data, for key: CacheKey, metadata: DiskMetadata,
        completion: @escaping @Sendable (ImageError?) -> Void)

    /// Removes a key from the given layers; from memory before the call returns.
    func remove(_ key: CacheKey, from type: CacheType, completion: @escaping @Sendable () -> Void)

    /// Says in which of the given layers a key is: `.memory`, else `.disk`, else `.none`.
    func contains(_ key: CacheKey, in type: CacheType, completion: @escaping @Sendable (CacheType) -> Void)

    /// Empties the given layers; memory before the call returns.
    func clear(_ type: CacheType, completion: @escaping @Sendable () -> Void)
}

extension ImageCaching {
    /// Nothing: such a cache is read without making a thread wait.
    public func diskData(for key: CacheKey) -> CachedData? { nil }

    /// Reads the bytes too.
    public func metadata(for key: CacheKey, completion: @escaping @Sendable (DiskMetadata?) -> Void) {
        data(for: key) { completion($0?.metadata) }
    }

    /// Writes the bytes anew.
    public func updateValidators(
        _ validators: DiskMetadata.Validators, for key: CacheKey, completion: @escaping @Sendable () -> Void
    ) {
        data(for: key) { found in
            guard var entry = found, entry.metadata.validators.bodyDigest == validators.bodyDigest else {
                return completion()
            }
            entry.metadata.validators = validators
            self.storeData(entry.data, for: key, metadata: entry.metadata) { _ in completion() }
        }
    }

    /// Empties the memory, for a cache that cannot tell which pictures those are.
    public func removeVariants(of key: CacheKey, exceptMadeOf bodyDigest: String?) {
        clear(.memory) {}
    }

    /// Reads what is kept beside the bytes on disk; `nil` where there are none. Not cancelled with the task.
    public func metadata(for key: CacheKey) async -> DiskMetadata? {
        await FirstAnswer.of { metadata(for: key, completion: $0) }
    }

    /// Replaces what the server said of the bytes on disk, and returns when that is done. Not cancelled with the task.
    public func updateValidators(_ validators: DiskMetadata.Validators, for key: CacheKey) async {
        await FirstAnswer<Void>.of { answer in updateValidators(validators, for: key) { answer(()) } }
    }

    /// Reads bytes from disk; `nil` where there are none. Not cancelled with the task.
    public func data(for key: CacheKey) async -> CachedData? {
        await FirstAnswer.of { data(for: key, completion: $0) }
    }

    /// Writes bytes to disk. Not cancelled with the task.
    public func storeData(
        _ data: Data, for key: CacheKey, metadata: DiskMetadata = DiskMetadata()
    ) async throws(ImageError) {
        let error = await FirstAnswer.of { storeData(data, for: key, metadata: metadata, completion: $0) }
        if let error { throw error }
    }

    /// Removes a key from the given layers and returns when it is gone.
    public func remove(_ key: CacheKey, from type: CacheType = .all) async {
        await FirstAnswer<Void>.of { answer in remove(key, from: type) { answer(()) } }
    }

    /// Says in which of the given layers a key is: `.memory`, else `.disk`, else `.none`.
    public func contains(_ key: CacheKey, in type: CacheType = .all) async -> CacheType {
        await FirstAnswer.of { contains(key, in: type, completion: $0) }
    }

    /// Empties the given layers and returns when they are.
    public func clear(_ type: CacheType = .all) async {
        await FirstAnswer<Void>.of { answer in clear(type) { answer(()) } }
    }
}
