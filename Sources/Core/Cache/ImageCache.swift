import Synchronization
public import WebImageFoundation

/// The cache that the manager uses when it is given no other: pictures in memory, bytes on disk.
///
/// Memory is asked and changed on the calling thread at once. Files are read and written on queues of the cache, and
/// completions are called there: a closure that takes its time goes elsewhere first. Calls about one key take effect in
/// the order in which they were made; several caches and processes may use one folder. The folder is swept on a timer
/// as the configuration says, for as long as the cache lives.
public final class ImageCache: ImageCaching {
    /// The pictures in memory.
    public let memory: MemoryCache
    /// The bytes on disk. Its methods wait for files, and not for calls to this cache that are still under way.
    public let disk: DiskCache

    let queues = DiskQueues()
    private let sweeps: Mutex<Task<Void, Never>?> = Mutex(nil)

    /// A cache in the folder `namespace` of `directory`; caches of one namespace and directory share what is on disk.
    ///
    /// `directory` is by default `defaultDirectory`. `clock` drives the sweeps, `wallClock` dates the entries. Nothing
    /// is read or written before the first call.
    public init(
        namespace: String = "default", directory: URL? = nil,
        configuration: ImageCacheConfiguration = ImageCacheConfiguration(),
        clock: any Clock<Duration> = ContinuousClock(), wallClock: any WallClock = .system
    ) {
        memory = MemoryCache(configuration: configuration)
        disk = DiskCache(
            folder: CacheFolder.path(namespace: namespace, in: directory ?? Self.defaultDirectory),
            configuration: configuration, wallClock: wallClock)
        startSweeps(clock)
    }

    deinit {
        sweeps.withLock { $0 }?.cancel()
    }

    /// How much is kept and for how long. Changes hold at once in memory, and at the next sweep on disk.
    public var configuration: ImageCacheConfiguration {
        get { disk.configuration }
        set {
            disk.configuration = newValue
            memory.costLimit = newValue.maxMemoryCost
            memory.countLimit = newValue.maxMemoryCount
        }
    }

    private func startSweeps(_ clock: any Clock<Duration>) {
        let firstDelay = configuration.firstSweepDelay
        let task = Task.detached(priority: .background) { [weak self] in
            var delay = firstDelay
            // The sleep ends with an error when the cache has gone.
            while (try? await clock.sleep(for: delay)) != nil {
                guard let interval = await self?.sweep() else { return }
                delay = interval
            }
        }
        sweeps.withLock { $0 = task }
    }

    /// Sweeps, and says when to do so again.
    private func sweep() async -> Duration {
        await removeExpired()
        return configuration.sweepInterval
    }
}

extension ImageCache {
    /// The folder of the folders of caches that are made without one of their own.
    ///
    /// `$XDG_CACHE_HOME/webimage`, else `~/.cache/webimage`, unless another was chosen.
    public static var defaultDirectory: URL { chosenDirectory.withLock { $0 } ?? CacheFolder.standard }

    /// Chooses where caches made later lie when they are given no directory; `nil` brings the standard one back.
    public static func setDefaultDirectory(_ directory: URL?) {
        chosenDirectory.withLock { $0 = directory }
    }

    private static let chosenDirectory: Mutex<URL?> = Mutex(nil)
}

extension ImageCache {
    /// See `ImageCaching`.
    public func imageFromMemory(for key: CacheKey) -> DecodedImage? {
        memory.image(for: key)
    }

    /// See `ImageCaching`.
    public func storeInMemory(_ image: DecodedImage, for key: CacheKey) {
        memory.store(image, for: key)
    }

    /// See `ImageCaching`.
    public func data(for key: CacheKey, completion: @escaping @Sendable (CachedData?) -> Void) {
        let address = DiskAddress(key)
        queues.async(address) { [disk] in completion(try? disk.data(at: address)) }
    }

    /// See `ImageCaching`.
    public func storeData(
        _ data: Data, for key: CacheKey, metadata: DiskMetadata,
        completion: @escaping @Sendable (ImageError?) -> Void
    ) {
        let address = DiskAddress(key)
        queues.async(address) { [disk] in
            do throws(ImageError) {
                try disk.store(data, at: address, metadata: metadata)
                completion(nil)
            } catch {
                completion(error)
            }
        }
    }

    /// See `ImageCaching`. Without the disk the completion is called before this returns.
    public func remove(_ key: CacheKey, from type: CacheType, completion: @escaping @Sendable () -> Void) {
        if type.includesMemory { memory.remove(key) }
        guard type.includesDisk else { return completion() }
        let address = DiskAddress(key)
        queues.async(address) { [disk] in
            // What cannot be removed stays; nobody can do more about it here.
            try? disk.remove(address)
            completion()
        }
    }

    /// See `ImageCaching`. When no file has to be looked at, the completion is called before this returns.
    public func contains(
        _ key: CacheKey, in type: CacheType, completion: @escaping @Sendable (CacheType) -> Void
    ) {
        if type.includesMemory, memory.contains(key) { return completion(.memory) }
        guard type.includesDisk else { return completion(.none) }
        let address = DiskAddress(key)
        queues.async(address) { [disk] in completion(disk.contains(address) ? .disk : .none) }
    }

    /// See `ImageCaching`. Without the disk the completion is called before this returns.
    public func clear(_ type: CacheType, completion: @escaping @Sendable () -> Void) {
        if type.includesMemory { memory.removeAll() }
        guard type.includesDisk else { return completion() }
        queues.async(onEach: { [disk] isOfStripe in try? disk.removeAll(where: isOfStripe) }, completion: completion)
    }
}
