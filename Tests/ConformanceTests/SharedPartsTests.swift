import Foundation
import Testing
import WebImage

@Suite("The shared parts", .timeLimit(.minutes(20)))
struct SharedPartsTests {
    @Test("CA-01 CA-02 CA-03 there is one shared cache, and a new one is another")
    func cache() {
        #expect(ImageCache.shared === ImageCache.shared)
        #expect(ImageCache(namespace: "other") !== ImageCache.shared)
        #expect(CachesManager.shared.caches.contains { $0 === ImageCache.shared })
    }

    @Test("A cache and a manager of one's own have the shared coders, and where not told otherwise the shared parts")
    func ownParts() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "webimage-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let cache = ImageCache(namespace: "own", directory: folder)
        #expect(cache.coder as? CodersManager === CodersManager.shared)
        let image = DecodedImage(pixels: try #require(PixelBuffer(size: PixelSize(3, 2))))
        try await cache.store(image, for: "avatar-7")
        cache.clearMemory()
        #expect(cache.imageFromDisk(for: "avatar-7")?.pixelSize == PixelSize(3, 2))
        let manager = ImageManager(cache: cache)
        #expect(manager.imageCache === cache && manager.imageLoader === LoadersManager.shared)
        #expect(manager.imageCoder as? CodersManager === CodersManager.shared)
    }

    @Test("PF-01 there is one shared prefetcher, of the shared manager, and a new one is another")
    func PF_01_shared() {
        #expect(ImagePrefetcher.shared === ImagePrefetcher.shared)
        #expect(ImagePrefetcher.shared.manager === ImageManager.shared)
        #expect(ImagePrefetcher() !== ImagePrefetcher.shared)
    }

    @MainActor
    @Test("A view's loads are the shared manager's where nothing else is said")
    func viewLoads() {
        let view = EmptyView()
        #expect(ViewLoads(target: view).manager === ImageManager.shared)
    }

    @Test("MA-01 there is one shared manager, of the shared parts, and a new one is another")
    func manager() {
        let shared = ImageManager.shared
        #expect(shared === ImageManager.shared && shared.imageCache === ImageCache.shared)
        #expect(shared.imageLoader === LoadersManager.shared)
        let new = ImageManager(cache: ImageCache.shared, loader: LoadersManager.shared, coder: CodersManager.shared)
        #expect(new !== shared)
    }

    @Test("The default coders read and write what they say")
    func coders() {
        for format in [ImageFormat.png, .jpeg, .webP, .gif] { #expect(CodersManager.shared.canEncode(to: format)) }
        #expect(!CodersManager.shared.canEncode(to: .pdf))
    }
}

@MainActor
private final class EmptyView: ImageDisplaying {
    func display(
        _ image: DecodedImage?, as presentation: ImagePresentation, completion: @escaping @MainActor () -> Void
    ) {
        completion()
    }
}
