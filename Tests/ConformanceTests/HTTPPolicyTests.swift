import Foundation
import Synchronization
import Testing
import WebImage
import WebImageTesting

@Suite("The policy http: a cached picture is good as long as the server says", .timeLimit(.minutes(20)))
struct HTTPPolicyTests {
    /// The date as a test sets it.
    private final class SetClock: WallClock {
        private let time = Mutex(SystemWallClock().now)
        var now: WallTime { time.withLock { $0 } }
        func advance(_ seconds: Int64) { time.withLock { $0.seconds += seconds } }
    }

    private struct Parts {
        let harness: RealHarness
        let clock = SetClock()
        let manager: ImageManager

        init(_ answers: @escaping @Sendable (ScriptedHTTPRequest) -> ScriptedAnswer) throws {
            harness = try RealHarness()
            harness.server.script("/a.png", answer: answers)
            var configuration = ImageManager.Configuration()
            configuration.cachePolicy = .http
            configuration.wallClock = clock
            manager = ImageManager(
                cache: harness.cache, loader: harness.downloader, coder: CodersManager([.png]),
                configuration: configuration)
        }

        func load(_ change: (inout ImageRequest) -> Void = { _ in }) async throws(ImageError) -> LoadResult {
            var request = harness.request("/a.png")
            change(&request)
            return try await manager.image(for: request)
        }

        var requests: [ScriptedHTTPRequest] { harness.server.requests(to: "/a.png") }
    }

    private static let blue = TestPictures.solidPNG(red: 0, green: 0, blue: 255, width: 8, height: 8)

    private static func answer(_ control: String) -> @Sendable (ScriptedHTTPRequest) -> ScriptedAnswer {
        let tag = "\"1\""
        return { request in
            let isKnown = request.headers["If-None-Match"] == tag
            return (isKnown ? ScriptedAnswer.status(304) : .picture()).adding("ETag", tag).adding(
                "Cache-Control", control)
        }
    }

    @Test("Fresh: nobody is asked; then a question, and 304 makes it fresh again, in memory and on disk")
    func freshness() async throws {
        let parts = try Parts(Self.answer("max-age=60"))
        for _ in 0..<3 {
            #expect(try await parts.load().freshness == .loaded || parts.requests.count > 1)
            parts.clock.advance(59)
            #expect(try await parts.load().freshness == .cached)
            parts.harness.cache.clearMemory()
            #expect(try await parts.load().source == .disk)
            parts.clock.advance(1)
            #expect(try await parts.load().freshness == .revalidated)
            parts.harness.cache.clearMemory()
            #expect(try await parts.load().freshness == .cached)
            parts.clock.advance(60)
        }
        #expect(parts.requests.count == 6)
    }

    @Test("A variant is as fresh as its original, and is confirmed with it")
    func variants() async throws {
        let parts = try Parts(Self.answer("max-age=60"))
        _ = try await parts.load()
        let thumbnail: (inout ImageRequest) -> Void = { $0.context.thumbnailPixelSize = .init(10, 10) }
        #expect(try await parts.load(thumbnail).freshness == .cached)
        parts.clock.advance(60)
        #expect(try await parts.load().freshness == .revalidated)
        let result = try await parts.load(thumbnail)
        #expect(result.freshness == .cached && result.image.pixelSize == PixelSize(10, 10))
        #expect(parts.requests.count == 2)
    }

    @Test("One request may have the policy, another not")
    func perRequest() async throws {
        let parts = try Parts(Self.answer("no-cache"))
        _ = try await parts.load()
        #expect(try await parts.load { $0.context.cachePolicy = .untilExpired }.freshness == .cached)
        #expect(try await parts.load().freshness == .revalidated)
        #expect(try await parts.load { $0.options.insert(.fromCacheOnly) }.freshness == .cached)
    }

    @Test("no-store never comes to lie on disk, whatever the policy, and is not used again under http")
    func noStore() async throws {
        let parts = try Parts(Self.answer("no-store"))
        for policy in CachePolicy.allCases {
            let result = try await parts.load { $0.context.cachePolicy = policy }
            #expect(result.freshness == .loaded)
            _ = try await parts.load {
                $0.context.cachePolicy = policy
                $0.context.transformer = .flipping(.horizontal)
                $0.options.insert(.fromLoaderOnly)
            }
            _ = try await parts.manager.data(for: parts.harness.request("/a.png", [.fromLoaderOnly]))
            parts.harness.cache.clearMemory()
        }
        #expect(parts.harness.files.isEmpty)
        let before = parts.requests.count
        _ = try await parts.load()
        _ = try await parts.load()
        #expect(parts.requests.count == before + 2)
    }

    @Test("A picture that the server forbids to store after all is removed")
    func laterNoStore() async throws {
        let parts = try Parts { request in
            request.hitNumber == 1
                ? .picture().adding("Cache-Control", "max-age=0")
                : .picture(Self.blue)
                    .adding("Cache-Control", "no-store")
        }
        _ = try await parts.load()
        #expect(parts.harness.cache.totalDiskCount == 1)
        #expect(try await parts.load().image.pixelSize == PixelSize(8, 8))
        #expect(parts.harness.cache.totalDiskCount == 0)
    }

    @Test("stale-while-revalidate: the cached picture at once, and the server is asked meanwhile")
    func staleWhileRevalidate() async throws {
        let parts = try Parts(Self.answer("max-age=10, stale-while-revalidate=60"))
        _ = try await parts.load()
        parts.clock.advance(20)
        #expect(try await parts.load().freshness == .stale)
        while parts.manager.isRunning, !Task.isCancelled { await Task.yield() }
        #expect(try await parts.load().freshness == .cached)
        #expect(parts.requests.count == 2 && parts.requests[1].headers["If-None-Match"] == "\"1\"")
        parts.clock.advance(71)
        #expect(try await parts.load().freshness == .revalidated)
    }

    @Test("stale-if-error: the cached picture stands in for a server that cannot answer, for so long and no longer")
    func staleIfError() async throws {
        let parts = try Parts { request in
            request.hitNumber == 1
                ? .picture().adding("Cache-Control", "max-age=10, stale-if-error=60")
                : request.hitNumber == 2 ? .status(503) : .status(404)
        }
        _ = try await parts.load()
        parts.clock.advance(20)
        #expect(try await parts.load().freshness == .stale)
        await #expect { try await parts.load() } throws: { ($0 as? ImageError)?.statusCode == 404 }
        parts.harness.server.stop()
        parts.manager.removeAllFailedURLs()
        #expect(try await parts.load().freshness == .stale)
        parts.clock.advance(60)
        await #expect(throws: ImageError.self) { try await parts.load() }
    }

    @Test("Vary: what was stored for other header fields is a miss; for the same ones a hit")
    func vary() async throws {
        let parts = try Parts { request in
            let isGerman = request.headers["Accept-Language"] == "de"
            return .picture(isGerman ? TestPictures.red : Self.blue)
                .adding("Cache-Control", "max-age=60").adding("Vary", "Accept-Language").adding("ETag", "\"1\"")
        }
        let german: (inout ImageRequest) -> Void = { $0.context.headers = ["Accept-Language": "de"] }
        #expect(try await parts.load(german).image.pixelSize == PixelSize(64, 64))
        #expect(try await parts.load(german).freshness == .cached)
        let other = try await parts.load()
        #expect(other.image.pixelSize == PixelSize(8, 8) && other.freshness == .loaded)
        #expect(parts.requests.map { $0.headers["If-None-Match"] } == [nil, nil])
        #expect(try await parts.load().freshness == .cached)
        parts.harness.cache.clearMemory()
        #expect(try await parts.load(german).image.pixelSize == PixelSize(64, 64))
        #expect(parts.requests.count == 3)
    }

    @Test("Vary: * is asked for anew each time")
    func varyStar() async throws {
        let parts = try Parts { _ in .picture().adding("Cache-Control", "max-age=60").adding("Vary", "*") }
        for _ in 0..<2 { #expect(try await parts.load().freshness == .loaded) }
        #expect(parts.requests.count == 2)
    }

    @Test("immutable: not even refreshCached asks while it is fresh")
    func immutable() async throws {
        let parts = try Parts(Self.answer("max-age=60, immutable"))
        _ = try await parts.load()
        #expect(try await parts.load { $0.options.insert(.refreshCached) }.freshness == .cached)
        parts.clock.advance(60)
        #expect(try await parts.load { $0.options.insert(.refreshCached) }.freshness == .revalidated)
        #expect(parts.requests.count == 2)
    }

    @Test("Many loads of one stale picture at once are all confirmed")
    func together() async throws {
        let gate = Gate()
        let parts = try Parts { request in
            request.hitNumber == 1
                ? .picture().adding("ETag", "\"1\"") : .status(304).held(by: gate)
        }
        _ = try await parts.load()
        async let results = withTaskGroup(of: LoadResult.Freshness?.self) { group in
            for _ in 0..<10 { group.addTask { try? await parts.load().freshness } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        await gate.waitForArrivals(1)
        gate.open()
        #expect(await results == Array(repeating: .revalidated, count: 10))
    }
}
