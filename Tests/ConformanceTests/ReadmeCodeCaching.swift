import Foundation
import WebImage

// The code of the article Caching.md, so that it compiles. `Scripts/check` compares them.

private func show(_ image: DecodedImage) {}

func cachingByPolicy(url: URL) async throws {
    var configuration = ImageManager.Configuration()
    configuration.cachePolicy = .http  // for all loads that do not say
    let manager = ImageManager(configuration: configuration)

    var request = ImageRequest(url)
    request.context.cachePolicy = .untilExpired  // this picture never changes
    let result = try await manager.image(for: request)

    switch result.freshness {
    case .loaded: print("just loaded")
    case .cached: print("from a cache, and nobody was asked")
    case .revalidated: print("from a cache, and the server says that it is unchanged")
    case .stale: print("from a cache, and perhaps out of date")
    }
}

func cachingRefreshed(url: URL) async {
    let request = ImageRequest(url, options: .refreshCached)
    for await event in ImageManager.shared.events(for: request) {
        switch event {
        case .stale(let cached): show(cached.image)
        case .finished(let result): if result.freshness != .revalidated { show(result.image) }
        default: break
        }
    }
}

func cachingByKey(url: URL) async {
    var configuration = ImageManager.Configuration()
    configuration.cacheKeyFilter = CacheKeyFilter { url in
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        parts?.query = nil  // the signature changes with every visit
        return parts?.string ?? url.absoluteString
    }
    let manager = ImageManager(configuration: configuration)

    if let key = manager.cacheKey(for: ImageRequest(url)) {
        print(key, await manager.imageCache.contains(key))  // memory, disk or none
    }
}

func cachingPlaces(url: URL) async throws {
    var request = ImageRequest(url, options: .waitStoreCache)  // ends when the caches have written
    request.context.thumbnailPixelSize = ImageSize(200, 200)
    request.context.storeCacheType = .memory  // the thumbnail
    request.context.originalStoreCacheType = .disk  // the file that a transformed picture is made of
    let result = try await ImageManager.shared.image(for: request)
    if let error = result.storeError { print(error) }
    print(result)
}

func cachingOfOnesOwn() {
    var limits = ImageCacheConfiguration()
    limits.maxMemoryCost = 128 << 20  // bytes of pixels; the least used go first
    limits.maxDiskSize = 2 << 30
    limits.maxDiskAge = .seconds(30 * 24 * 3600)  // since the last read; `expiry` counts from another date
    limits.onWarning = { error in print(error) }  // the disk is full, read-only, …

    let cache = ImageCache(namespace: "alice", configuration: limits)  // ~/.cache/webimage/alice
    let manager = ImageManager(cache: cache)
    print(manager)
}

func cachingUntilTheEndOfASession(cache: ImageCache) async throws {
    try await cache.purge()  // memory at once, then all files
    try ImageCache.purge(namespace: "alice")  // the files, whether or not a cache uses them
}

func cachingAlone(cache: ImageCache, picture: DecodedImage) async throws {
    let key: CacheKey = "avatar/42"
    try await cache.store(picture, for: key)  // encoded, in its own format where that can be written
    let found = await cache.query(key)
    if let image = found.image { show(image) }
    print(found.type, await cache.contains(key, in: .disk))
    await cache.remove(key)
    await cache.clear(.memory)
    print(await cache.calculateSize())
}

func cachingPinned(cache: ImageCache, manager: ImageManager, url: URL) throws {
    if let key = manager.cacheKey(for: ImageRequest(url)) { try cache.pin(key, tag: "journey") }
    try cache.unpinAll(tag: "journey")  // the entries stay until a sweep finds them old
    let disk = DiskCache(folder: ImageCache.folder(namespace: "alice"))
    print(disk.tags)
    try disk.removeAll(tag: "journey")  // the entries too
}

func cachingInTiers(shared: any ImageCaching) {
    let caches = CachesManager(tiers: [
        .remote(shared, timeout: .milliseconds(200)),  // late answers count as misses; what it has is copied nearer
        CacheTier(ImageCache(namespace: "own")),  // the last has the highest priority: asked first, and stored to
    ])
    let manager = ImageManager(cache: caches)
    print(manager)
}
