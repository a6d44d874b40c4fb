import Foundation
import Synchronization
import Testing
import WebImage
import WebImageTesting

/// Faults that people met in other libraries, with the right outcome; see `cases.md` of the project's references.
@Suite("Cases from the field", .timeLimit(.minutes(20)))
struct FieldCaseTests {
    /// Paints every picture one colour.
    private struct Paint: ImageTransformer {
        let key: String
        let color: PixelColor

        func transform(_ image: DecodedImage) throws(ImageError) -> DecodedImage {
            var pixels = image.pixels
            pixels.withUnsafeMutableBytes { bytes in
                for offset in stride(from: 0, to: bytes.count, by: 4) {
                    bytes.storeBytes(
                        of: SIMD4(color.red, color.green, color.blue, 255), toByteOffset: offset,
                        as: SIMD4<UInt8>.self)
                }
            }
            return image.transformed(to: pixels)
        }
    }

    @Test("B01 two processing chains, one disk key")
    func chains() async throws {
        let harness = try RealHarness()
        let green = PixelColor(0, 255, 0)
        let chains = [
            PipelineTransformer([Paint(key: "a-", color: red), Paint(key: "bc", color: red)]),
            PipelineTransformer([Paint(key: "a-b", color: green), Paint(key: "c", color: green)]),
        ]
        var request = harness.request("/img")
        for (chain, color) in zip(chains, [red, green]) {
            request.context.transformer = chain
            let result = try await harness.manager.image(for: request)
            #expect(result.image.pixels.color(x: 0, y: 0) == color)
            harness.cache.clearMemory()
        }
        // From disk each is still its own.
        for (chain, color) in zip(chains, [red, green]) {
            request.context.transformer = chain
            let result = try await harness.manager.image(for: request)
            #expect(result.source == .disk && result.image.pixels.color(x: 0, y: 0) == color)
        }
        #expect(harness.server.requests(to: "/img").count == 1)
        #expect(harness.cache.totalDiskCount == 3)
    }

    @Test("B06 a rounded picture of a JPEG keeps its transparency on disk")
    func B06_alphaOnDisk() async throws {
        let harness = try RealHarness()
        let orange = PixelColor(255, 128, 0)
        harness.server.script("/orange.jpg", .body(try await Self.orangeJPEG()))
        var request = harness.request("/orange.jpg")
        request.context.transformer = .roundCorner(8)
        let first = try await harness.manager.image(for: request)
        #expect(first.image.attributes.format == .jpeg && first.image.pixels.color(x: 0, y: 0)?.alpha == 0)
        let result = try await harness.restarted().image(for: request)
        #expect(result.source == .disk && harness.server.requests(to: "/orange.jpg").count == 1)
        let pixels = result.image.pixels
        #expect(pixels.size == PixelSize(32, 32) && pixels.color(x: 0, y: 0)?.alpha == 0)
        #expect(pixels.color(x: 16, y: 0)?.alpha == 255)
        let centre = try #require(pixels.color(x: 16, y: 16))
        #expect(centre.alpha == 255 && abs(Int(centre.red) - Int(orange.red)) <= 4)
        #expect(abs(Int(centre.green) - Int(orange.green)) <= 4 && centre.blue <= 4)
    }

    private static func orangeJPEG() async throws -> Data {
        let drawn = TestPictures.solidPNG(red: 255, green: 128, blue: 0, width: 32, height: 32)
        let coders = CodersManager([.png, .jpeg])
        return try coders.encode(coders.decode(drawn), to: .jpeg, options: EncodeOptions())
    }

    @Test("B07 redirects and the cache key", arguments: ["/redir_same", "/r301", "/r303", "/r307", "/r308"])
    func redirects(_ path: String) async throws {
        let harness = try RealHarness()
        let result = try await harness.load(path)
        #expect(result.image.pixels.color(x: 0, y: 0) == red && result.url == harness.server.url(path))
        harness.cache.clearMemory()
        let again = try await harness.load(path)
        #expect(again.source == .disk)
        #expect(harness.server.requests(to: path).count == 1 && harness.server.requests(to: "/img").count == 1)
        let key = CacheKey(harness.server.url(path).absoluteString)
        #expect(await harness.cache.contains(key) != .none)
    }

    @Test("B07 a chain of three is followed; a loop, a missing target and a file are one error each")
    func refusedRedirects() async throws {
        let harness = try RealHarness()
        harness.server.script("/one", .redirect(to: "/two"))
        harness.server.script("/two", .redirect(to: "/redir_same"))
        #expect(try await harness.load("/one").image.pixelSize == PixelSize(64, 64))
        #expect(await code { () async throws(ImageError) in try await harness.load("/loop") } == .redirectRefused)
        #expect(harness.server.requests(to: "/loop").count == 11)
        #expect(
            await code { () async throws(ImageError) in try await harness.load("/noloc") } == .invalidDownloadResponse)
        #expect(await code { () async throws(ImageError) in try await harness.load("/to_file") } == .redirectRefused)
    }

    @Test("B08 error pages are not filed as pictures")
    func errorPages() async throws {
        let harness = try RealHarness()
        harness.server.script("/204", .status(204))
        try harness.serve("zero_width.png")
        for path in ["/html", "/empty", "/204", "/404img", "/f/zero_width.png"] {
            let ended = LoadRecorder()
            harness.manager.load(harness.request(path), completion: ended.record)
            await ended.ended.wait()
            #expect(ended.successes.isEmpty && ended.count == 1, "\(path)")
        }
        #expect(harness.files.isEmpty)
        let result = try await harness.load("/html", [.retryFailed])
        #expect(result.image.pixels.color(x: 0, y: 0) == red)
        #expect(harness.server.requests(to: "/html").count == 2)
    }

    @Test("B10 half a download is not kept as whole", arguments: ["/trunc", "/chunk_cut"])
    func truncated(_ path: String) async throws {
        let harness = try RealHarness()
        let code = await code { () async throws(ImageError) in try await harness.load(path) }
        #expect(code == .truncatedBody || code == .connectionLost)
        #expect(harness.files.isEmpty)
        if path == "/trunc" {
            let result = try await harness.load(path, [.retryFailed])
            #expect(result.image.pixels.color(x: 0, y: 0) == red)
        }
    }

    @Test("B10 half a picture without a length is a decode error, and nothing is stored")
    func truncatedWithoutLength() async throws {
        let harness = try RealHarness()
        harness.server.script("/cut.jpg", .body(try fixture("cut60.jpg")).untilClose())
        for path in ["/trunc_nolen", "/cut.jpg"] {
            #expect(await code { () async throws(ImageError) in try await harness.load(path) } == .badImageData)
            #expect(harness.files.isEmpty)
            _ = try? await harness.load(path, [.retryFailed])
            #expect(harness.server.requests(to: path).count == 2)
        }
    }

    @Test("B13 credentials do not cross to another origin")
    func credentials() async throws {
        let harness = try RealHarness()
        var request = harness.request("/redir")
        request.context.headers = ["Authorization": "Bearer T", "Cookie": "c=1"]
        _ = try await harness.manager.image(for: request)
        #expect(harness.server.requests(to: "/redir").first?.headers["Authorization"] == "Bearer T")
        let crossed = try #require(harness.other.requests(to: "/img").first)
        #expect(crossed.headers["Authorization"] == nil && crossed.headers["Cookie"] == nil)
    }

    @Test("B13 a cookie set by a redirect comes with the next request where cookies are on, and only there")
    func cookies() async throws {
        let harness = try RealHarness()
        _ = try await harness.load("/redir_same")
        _ = try await harness.load("/redir_same", [.handleCookies, .fromLoaderOnly])
        let hops = harness.server.requests(to: "/img").map { $0.headers["Cookie"] }
        #expect(hops == [nil, "sid=1"])
        // Kept for later loads of the same downloader that want cookies, for no others, and for no other host.
        _ = try await harness.load("/redir", [.handleCookies])
        #expect(harness.server.requests(to: "/redir").first?.headers["Cookie"] == "sid=1")
        _ = try await harness.load("/x.jpg")
        #expect(harness.server.requests(to: "/x.jpg").first?.headers["Cookie"] == nil)
        harness.downloader.removeAllCookies()
        _ = try await harness.load("/x.jpg", [.handleCookies, .fromLoaderOnly])
        #expect(harness.server.requests(to: "/x.jpg").last?.headers["Cookie"] == nil)
    }

    @Test("B13 a wrong password ends in 401 after one question; without one there is no question")
    func wrongPassword() async throws {
        var configuration = DownloaderConfiguration()
        configuration.credential = .init(user: "u", password: "bad")
        for (configuration, requests) in [(configuration, 2), (.init(), 1)] {
            let harness = try RealHarness(configuration)
            await #expect { try await harness.load("/basic") } throws: { ($0 as? ImageError)?.statusCode == 401 }
            #expect(harness.server.requests(to: "/basic").count == requests)
        }
    }

    @Test("B14 one hiccup does not ban a URL", arguments: ["/once503", "/reset1"])
    func hiccups(_ path: String) async throws {
        let harness = try RealHarness()
        await #expect(throws: ImageError.self) { try await harness.load(path) }
        #expect(try await harness.load(path).image.pixels.color(x: 0, y: 0) == red)
    }

    @Test("B14 undecodable bytes ban a URL until it is asked for with retryFailed")
    func banned() async throws {
        let harness = try RealHarness()
        harness.server.script("/text", .body(Data("no picture".utf8)))
        #expect(await code { () async throws(ImageError) in try await harness.load("/text") } == .unknownFormat)
        #expect(await code { () async throws(ImageError) in try await harness.load("/text") } == .blackListed)
        #expect(harness.server.requests(to: "/text").count == 1)
        _ = try? await harness.load("/text", [.retryFailed])
        harness.manager.removeFailedURL(harness.server.url("/text"))
        _ = try? await harness.load("/text")
        #expect(harness.server.requests(to: "/text").count == 3)
    }

    @Test("B17 cancelled once, told once")
    func cancelStorm() async throws {
        let harness = try RealHarness()
        harness.server.script("/cached", .picture())
        _ = try await harness.load("/cached")
        var recorders: [LoadRecorder] = []
        for index in 0..<2000 {
            let recorder = LoadRecorder()
            recorders.append(recorder)
            // Each a URL of its own, so that nothing is shared away; the query is no part of the script.
            var request = harness.request(index.isMultiple(of: 2) ? "/slow?\(index)" : "/cached")
            request.context.queryCacheType = .disk
            let operation = harness.manager.load(request, completion: recorder.record)
            let turns = Int.random(in: 0..<20)
            Task.detached {
                for _ in 0..<turns { await Task.yield() }
                for _ in 0..<(index.isMultiple(of: 10) ? 3 : 1) { operation.cancel() }
                recorder.cancelReturned()
            }
        }
        for recorder in recorders { await recorder.ended.wait() }
        harness.manager.cancelAll()
        while harness.manager.isRunning, !Task.isCancelled { await Task.yield() }
        #expect(recorders.allSatisfy { $0.count == 1 })
        #expect(recorders.allSatisfy { $0.successesAfterCancel == 0 })
        await harness.allExchangesOver()
    }

    @Test("B17 cancel after the end adds nothing; cancelAll with 64 in flight ends each once")
    func cancelAll() async throws {
        let harness = try RealHarness()
        let done = LoadRecorder()
        let operation = harness.manager.load(harness.request("/img"), completion: done.record)
        await done.ended.wait()
        for _ in 0..<100 { operation.cancel() }
        #expect(done.count == 1 && done.successes.count == 1)

        let recorders = (0..<64).map { _ in LoadRecorder() }
        for (index, recorder) in recorders.enumerated() {
            harness.manager.load(harness.request("/slow?\(index)"), completion: recorder.record)
        }
        await harness.server.waitForRequest(to: "/slow", count: 1)
        harness.manager.cancelAll()
        #expect(recorders.allSatisfy { $0.count == 1 && $0.successes.isEmpty })
        await harness.allExchangesOver()
        #expect(harness.downloader.currentDownloadCount == 0)
    }

    @Test("B36 a PNG under a wrong name and type is a PNG; other media are of no known format")
    func misnamed() async throws {
        let harness = try RealHarness()
        try harness.serve("wave.bin")
        try harness.serve("isom.bin")
        #expect(try await harness.load("/x.jpg").image.attributes.format == .png)
        for name in ["wave.bin", "isom.bin"] {
            #expect(
                await code { () async throws(ImageError) in try await harness.load("/f/\(name)") } == .unknownFormat)
        }
    }
}

/// What a load's completion was told.
final class LoadRecorder: Sendable {
    private struct State {
        var results: [Result<LoadResult, ImageError>] = []
        var isCancelled = false
        var successesAfterCancel = 0
    }

    private let state = Mutex(State())
    let ended = Gate()

    var count: Int { state.withLock { $0.results.count } }
    var successes: [LoadResult] { state.withLock { $0.results.compactMap { try? $0.get() } } }
    var error: ImageError? {
        state.withLock { state in
            if case .failure(let error) = state.results.last { error } else { nil }
        }
    }
    var successesAfterCancel: Int { state.withLock { $0.successesAfterCancel } }

    func cancelReturned() {
        state.withLock { $0.isCancelled = true }
    }

    @Sendable func record(_ result: Result<LoadResult, ImageError>) {
        state.withLock { state in
            state.results.append(result)
            if state.isCancelled, case .success = result { state.successesAfterCancel += 1 }
        }
        ended.open()
    }
}
