public import WebImageFoundation

extension ImageCache {
    /// See `ImageCaching`.
    public func imageFromMemory(for key: CacheKey) -> DecodedImage? {
        memory.image(for: key)
    }

    /// See `ImageCaching`. Keeps nothing while `cachesImagesInMemory` is off; `memory.store` does all the same.
    public func storeInMemory(_ image: DecodedImage, for key: CacheKey) {
        guard configuration.cachesImagesInMemory else { return }
        memory.store(image, for: key, cost: nil)
    }

    /// See `ImageCaching`.
    public func data(for key: CacheKey, completion: @escaping @Sendable (CachedData?) -> Void) {
        read(key, CurrentOperation()) { completion($0) }
    }

    /// See `ImageCaching`.
    public func metadata(for key: CacheKey, completion: @escaping @Sendable (DiskMetadata?) -> Void) {
        let work: @Sendable (DiskChange?) -> DiskMetadata? = { [disk] known in
            switch known {
            case .stored(let entry): entry.metadata
            case .removed: nil
            case .metadata, .unknown, nil: (try? disk.metadata(for: key)) ?? nil
            }
        }
        queues.read(key, for: CurrentOperation(), work, completion: { completion($0 ?? nil) })
    }

    /// See `ImageCaching`.
    public func updateValidators(
        _ validators: DiskMetadata.Validators, for key: CacheKey, completion: @escaping @Sendable () -> Void
    ) {
        change(
            key, .unknown,
            { [disk] () throws(ImageError) in
                guard var metadata = try disk.metadata(for: key),
                    metadata.validators.bodyDigest == validators.bodyDigest
                else { return }
                metadata.validators = validators
                try disk.setMetadata(metadata, for: key)
            }, completion: { _ in completion() })
    }

    /// See `ImageCaching`.
    public func removeVariants(of key: CacheKey, exceptMadeOf bodyDigest: String?) {
        memory.removeVariants(of: key, exceptMadeOf: bodyDigest)
    }

    /// See `ImageCaching`.
    public func storeData(
        _ data: Data, for key: CacheKey, metadata: DiskMetadata,
        completion: @escaping @Sendable (ImageError?) -> Void
    ) {
        change(
            key, .stored(staged(data, metadata)),
            { [disk] () throws(ImageError) in
                try disk.store(data, for: key, metadata: metadata)
            }, completion: completion)
    }

    /// See `ImageCaching`. Without the disk the completion is called before this returns.
    public func remove(_ key: CacheKey, from type: CacheType, completion: @escaping @Sendable () -> Void) {
        if type.includesMemory { memory.remove(key) }
        guard type.includesDisk else { return completion() }
        // What cannot be removed stays; nobody can do more about it here.
        change(
            key, .removed, { [disk] () throws(ImageError) in try disk.remove(key) }, completion: { _ in completion() })
    }

    /// See `ImageCaching`. When no file has to be looked at, the completion is called before this returns.
    public func contains(
        _ key: CacheKey, in type: CacheType, completion: @escaping @Sendable (CacheType) -> Void
    ) {
        if type.includesMemory, memory.contains(key) { return completion(.memory) }
        guard type.includesDisk else { return completion(.none) }
        look(key) { completion($0 ? .disk : .none) }
    }

    /// See `ImageCaching`. Without the disk the completion is called before this returns.
    public func clear(_ type: CacheType, completion: @escaping @Sendable () -> Void) {
        if type.includesMemory { memory.removeAll() }
        guard type.includesDisk else { return completion() }
        queues.clear({ [disk] in try? disk.removeAll() }, completion: completion)
    }
}

extension ImageCache {
    /// Changes an entry in its turn; reads see the change from now on.
    func change(
        _ key: CacheKey, _ change: DiskChange, _ work: @escaping @Sendable () throws(ImageError) -> Void,
        completion: @escaping @Sendable (ImageError?) -> Void
    ) {
        queues.change(
            key, change,
            {
                do throws(ImageError) {
                    try work()
                    return nil
                } catch {
                    return error
                }
            }, completion: completion)
    }

    /// An entry as it will be read once it is written.
    func staged(_ data: Data, _ metadata: DiskMetadata) -> CachedData {
        var metadata = metadata
        metadata.storedAt = wallClock.now
        metadata.setValidators(metadata.validators, body: nil)
        return CachedData(data: data, metadata: metadata)
    }

    /// Reads an entry; `nil` too when the operation is cancelled before its turn.
    func read(
        _ key: CacheKey, _ operation: CurrentOperation, completion: @escaping @Sendable (CachedData?) -> Void
    ) {
        queues.read(key, for: operation, { [self] in onDisk(key, $0) }, completion: { completion($0 ?? nil) })
    }

    /// Reads an entry before this returns.
    func readNow(_ key: CacheKey) -> CachedData? {
        queues.readNow(key) { onDisk(key, $0) }
    }

    private func onDisk(_ key: CacheKey, _ known: DiskChange?) -> CachedData? {
        switch known {
        case .stored(let entry): entry
        case .removed: additional(key)
        case .metadata, .unknown, nil: (try? disk.data(for: key)) ?? additional(key)
        }
    }

    private func additional(_ key: CacheKey) -> CachedData? {
        guard let path = additionalCachePath?(key) else { return nil }
        let data = try? FileSystem.readRegularFile(path, maxByteCount: Self.maxAdditionalByteCount)
        return data.map { CachedData(data: $0) }
    }

    /// What a picture that a program brings along may have: the default bound on what is downloaded.
    private static let maxAdditionalByteCount = DownloaderConfiguration().maxBodyByteCount

    private func look(_ key: CacheKey, completion: @escaping @Sendable (Bool) -> Void) {
        queues.read(
            key, for: CurrentOperation(), { [self] in isOnDisk(key, $0) }, completion: { completion($0 ?? false) })
    }

    /// Looks for an entry before this returns.
    func lookNow(_ key: CacheKey) -> Bool {
        queues.readNow(key) { isOnDisk(key, $0) }
    }

    private func isOnDisk(_ key: CacheKey, _ known: DiskChange?) -> Bool {
        switch known {
        case .stored: true
        case .removed: false
        case .metadata, .unknown, nil: disk.contains(key)
        }
    }
}
