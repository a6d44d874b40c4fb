public import WebImageFoundation

// A namespace is a folder. One for each person who uses a program keeps their pictures apart, and they go in one call.
extension ImageCache {
    /// The folder of a namespace; `directory` is by default `defaultDirectory`.
    public static func folder(namespace: String, in directory: URL? = nil) -> String {
        CacheFolder.path(namespace: namespace, in: directory ?? defaultDirectory)
    }

    /// The namespaces that have a folder, sorted; `directory` is by default `defaultDirectory`.
    public static func namespaces(in directory: URL? = nil) -> [String] {
        CacheFolder.namespaces(in: directory ?? defaultDirectory)
    }

    /// Removes all that a namespace has on disk, pins included, before it returns, whether or not a cache uses it.
    ///
    /// For the end of a person's session. `directory` is by default `defaultDirectory`. Files of others stay.
    ///
    /// - Throws: The first file that could not be removed, once all others are.
    public static func purge(namespace: String, in directory: URL? = nil) throws(ImageError) {
        try DiskCache(folder: folder(namespace: namespace, in: directory)).purge()
    }

    /// Forgets all pictures in memory at once, and removes all that is on disk, after all that was asked before.
    ///
    /// - Throws: The first file that could not be removed, once all others are.
    public func purge() async throws(ImageError) {
        await clear(.all)
        guard let disk = disk as? DiskCache else { return }
        try disk.purge()
    }
}
