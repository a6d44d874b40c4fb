// The parts that a program uses unless it makes its own: lists, no logic.

extension CodersManager {
    /// The coders of `shared` parts, to add one's own to.
    public static let shared = CodersManager([.avif, .webP, .gif, .png, .jpeg])
}

extension ImageCache {
    /// The cache of the namespace `default`.
    public static let shared = ImageCache(coder: CodersManager.shared)
}

extension ImageDownloader {
    /// The downloader over libcurl, which goes on with interrupted downloads.
    public static let shared: ImageDownloader = {
        var configuration = DownloaderConfiguration()
        configuration.resumeStore = ResumeStore()
        return ImageDownloader(transport: CurlTransport(), configuration: configuration)
    }()
}

extension LoadersManager {
    /// `data:`, `file:`, `http:` and `https:` URLs.
    public static let shared = LoadersManager([DataURLLoader(), FileLoader(), ImageDownloader.shared])
}

extension ImageManager {
    /// The manager of the shared parts.
    public static let shared = ImageManager(
        cache: ImageCache.shared, loader: LoadersManager.shared, coder: CodersManager.shared)
}

extension ImagePrefetcher {
    /// A prefetcher that fills the caches of the shared manager.
    public static let shared = ImagePrefetcher(manager: .shared)
}
