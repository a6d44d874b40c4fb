public import WebImageFoundation

// The parts that a program uses unless it makes its own: lists, no logic.

extension CodersManager {
    /// The coders of `shared` parts, to add one's own to.
    public static let shared = CodersManager([.avif, .webP, .gif, .png, .jpeg])
}

extension ImageCache {
    /// The cache of the namespace `default`.
    public static let shared = ImageCache()

    /// A cache in the folder `namespace` of `directory`, by default `ImageCache.defaultDirectory`, with the shared
    /// coders. See `init(namespace:directory:configuration:coder:clock:wallClock:)` for another choice.
    public convenience init(
        namespace: String = "default", directory: URL? = nil,
        configuration: ImageCacheConfiguration = ImageCacheConfiguration()
    ) {
        self.init(
            namespace: namespace, directory: directory, configuration: configuration, coder: CodersManager.shared)
    }
}

extension CachesManager {
    /// A manager of the shared cache, to add others to.
    public static let shared = CachesManager([ImageCache.shared])
}

extension ImageDownloader {
    /// The downloader over libcurl, which goes on with interrupted downloads.
    public static let shared: ImageDownloader = {
        var configuration = DownloaderConfiguration()
        configuration.resumeStore = ResumeStore()
        return ImageDownloader(configuration: configuration)
    }()

    /// A downloader over libcurl.
    public convenience init(configuration: DownloaderConfiguration = DownloaderConfiguration()) {
        self.init(transport: CurlTransport(), configuration: configuration)
    }
}

extension LoadersManager {
    /// `data:`, `file:`, `http:` and `https:` URLs.
    public static let shared = LoadersManager([DataURLLoader(), FileLoader(), ImageDownloader.shared])
}

extension ImageManager {
    /// The manager of the shared parts.
    public static let shared = ImageManager()

    /// A manager of the shared parts where none are given, with the shared coders.
    public convenience init(
        cache: any ImageCaching = ImageCache.shared, loader: any ImageLoader = LoadersManager.shared,
        configuration: Configuration = Configuration()
    ) {
        self.init(cache: cache, loader: loader, coder: CodersManager.shared, configuration: configuration)
    }
}

extension ImagePrefetcher {
    /// A prefetcher that fills the caches of the shared manager.
    public static let shared = ImagePrefetcher()

    /// A prefetcher of its own pace, that fills the caches of the shared manager.
    public convenience init(configuration: Configuration = Configuration()) {
        self.init(manager: .shared, configuration: configuration)
    }
}

extension ViewLoads {
    /// The loads of a view, by the shared manager.
    ///
    /// - Parameter operationKey: The slot of loads whose context names none; the view's class name by default.
    public convenience init(target: any ImageDisplaying, operationKey: String? = nil) {
        self.init(target: target, manager: .shared, operationKey: operationKey)
    }
}
