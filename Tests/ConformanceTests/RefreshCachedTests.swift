import Foundation
import Synchronization
import Testing
import WebImage
import WebImageTesting

@Suite("refreshCached: the cached picture first, then the server's word", .timeLimit(.minutes(20)))
struct RefreshCachedTests {
    private static let green = TestPictures.solidPNG(red: 0, green: 255, blue: 0, width: 64, height: 64)

    /// Answers 304 to who has the tag, else the picture with it.
    private static func tagged(_ picture: Data, _ tag: String) -> @Sendable (ScriptedHTTPRequest) -> ScriptedAnswer {
        { request in
            let isKnown = request.headers["If-None-Match"] == tag
            return (isKnown ? ScriptedAnswer.status(304) : .picture(picture)).adding("ETag", tag)
        }
    }

    @Test("MA-07 loading twice with refreshCached succeeds both times")
    func MA_07_twice() async throws {
        let harness = try RealHarness()
        for _ in 0..<2 {
            let result = try await harness.load("/img", [.refreshCached])
            #expect(result.image.pixels.color(x: 0, y: 0) == red)
        }
        #expect(harness.server.requests(to: "/img").count == 2)
    }

    @Test("Unchanged: the cached picture, stale first and then confirmed; from memory, and from disk")
    func unchanged() async throws {
        let harness = try RealHarness()
        harness.server.script("/a.png", answer: Self.tagged(TestPictures.red, "\"1\""))
        let first = try await harness.load("/a.png")
        #expect(first.freshness == .loaded)
        for source in [LoadSource.memory, .disk] {
            if source == .disk { harness.cache.clearMemory() }
            let events = await harness.events("/a.png", [.refreshCached])
            #expect(events.names == ["stale", "finished"])
            #expect(events.stale?.source == source && events.stale?.freshness == .stale)
            #expect(events.finished?.source == source && events.finished?.freshness == .revalidated)
            #expect(events.finished?.image.pixels.color(x: 0, y: 0) == red)
        }
        #expect(harness.server.requests(to: "/a.png").map { $0.headers["If-None-Match"] } == [nil, "\"1\"", "\"1\""])
        #expect(harness.cache.totalDiskCount == 1)
    }

    @Test("The cached picture in memory is told before the call returns")
    func atOnce() async throws {
        let harness = try RealHarness()
        harness.server.script("/a.png", answer: Self.tagged(TestPictures.red, "\"1\""))
        _ = try await harness.load("/a.png")
        let told = Mutex<[LoadResult.Freshness]>([])
        let ended = LoadRecorder()
        harness.manager.load(harness.request("/a.png", [.refreshCached])) { news in
            if let stale = news.staleResult { told.withLock { $0.append(stale.freshness) } }
        } completion: {
            ended.record($0)
        }
        #expect(told.withLock { $0 } == [.stale] && ended.count == 0)
        await ended.ended.wait()
        #expect(told.withLock { $0 } == [.stale] && ended.successes.map(\.freshness) == [.revalidated])
    }

    @Test("Without a validator equal bytes are unchanged")
    func equalBytes() async throws {
        let harness = try RealHarness()
        let first = try await harness.load("/img")
        let events = await harness.events("/img", [.refreshCached])
        #expect(events.names.filter { $0 != "progress" } == ["stale", "finished"])
        #expect(events.finished?.freshness == .revalidated && first.freshness == .loaded)
        let sent = harness.server.requests(to: "/img").last?.headers
        #expect(sent?["If-None-Match"] == nil && sent?["If-Modified-Since"] == nil)
    }

    @Test("A date asks too")
    func lastModified() async throws {
        let harness = try RealHarness()
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        harness.server.script(
            "/a.png", .picture().adding("Last-Modified", date), .status(304))
        _ = try await harness.load("/a.png")
        #expect(try await harness.load("/a.png", [.refreshCached]).freshness == .revalidated)
        #expect(harness.server.requests(to: "/a.png").last?.headers["If-Modified-Since"] == date)
    }

    @Test("Changed: the new picture, and everything made of the old one is dropped from memory and disk")
    func changed() async throws {
        let harness = try RealHarness()
        let green = PixelColor(0, 255, 0)
        harness.server.script("/a.png", answer: Self.tagged(TestPictures.red, "\"1\""))
        let variants: [@Sendable (inout LoadContext) -> Void] = [
            { $0.thumbnailPixelSize = .init(10, 10) }, { $0.transformer = .flipping(.horizontal) },
        ]
        _ = try await harness.load("/a.png")
        for variant in variants {
            let result = try await harness.load("/a.png", [], variant)
            #expect(result.image.pixels.color(x: 2, y: 2) == red)
        }
        #expect(harness.cache.totalDiskCount == 3)
        harness.server.script("/a.png", answer: Self.tagged(Self.green, "\"2\""))
        let events = await harness.events("/a.png", [.refreshCached])
        #expect(events.stale?.image.pixels.color(x: 0, y: 0) == red)
        #expect(events.finished?.image.pixels.color(x: 0, y: 0) == green && events.finished?.freshness == .loaded)
        for variant in variants {
            let again = try await harness.load("/a.png", [], variant)
            #expect(again.image.pixels.color(x: 2, y: 2) == green && again.source == .disk)
        }
        #expect(harness.server.requests(to: "/a.png").count == 2)
        // A process that has never heard of the change reads the disk rightly too.
        for variant in variants {
            var request = harness.request("/a.png")
            variant(&request.context)
            let result = try await harness.restarted().image(for: request)
            #expect(result.image.pixels.color(x: 2, y: 2) == green && result.source == .disk)
        }
    }

    @Test("A changed thumbnail replaces an original that would not be stored by itself")
    func changedThumbnail() async throws {
        let harness = try RealHarness()
        harness.server.script("/a.png", answer: Self.tagged(TestPictures.red, "\"1\""))
        _ = try await harness.load("/a.png")
        harness.server.script("/a.png", answer: Self.tagged(Self.green, "\"2\""))
        let result = try await harness.load("/a.png", [.refreshCached]) { context in
            context.thumbnailPixelSize = .init(10, 10)
            context.originalStoreCacheType = .none
        }
        #expect(result.image.pixels.color(x: 2, y: 2) == PixelColor(0, 255, 0))
        let whole = try await harness.restarted().image(for: harness.request("/a.png"))
        #expect(whole.source == .disk && whole.image.pixels.color(x: 0, y: 0) == PixelColor(0, 255, 0))
    }

    @Test("Another process changed the disk: what is in memory here is not confirmed by its tag")
    func otherProcess() async throws {
        let harness = try RealHarness()
        harness.server.script("/a.png", answer: Self.tagged(TestPictures.red, "\"1\""))
        _ = try await harness.load("/a.png")
        harness.server.script("/a.png", answer: Self.tagged(Self.green, "\"2\""))
        _ = try await harness.restarted().image(for: harness.request("/a.png", [.refreshCached]))
        let result = try await harness.load("/a.png", [.refreshCached])
        #expect(result.image.pixels.color(x: 0, y: 0) == PixelColor(0, 255, 0))
    }

    @Test("304 for another version than the one there loads the picture anew")
    func wrongConfirmation() async throws {
        let harness = try RealHarness()
        harness.server.script("/a.png") { request in
            switch request.hitNumber {
            case 1: .picture().adding("ETag", "\"1\"")
            case 2: .status(304).adding("ETag", "\"2\"")
            default: .picture(Self.green).adding("ETag", "\"2\"")
            }
        }
        _ = try await harness.load("/a.png")
        let result = try await harness.load("/a.png", [.refreshCached])
        #expect(result.image.pixels.color(x: 0, y: 0) == PixelColor(0, 255, 0) && result.freshness == .loaded)
        #expect(harness.server.requests(to: "/a.png").map { $0.headers["If-None-Match"] } == [nil, "\"1\"", nil])
    }

    @Test("An error is the end, after the cached picture, which stays")
    func failed() async throws {
        let harness = try RealHarness()
        harness.server.script("/a.png", .picture(), .status(503), .picture())
        _ = try await harness.load("/a.png")
        let events = await harness.events("/a.png", [.refreshCached])
        #expect(events.names.filter { $0 != "progress" } == ["stale", "failed"])
        #expect(try await harness.load("/a.png").source == .memory)
    }

    @Test("Cancelling while the server is asked ends with cancelled, and once")
    func cancelled() async throws {
        let harness = try RealHarness()
        let gate = Gate()
        harness.server.script("/a.png", .picture(), .picture().held(by: gate))
        _ = try await harness.load("/a.png")
        let ended = LoadRecorder()
        let operation = harness.manager.load(harness.request("/a.png", [.refreshCached]), completion: ended.record)
        await gate.waitForArrivals(1)
        operation.cancel()
        #expect(ended.count == 1 && ended.successes.isEmpty)
        gate.open()
        while harness.manager.isRunning, !Task.isCancelled { await Task.yield() }
        #expect(ended.count == 1)
    }

    @Test("304 where nothing is cached is error 1002, and does not ban the URL")
    func notModifiedWithoutPicture() async throws {
        let harness = try RealHarness()
        harness.server.script("/a.png", .status(304), .picture())
        #expect(await code { () async throws(ImageError) in try await harness.load("/a.png") } == .cacheNotModified)
        #expect(harness.files.isEmpty)
        #expect(try await harness.load("/a.png").freshness == .loaded)
    }

    @Test("The loader is told of the cached picture")
    func loaderCachedImage() async throws {
        let cache = FakeCache()
        let loader = FakeLoader()
        let manager = ImageManager(cache: cache, loader: loader, coder: CodersManager([.png]))
        let url = try #require(URL(string: "https://h/a.png"))
        cache.scriptAllMissing()
        loader.script(url, .data(TestPictures.red))
        let first = try await manager.image(from: url)
        let second = try await manager.image(from: url, options: .refreshCached)
        #expect(loader.requests.map { $0.context.loaderCachedImage === first.image } == [false, true])
        #expect(second.freshness == .loaded)
        loader.script(url, .failure(ImageError(.cacheNotModified, .load, "unchanged")))
        #expect(try await manager.image(from: url, options: .refreshCached).freshness == .revalidated)
    }

    @Test("The bytes alone are asked about too")
    func data() async throws {
        let harness = try RealHarness()
        harness.server.script("/a.png", answer: Self.tagged(TestPictures.red, "\"1\""))
        for source in [LoadSource.network, .disk] {
            let result = try await harness.manager.data(for: harness.request("/a.png", [.refreshCached]))
            #expect(result.data == TestPictures.red && result.source == source)
            #expect(result.freshness == (source == .network ? .loaded : .revalidated))
        }
        #expect(try await harness.manager.data(for: harness.request("/a.png")).freshness == .cached)
        harness.server.script("/a.png", answer: Self.tagged(Self.green, "\"2\""))
        #expect(try await harness.manager.data(for: harness.request("/a.png", [.refreshCached])).data == Self.green)
        #expect(try await harness.manager.data(for: harness.request("/a.png")).data == Self.green)
    }
}

/// What a stream told.
struct EventLog {
    var names: [String] = []
    var stale: LoadResult?
    var finished: LoadResult?
}

extension RealHarness {
    func load(
        _ path: String, _ options: LoadOptions, _ change: (inout LoadContext) -> Void
    ) async throws(ImageError) -> LoadResult {
        var request = request(path, options)
        change(&request.context)
        return try await manager.image(for: request)
    }

    func events(_ path: String, _ options: LoadOptions) async -> EventLog {
        var log = EventLog()
        for await event in manager.events(for: request(path, options)) {
            switch event {
            case .progress, .partial: log.names.append("progress")
            case .stale(let result):
                log.names.append("stale")
                log.stale = result
            case .finished(let result):
                log.names.append("finished")
                log.finished = result
            case .failed: log.names.append("failed")
            case .cancelled: log.names.append("cancelled")
            }
        }
        return log
    }
}
