import Foundation
import Testing
import WebImagePixels
import WebImageTesting

@testable import WebImageCore

@Suite("URLs of every kind, through the manager and a real cache", .timeLimit(.minutes(10)))
struct HostileURLTests {
    static let texts = [
        "https://h/" + String(repeating: "a", count: 5000) + ".png",
        "https://h/?" + String(repeating: "q=%2F&", count: 800),
        "https://h/\u{fc}\u{308}b/\u{1F600}.png", "https://h/%C3%BC.png", "https://h/a%2Fb.png", "https://h//a//b.png",
        "https://h/a.png/", "https://h", "https://h/a.png?x=-Thumbnail({1.0,1.0},1)", "https://h/a)-Counting(1)",
        "https://h/..%2F..%2Fetc%2Fpasswd", "https://h/a.jpg00%00", "https://h/#-()", "scheme:a b",
        "https://m\u{fc}nchen.example/a@2x.png", "HTTPS://H/A.PNG", "https://u:p@h/a.png",
    ]

    private func manager(_ folder: CacheTestFolder, _ loader: FakeLoader, _ coder: FakeCoder) -> ImageManager {
        var configuration = ImageCacheConfiguration()
        configuration.memoryPressureSource = nil
        let cache = ImageCache(
            namespace: "test", directory: folder.url, configuration: configuration, coder: coder, clock: ManualClock())
        return ImageManager(cache: cache, loader: loader, coder: coder)
    }

    @Test("Loaded, kept and found again, as it is, as a thumbnail and transformed; no two share an entry")
    func keptApart() async throws {
        let folder = try CacheTestFolder()
        let (loader, coder) = (FakeLoader(), FakeCoder())
        let manager = manager(folder, loader, coder)
        var keys: Set<String> = []
        for (index, text) in Self.texts.enumerated() {
            let bytes = Data("picture \(index)".utf8)
            let image = DecodedImage(
                pixels: PixelBuffer(size: PixelSize(20, 20))!, attributes: .init(format: .png))
            coder.script(bytes, .success(image))
            var request = ImageRequest(text, options: .waitStoreCache)
            let url = try #require(request.url, "\(text)")
            loader.script(url, .data(bytes))
            for variant in 0..<3 {
                request.context.thumbnailPixelSize = variant == 1 ? ImageSize(9, 9) : nil
                request.context.transformer = variant == 2 ? CountingTransformer() : nil
                let key = try #require(manager.cacheKey(for: request)?.text)
                #expect(keys.insert(key).inserted, "\(key.prefix(200))")
                let first = try await manager.image(for: request)
                #expect(first.storeError == nil && first.url == url)
                await manager.imageCache.clear(.memory)
                let again = try await manager.image(for: request)
                #expect(
                    again.source == .disk && again.image.pixelSize.width == [20, 9, 10][variant], "\(text.prefix(99))")
            }
            #expect(loader.requestCount(for: url) == 1)
        }
        #expect(folder.names("test").allSatisfy { $0.utf8.count <= 255 && !$0.contains("/") })
    }

    @Test("None, an empty one and one without a loader end with one error each, and leave nothing")
    func none() async throws {
        let folder = try CacheTestFolder()
        let loaders = LoadersManager()
        let coder = FakeCoder()
        let manager = ImageManager(
            cache: ImageCache(namespace: "test", directory: folder.url, coder: coder, clock: ManualClock()),
            loader: loaders, coder: coder)
        for (text, code) in [("", ImageError.Code.invalidURL), ("\u{0}", .invalidURL), ("gopher://h/a", .noLoader)] {
            let recorder = Recorder()
            var request = ImageRequest(text)
            request.context.callbackQueue = .immediate
            manager.load(request, progress: recorder.report, completion: recorder.complete)
            await recorder.ended.wait()
            #expect(recorder.error?.code == code && recorder.completions.count == 1, "\(text)")
        }
        #expect(!manager.isRunning)
    }
}
