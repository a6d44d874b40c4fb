import Synchronization
public import WebImageCore
public import WebImageFoundation

/// A cache whose contents a test scripts and reads; it answers on the caller's thread.
///
/// Thread-safe. A key that the test neither filled nor named as missing is reported loudly; see `Unscripted`.
public final class FakeCache: ImageCaching {
    private struct State {
        var memory: [CacheKey: DecodedImage] = [:]
        var disk: [CacheKey: CachedData] = [:]
        var missing: Set<CacheKey> = []
        var isAnyKeyMissing = false
        var queries: [CacheKey] = []
        var storeError: ImageError?
    }

    private let unscripted: Unscripted
    private let state = Mutex(State())

    /// An empty cache that expects no question.
    public init(unscripted: Unscripted = .endsTheProcess) {
        self.unscripted = unscripted
    }

    /// Expects questions for these keys, which are not there.
    public func scriptMissing(_ keys: CacheKey...) {
        state.withLock { $0.missing.formUnion(keys) }
    }

    /// Expects questions for any key.
    public func scriptAllMissing() {
        state.withLock { $0.isAnyKeyMissing = true }
    }

    /// Makes every write to disk fail.
    public func scriptStoreError(_ error: ImageError?) {
        state.withLock { $0.storeError = error }
    }

    /// The pictures in memory.
    public var memory: [CacheKey: DecodedImage] { state.withLock { $0.memory } }

    /// The entries on disk.
    public var disk: [CacheKey: CachedData] {
        get { state.withLock { $0.disk } }
        set { state.withLock { $0.disk = newValue } }
    }

    /// The keys that were looked for on disk, in order.
    public var diskQueries: [CacheKey] { state.withLock { $0.queries } }

    /// The picture in memory; a miss needs no script.
    public func imageFromMemory(for key: CacheKey) -> DecodedImage? {
        state.withLock { $0.memory[key] }
    }

    /// Keeps the picture in memory.
    public func storeInMemory(_ image: DecodedImage, for key: CacheKey) {
        state.withLock { $0.memory[key] = image }
    }

    /// The bytes on disk, on the caller's thread.
    public func data(for key: CacheKey, completion: @escaping @Sendable (CachedData?) -> Void) {
        let (found, isExpected) = state.withLock { state in
            state.queries.append(key)
            return (state.disk[key], state.isAnyKeyMissing || state.missing.contains(key))
        }
        if found == nil, !isExpected {
            unscripted.report("FakeCache was asked for \(key.text), which the test did not script")
        }
        completion(found)
    }

    /// The bytes on disk, on the caller's thread; a miss needs no script.
    public func diskData(for key: CacheKey) -> CachedData? {
        state.withLock { $0.disk[key] }
    }

    /// What is beside the bytes on disk, on the caller's thread; a miss needs no script.
    public func metadata(for key: CacheKey, completion: @escaping @Sendable (DiskMetadata?) -> Void) {
        completion(diskData(for: key)?.metadata)
    }

    /// Replaces the server's word on bytes on disk that came with the same digest, on the caller's thread.
    public func updateValidators(
        _ validators: DiskMetadata.Validators, for key: CacheKey, completion: @escaping @Sendable () -> Void
    ) {
        state.withLock { state in
            guard state.disk[key]?.metadata.validators.bodyDigest == validators.bodyDigest else { return }
            state.disk[key]?.metadata.validators = validators
        }
        completion()
    }

    /// Forgets the pictures in memory with the same base, whatever they were made of.
    public func removeVariants(of key: CacheKey, exceptMadeOf bodyDigest: String?) {
        state.withLock { state in
            state.memory = state.memory.filter { $0.key.base != key.base }
        }
    }

    /// Keeps the bytes on disk, or fails as scripted, on the caller's thread.
    public func storeData(
        _ data: Data, for key: CacheKey, metadata: DiskMetadata,
        completion: @escaping @Sendable (ImageError?) -> Void
    ) {
        let error = state.withLock { state in
            if state.storeError == nil { state.disk[key] = CachedData(data: data, metadata: metadata) }
            return state.storeError
        }
        completion(error)
    }

    /// Removes from the layers named, on the caller's thread.
    public func remove(_ key: CacheKey, from type: CacheType, completion: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if type.includesMemory { state.memory[key] = nil }
            if type.includesDisk { state.disk[key] = nil }
        }
        completion()
    }

    /// Says where a key is, on the caller's thread; a miss needs no script.
    public func contains(_ key: CacheKey, in type: CacheType, completion: @escaping @Sendable (CacheType) -> Void) {
        let answer: CacheType = state.withLock { state in
            if type.includesMemory, state.memory[key] != nil { return .memory }
            return type.includesDisk && state.disk[key] != nil ? .disk : .none
        }
        completion(answer)
    }

    /// Empties the layers named, on the caller's thread.
    public func clear(_ type: CacheType, completion: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if type.includesMemory { state.memory.removeAll() }
            if type.includesDisk { state.disk.removeAll() }
        }
        completion()
    }
}
