import Foundation
import Synchronization
import Testing
import WebImagePixels
import WebImageTesting

@testable import WebImageCore

@Suite("Under the policy http, loads share an answer that a cache could give them", .timeLimit(.minutes(5)))
struct CollapsingTests {
    private let cache = FakeCache()
    private let coder = FakeCoder()
    private let transport = HandTransport()
    private let downloader: ImageDownloader
    private let manager: ImageManager
    private let url = URL(string: "https://h/a.png")!
    private let bytes = Data("a picture".utf8)
    private let newBytes = Data("another one".utf8)

    init() {
        cache.scriptAllMissing()
        coder.script(bytes, .success(Self.picture(102)))
        coder.script(newBytes, .success(Self.picture(50)))
        downloader = ImageDownloader(transport: transport, configuration: .patient)
        var configuration = ImageManager.Configuration()
        configuration.cachePolicy = .http
        configuration.maxConcurrentTransforms = 2
        manager = ImageManager(cache: cache, loader: downloader, coder: coder, configuration: configuration)
    }

    private static func picture(_ side: Int) -> DecodedImage {
        DecodedImage(pixels: PixelBuffer(size: PixelSize(side, side))!, attributes: .init(format: .png))
    }

    private func load(_ change: (inout LoadContext) -> Void = { _ in }) -> Recorder {
        var request = ImageRequest(url)
        request.context.callbackQueue = .immediate
        change(&request.context)
        let recorder = Recorder()
        manager.load(request, completion: recorder.complete)
        return recorder
    }

    private func exchange(_ number: Int) async throws -> HandTransport.Exchange {
        while transport.exchanges.count < number { try await pause() }
        return transport.exchanges[number - 1]
    }

    /// The first load's exchange under way, and so many loads that wait for it too.
    private func joined(
        _ count: Int, _ change: (inout LoadContext) -> Void = { _ in }
    ) async throws -> (first: Recorder, late: [Recorder], exchange: HandTransport.Exchange) {
        let first = load(change)
        let exchange = try await exchange(1)
        let late = (0..<count).map { _ in load(change) }
        while manager.sources.waiterCounts != [count + 1] { try await pause() }
        return (first, late, exchange)
    }

    private func pause() async throws {
        try Task.checkCancellation()
        await Task.yield()
    }

    private func waitUntilNothingIsKept() async throws {
        while manager.isRunning || manager.sources.count > 0 || manager.files.count > 0 { try await pause() }
    }

    @Test("Fresh: one request for all who came while it was under way, and for who comes then")
    func fresh() async throws {
        let (first, late, exchange) = try await joined(20)
        exchange.answer(200, ["Cache-Control": "max-age=60"], body: bytes)
        for load in late + [first] { await load.ended.wait() }
        #expect(late.allSatisfy { $0.result?.freshness == .loaded && $0.completions.count == 1 })
        let next = load()
        await next.ended.wait()
        #expect(next.result?.freshness == .cached)
        #expect(transport.exchanges.count == 1)
        try await waitUntilNothingIsKept()
    }

    @Test("Fresh: loads that make different pictures of it, and one of its bytes, share it too")
    func variants() async throws {
        let first = load()
        let exchange = try await exchange(1)
        let small = load { $0.thumbnailPixelSize = ImageSize(10, 10) }
        let data = Task { try await manager.data(for: ImageRequest(url)).data }
        while manager.sources.waiterCounts != [1, 1] || manager.files.waiterCounts != [3] { try await pause() }
        exchange.answer(200, ["Cache-Control": "max-age=60"], body: bytes)
        await first.ended.wait()
        await small.ended.wait()
        #expect(small.result?.image.pixelSize == PixelSize(10, 10))
        #expect(try await data.value == bytes)
        #expect(transport.exchanges.count == 1)
        try await waitUntilNothingIsKept()
    }

    @Test("While the first is transformed, who comes then takes what is done, if it is fresh")
    func whileTransformed() async throws {
        let held = HeldTransformer()
        let first = load { $0.transformer = held }
        try await exchange(1).answer(200, ["Cache-Control": "max-age=60"], body: bytes)
        await held.gate.waitForArrivals(1)
        let late = load { $0.transformer = CountingTransformer("Other(1)") }
        await late.ended.wait()
        #expect(late.result?.image.pixelSize == PixelSize(10, 10))
        held.gate.open()
        await first.ended.wait()
        #expect(transport.exchanges.count == 1)
        try await waitUntilNothingIsKept()
    }

    @Test("no-cache, or too old: those who came too late for the first request ask about its answer, all together")
    func stale() async throws {
        for control in ["no-cache", "max-age=0"] {
            let fixture = CollapsingTests()
            let (first, late, exchange) = try await fixture.joined(5)
            exchange.answer(200, ["Cache-Control": control, "ETag": "\"1\""], body: bytes)
            await first.ended.wait()
            #expect(first.result?.freshness == .loaded)
            let question = try await fixture.exchange(2)
            #expect(question.request.headers["If-None-Match"] == "\"1\"")
            while fixture.manager.sources.waiterCounts.max() != 5 { try await pause() }
            #expect(late.allSatisfy { $0.completions.isEmpty })
            question.answer(304, ["Cache-Control": control, "ETag": "\"1\""])
            for load in late { await load.ended.wait() }
            #expect(late.allSatisfy { $0.result?.freshness == .revalidated })
            #expect(fixture.transport.exchanges.count == 2)
            try await fixture.waitUntilNothingIsKept()
        }
    }

    @Test("no-store: who came after the request was sent gets an answer of a later one, and nothing is kept")
    func noStore() async throws {
        let (first, late, exchange) = try await joined(5)
        exchange.answer(200, ["Cache-Control": "no-store", "ETag": "\"1\""], body: bytes)
        await first.ended.wait()
        let second = try await self.exchange(2)
        #expect(second.request.headers["If-None-Match"] == nil)
        while manager.sources.waiterCounts.max() != 5 { try await pause() }
        second.answer(200, ["Cache-Control": "no-store"], body: newBytes)
        for load in late { await load.ended.wait() }
        #expect(first.result?.image.pixelSize == PixelSize(102, 102))
        #expect(late.allSatisfy { $0.result?.image.pixelSize == PixelSize(50, 50) })
        #expect(transport.exchanges.count == 2 && cache.memory.isEmpty && cache.disk.isEmpty)
        try await waitUntilNothingIsKept()
    }

    @Test("no-store: the same holds for bytes")
    func noStoreBytes() async throws {
        let (manager, url) = (manager, url)
        let first = Task { try await manager.data(for: ImageRequest(url)).data }
        let exchange = try await exchange(1)
        let late = (0..<3).map { _ in Task { try await manager.data(for: ImageRequest(url)).data } }
        while manager.files.waiterCounts != [4] { try await pause() }
        let png = TestPictures.solidPNG(red: 0, green: 0, blue: 255, width: 8, height: 8)
        exchange.answer(200, ["Cache-Control": "no-store"], body: png)
        #expect(try await first.value == png)
        let second = try await self.exchange(2)
        while downloader.waiterCounts != [3] { try await pause() }
        second.answer(200, ["Cache-Control": "no-store"], body: TestPictures.red)
        for task in late { #expect(try await task.value == TestPictures.red) }
        #expect(transport.exchanges.count == 2 && cache.disk.isEmpty)
        try await waitUntilNothingIsKept()
    }

    @Test("Who asks with no-cache gets an answer to a request that was sent after that, however fresh another is")
    func demanding() async throws {
        let (first, late, exchange) = try await joined(2) { $0.headers = ["Cache-Control": "no-cache"] }
        exchange.answer(200, ["Cache-Control": "max-age=60", "ETag": "\"1\""], body: bytes)
        await first.ended.wait()
        let question = try await self.exchange(2)
        while manager.sources.waiterCounts.max() != 2 { try await pause() }
        question.answer(200, ["Cache-Control": "max-age=60", "ETag": "\"2\""], body: newBytes)
        for load in late { await load.ended.wait() }
        #expect(late.allSatisfy { $0.result?.image.pixelSize == PixelSize(50, 50) })
        #expect(transport.exchanges.count == 2)
        try await waitUntilNothingIsKept()
    }

    @Test("Vary: who would send other header fields by now takes no answer to the former ones")
    func vary() async throws {
        let first = load()
        let exchange = try await exchange(1)
        downloader.setValue("de", forHTTPHeaderField: "Accept-Language")
        let late = load()
        while manager.sources.waiterCounts != [2] { try await pause() }
        exchange.answer(
            200, ["Cache-Control": "max-age=60", "Vary": "Accept-Language", "ETag": "\"1\""], body: bytes)
        await first.ended.wait()
        let second = try await self.exchange(2)
        #expect(second.request.headers["Accept-Language"] == "de")
        second.answer(200, ["Cache-Control": "max-age=60", "Vary": "Accept-Language"], body: newBytes)
        await late.ended.wait()
        #expect(late.result?.image.pixelSize == PixelSize(50, 50))
        try await waitUntilNothingIsKept()
    }

    @Test("stale-while-revalidate: however many take the stale picture, the server is asked once meanwhile")
    func staleWhileRevalidate() async throws {
        let headers: HTTPHeaders = ["Cache-Control": "max-age=0, stale-while-revalidate=600", "ETag": "\"1\""]
        let first = load()
        try await exchange(1).answer(200, headers, body: bytes)
        await first.ended.wait()
        let hits = (0..<5).map { _ in load() }
        for hit in hits { await hit.ended.wait() }
        #expect(hits.allSatisfy { $0.result?.freshness == .stale })
        let question = try await exchange(2)
        while manager.sources.waiterCounts != [5] { try await pause() }
        question.answer(304, headers)
        try await waitUntilNothingIsKept()
        #expect(transport.exchanges.count == 2)
    }

    @Test("A part that the caller's own Range brought is kept nowhere, for it is not the picture")
    func part() async throws {
        let load = load { $0.headers = ["Range": "bytes=0-8"] }
        try await exchange(1).answer(
            206, ["Cache-Control": "max-age=60", "Content-Range": "bytes 0-8/99"], body: bytes)
        await load.ended.wait()
        #expect(load.result != nil)
        try await waitUntilNothingIsKept()
        #expect(cache.memory.isEmpty && cache.disk.isEmpty)
    }

    @Test("An error is told to all who wait for it, and a load after it asks anew")
    func failure() async throws {
        let (first, late, exchange) = try await joined(3)
        exchange.answer(503)
        for load in late + [first] { await load.ended.wait() }
        #expect(late.allSatisfy { $0.error?.statusCode == 503 })
        let next = load()
        try await self.exchange(2).answer(200, body: bytes)
        await next.ended.wait()
        #expect(next.result != nil && transport.exchanges.count == 2)
        try await waitUntilNothingIsKept()
    }
}
