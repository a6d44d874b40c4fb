import Synchronization
public import WebImageFoundation

/// Bytes by key in one folder, for many threads and many processes at once.
///
/// Every method reads or writes files before it returns: call them where that may take its time; `ImageCache` does so
/// on queues of its own. An entry appears whole or not at all. Nothing has to be opened, closed or repaired, and
/// the folder may be emptied or removed by others at any time.
public final class DiskCache: DiskCaching {
    /// The folder's path. It is made, for the owner only, when the first entry is stored.
    public let folder: String

    let wallClock: any WallClock
    let placement: MetadataPlacement
    /// How long a store waits for those who clear the folder.
    let lockPatience: FolderLock.Patience
    /// Makes the names of temporary files of this process differ.
    let storeCount = Atomic<UInt64>(0)
    /// Tells this cache from others of the process.
    let cacheName = String(UInt32.random(in: 0 ... .max), radix: 36)
    let warnings = DiskWarnings()
    let filter: DiskFilter
    /// For those who read an entry; all others go by its path.
    let openFolder: OpenFolder
    private let settings: Mutex<ImageCacheConfiguration>
    private let verifies: Atomic<Bool>
    /// In milliseconds.
    private let accessStep: Atomic<Int64>

    /// Where metadata are kept.
    enum MetadataPlacement: Sendable, CaseIterable {
        /// In an extended attribute where it fits, else in a sidecar.
        case automatic
        /// Always in a sidecar, as on a file system without extended attributes.
        case sidecar
    }

    /// A cache in a folder that need not exist. `wallClock` gives the dates that sweeps compare.
    public convenience init(
        folder: String, configuration: ImageCacheConfiguration = ImageCacheConfiguration(),
        wallClock: any WallClock = .system
    ) {
        self.init(folder: folder, configuration: configuration, wallClock: wallClock, placement: .automatic)
    }

    init(
        folder: String, configuration: ImageCacheConfiguration, wallClock: any WallClock,
        placement: MetadataPlacement, lockPatience: FolderLock.Patience = .longest
    ) {
        self.folder = folder
        openFolder = OpenFolder(folder)
        filter = DiskFilter(path: folder + "/.filter")
        self.wallClock = wallClock
        self.placement = placement
        self.lockPatience = lockPatience
        settings = Mutex(configuration)
        verifies = Atomic(configuration.verifiesDigestOnRead)
        accessStep = Atomic(Self.accessStep(configuration))
    }

    /// The limits that the next sweep keeps.
    public var configuration: ImageCacheConfiguration {
        get { settings.withLock { $0 } }
        set {
            settings.withLock { $0 = newValue }
            verifies.store(newValue.verifiesDigestOnRead, ordering: .relaxed)
            accessStep.store(Self.accessStep(newValue), ordering: .relaxed)
        }
    }

    /// How long after one noted access others are not noted: noting one costs about as much as reading a small file.
    var accessGranularity: Duration { .milliseconds(accessStep.load(ordering: .relaxed)) }

    /// Ten seconds, or a tenth of the age that an entry may get, where that is less.
    private static func accessStep(_ configuration: ImageCacheConfiguration) -> Int64 {
        let age = configuration.maxDiskAge
        guard age >= .zero, age < .seconds(100) else { return 10_000 }
        return age.components.seconds * 100 + age.components.attoseconds / 10_000_000_000_000_000
    }

    /// Asked at every read, so without the lock.
    var verifiesDigest: Bool { verifies.load(ordering: .relaxed) }

    /// Where the bytes of a key are or would be.
    public func path(for key: CacheKey) -> String {
        path(DiskAddress(key).fileName)
    }

    func path(_ name: String) -> String {
        // Every look-up makes one.
        unsafe String(unsafeUninitializedCapacity: folder.utf8.count + 1 + name.utf8.count) { buffer in
            let slash = unsafe buffer.update(fromContentsOf: folder.utf8)
            unsafe buffer[slash] = UInt8(ascii: "/")
            return unsafe buffer[(slash + 1)...].update(fromContentsOf: name.utf8)
        }
    }

    /// The name of the extended attribute that holds an entry's metadata.
    static let attributeName = "user.webimage"
}

extension DiskCache {
    /// The entry of a key; `nil` when there is none, or a damaged one, which is removed.
    ///
    /// Notes the time of the access. Throws only when the system cannot read a file that is there.
    public func data(for key: CacheKey) throws(ImageError) -> CachedData? {
        try data(at: DiskAddress(key))
    }

    /// What is kept beside the bytes of a key, without reading them; `nil` when there is no entry.
    ///
    /// Does not note an access.
    public func metadata(for key: CacheKey) throws(ImageError) -> DiskMetadata? {
        try record(at: DiskAddress(key))?.metadata
    }

    /// Whether there is an entry of a key, without reading its bytes. Does not note an access.
    public func contains(_ key: CacheKey) -> Bool {
        contains(DiskAddress(key))
    }

    /// Stores bytes under a key in place of those there.
    ///
    /// On an error, which names the file, the reason and the remedy, the former entry is still there and nothing else
    /// is left behind.
    public func store(
        _ data: Data, for key: CacheKey, metadata: DiskMetadata = DiskMetadata()
    ) throws(ImageError) {
        try store(data, at: DiskAddress(key), metadata: metadata)
    }

    /// Replaces what is kept beside the bytes of a key, as after an answer that they are still good.
    ///
    /// Counts as storing them anew where ages are concerned. Does nothing when there is no entry.
    public func setMetadata(_ metadata: DiskMetadata, for key: CacheKey) throws(ImageError) {
        try setMetadata(metadata, at: DiskAddress(key))
    }

    /// Removes the entry of a key; one that is not there is no error.
    public func remove(_ key: CacheKey) throws(ImageError) {
        try remove(DiskAddress(key))
    }
}
