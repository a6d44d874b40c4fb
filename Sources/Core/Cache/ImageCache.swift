import Synchronization
public import WebImageFoundation
import WebImagePixels

/// The cache that the manager uses when it is given no other: pictures in memory, bytes on disk.
///
/// Memory is asked and changed on the calling thread at once. Files are read and written on queues of the cache, and
/// completions are called there unless a context names another place: a closure that takes its time goes elsewhere
/// first. Calls about one key take effect in the order in which they were made; reads run side by side, and see what is
/// still being written. Several caches and processes may use one folder. The folder is swept on a timer as the
/// configuration says, for as long as the cache lives.
public final class ImageCache: ImageCaching {
    /// The pictures in memory.
    public let memory: any MemoryCaching
    /// The bytes on disk. Its methods wait for files, and not for calls to this cache that are still under way.
    public let disk: any DiskCaching
    /// What decodes and encodes where a call's context names no other. Loads of a manager use the manager's.
    public let coder: any ImageCoder

    let queues = DiskQueues()
    let decodes = Mutex<[CacheDecode.Identity: [CacheToken]]>([:])
    let wallClock: any WallClock
    private let settings: Mutex<Settings>
    private let pressure: MemoryPressureSubscription?
    private let sweeps: Mutex<Task<Void, Never>?> = Mutex(nil)

    private struct Settings {
        var configuration: ImageCacheConfiguration
        var additionalPath: (@Sendable (CacheKey) -> String?)?
    }

    /// A cache in the folder `namespace` of `directory`; caches of one namespace and directory share what is on disk.
    ///
    /// `directory` is by default `defaultDirectory`. `coder` serves the calls that take or give pictures. `clock`
    /// drives the sweeps, `wallClock` dates the entries. Nothing is read or written before the first call.
    public init(
        namespace: String = "default", directory: URL? = nil,
        configuration: ImageCacheConfiguration = ImageCacheConfiguration(),
        coder: any ImageCoder, clock: any Clock<Duration> = ContinuousClock(), wallClock: any WallClock = .system
    ) {
        let folder = CacheFolder.path(namespace: namespace, in: directory ?? Self.defaultDirectory)
        memory = configuration.makeMemoryCache(configuration)
        disk = configuration.makeDiskCache(folder, configuration, wallClock)
        self.coder = coder
        self.wallClock = wallClock
        settings = Mutex(Settings(configuration: configuration))
        pressure = configuration.memoryPressureSource?.subscribe { [memory] level in
            memory.relieve(level)
            // Last, for what the pictures took goes there.
            PixelMemoryPool.shared.removeAll()
        }
        startSweeps(clock)
    }

    deinit {
        sweeps.withLock { $0 }?.cancel()
    }

    /// How much is kept and for how long. Changes hold at once in memory, and at the next sweep on disk.
    public var configuration: ImageCacheConfiguration {
        get { settings.withLock { $0.configuration } }
        set {
            settings.withLock { $0.configuration = newValue }
            disk.configuration = newValue
            memory.apply(newValue)
        }
    }

    /// Names a file to read where the disk has no entry of a key, such as a picture that came with the program.
    ///
    /// Such files are never written, counted or removed. Called on a queue of the cache. Default `nil`.
    public var additionalCachePath: (@Sendable (CacheKey) -> String?)? {
        get { settings.withLock { $0.additionalPath } }
        set { settings.withLock { $0.additionalPath = newValue } }
    }

    private func startSweeps(_ clock: any Clock<Duration>) {
        let firstDelay = configuration.firstSweepDelay
        let task = Task.detached(priority: .background) { [weak self] in
            var delay = firstDelay
            // The sleep ends with an error when the cache has gone.
            while (try? await clock.sleep(for: delay)) != nil {
                guard let interval = await self?.sweep() else { return }
                delay = max(interval, .seconds(1))
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
