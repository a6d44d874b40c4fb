import Foundation
import Synchronization
import Testing
import WebImage
import WebImageTesting

/// SDWebImage's assertions about loads that share, files, and loaders of one's own, against real parts.
@Suite("Loaders: sharing, files, one's own", .timeLimit(.minutes(20)))
struct LoaderSurfaceTests {
    @Test("DL-30 ten thumbnails of one URL at once: each has its own size, and there is one request")
    func DL_30_sizes() async throws {
        let harness = try RealHarness()
        let gate = Gate()
        harness.server.script("/large", .picture().held(by: gate))
        let sizes = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for side in 40..<50 {
                group.addTask {
                    var request = harness.request("/large")
                    request.context.thumbnailPixelSize = ImageSize(Double(side), Double(side))
                    return (side, try await harness.manager.image(for: request).image.pixelSize.width)
                }
            }
            while harness.downloader.currentDownloadCount < 1, !Task.isCancelled { await Task.yield() }
            gate.open()
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(sizes == Dictionary(uniqueKeysWithValues: (40..<50).map { ($0, $0) }))
        #expect(harness.server.requests(to: "/large").count <= 10)
    }

    @Test("DL-31a 201 loads of one file: each gets its picture")
    func DL_31a_many() async throws {
        let harness = try RealHarness()
        try FileManager.default.createDirectory(at: harness.folder, withIntermediateDirectories: true)
        let file = harness.folder.appending(path: "picture.png")
        try TestPictures.red.write(to: file)
        let count = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<201 {
                group.addTask {
                    try await harness.manager.image(for: ImageRequest(file)).image.pixelSize == PixelSize(64, 64)
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(count == 201)
    }

    @Test("DL-31b an empty file asked for eleven times is error 1001 each time")
    func DL_31b_empty() async throws {
        let harness = try RealHarness()
        try FileManager.default.createDirectory(at: harness.folder, withIntermediateDirectories: true)
        let file = harness.folder.appending(path: "empty.png")
        try Data().write(to: file)
        for _ in 0..<11 {
            let code = await code { () async throws(ImageError) in
                try await harness.manager.image(for: ImageRequest(file))
            }
            #expect(code?.rawValue == 1001)
        }
    }

    @Test("DL-C1 a loader of one's own is asked, reports progress, then brings the picture")
    func DL_C1_ownLoader() async throws {
        let harness = try RealHarness()
        let loader = FakeLoader()
        let url = try #require(URL(string: "own:picture"))
        loader.script(url, .held)
        #expect(loader.canLoad(url) && !loader.shouldBlockFailedURL(url, error: .cancelled(.load)))
        let progress = Mutex<[Int]>([])
        let ended = LoadRecorder()
        var request = ImageRequest(url)
        request.context.imageLoader = loader
        request.context.callbackQueue = .immediate
        harness.manager.load(
            request,
            progress: { news in
                progress.withLock { $0.append(news.receivedByteCount) }
            }, completion: ended.record)
        await loader.waitForRequest(for: url)
        loader.progress(url, LoadProgress(receivedByteCount: 5, expectedByteCount: nil))
        loader.finish(url, .success(TestPictures.red))
        await ended.ended.wait()
        #expect(progress.withLock { $0 } == [5] && ended.successes.count == 1)
    }

    @Test("DL-C2 loaders can be added, removed and replaced; the capable one is asked")
    func DL_C2_loadersManager() async throws {
        let harness = try RealHarness()
        let loader = FakeLoader()
        let manager = LoadersManager([FileLoader()])
        let url = harness.server.url("/img")
        #expect(!manager.canLoad(url))
        manager.add(loader)
        manager.add(harness.downloader)
        #expect(manager.canLoad(url) && !manager.shouldBlockFailedURL(url, error: .cancelled(.load)))
        var request = harness.request("/img")
        request.context.imageLoader = manager
        #expect(try await harness.manager.image(for: request).source == .network)
        manager.remove(loader)
        #expect(manager.loaders.count == 2)
    }
}
