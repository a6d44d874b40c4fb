import Foundation
import Synchronization
import Testing
import WebImage
import WebImageTesting

/// SDWebImage's assertions about its downloader, against real parts; those of `DownloaderTests`,
/// `LoaderSurfaceTests` and these.
@Suite("Downloader: modifiers, judgement, order", .timeLimit(.minutes(20)))
struct DownloaderSurfaceTests {
    @Test("DL-12 a downloader needs nothing but a transport")
    func DL_12_alone() async throws {
        let server = try ScriptedHTTPServer()
        server.script("/img", .picture())
        let downloader = ImageDownloader(transport: CurlTransport(configuration: .patient))
        let result = await bytes(downloader, server.url("/img"))
        #expect(try result.get().data == TestPictures.red)
    }

    @Test("DL-15 last in, first out, one at a time")
    func DL_15_order() async throws {
        var configuration = DownloaderConfiguration()
        configuration.maxConcurrentDownloads = 1
        configuration.executionOrder = .lastInFirstOut
        let harness = try RealHarness(configuration)
        let seventh = Gate()
        for number in 1...14 {
            let answer = ScriptedAnswer.picture()
            harness.server.script("/\(number)", number == 7 ? answer.held(by: seventh) : answer)
        }
        let first = Gate()
        harness.server.script("/1", .picture().held(by: first))
        let finished = Mutex<[String]>([])
        let gates = (1...14).map { _ in Gate() }
        let submit: @Sendable (ClosedRange<Int>) -> Void = { numbers in
            for number in numbers {
                harness.downloader.load(harness.request("/\(number)")) { _ in
                    finished.withLock { $0.append("\(number)") }
                    gates[number - 1].open()
                }
            }
        }
        submit(1...7)
        first.open()
        await harness.server.waitForRequest(to: "/7")
        submit(8...14)
        seventh.open()
        for gate in gates { await gate.wait() }
        #expect(finished.withLock { $0.joined(separator: " ") } == "1 7 14 13 12 11 10 9 8 6 5 4 3 2")
    }

    @Test("DL-22 a coder that was added decodes what was downloaded")
    func DL_22_coder() async throws {
        let harness = try RealHarness()
        let coder = FakeCoder()
        let pixels = try #require(PixelBuffer(size: PixelSize(3, 2)))
        coder.script(TestPictures.red, .success(DecodedImage(pixels: pixels)))
        let coders = CodersManager([.png, coder])
        let manager = ImageManager(cache: harness.cache, loader: harness.downloader, coder: coders)
        #expect(try await manager.image(for: harness.request("/img")).image.pixelSize == PixelSize(3, 2))
    }

    @Test("DL-23a the convenience modifier yields exactly the given headers, method and body")
    func DL_23a_headers() async throws {
        let harness = try RealHarness()
        harness.server.script("/post", .picture())
        var request = harness.request("/post")
        request.context.requestModifier = RequestModifier(
            method: "POST", headers: ["X-One": "1", "Accept": "image/png"], body: Data("b".utf8))
        _ = try await harness.manager.image(for: request)
        let sent = try #require(harness.server.requests(to: "/post").first)
        #expect(sent.method == "POST" && sent.body == Data("b".utf8))
        #expect(sent.headers["X-One"] == "1" && sent.headers["Accept"] == "image/png")
    }

    @Test("DL-23b a modifier may change header and query; one that refuses ends the load with an error")
    func DL_23b_request() async throws {
        let harness = try RealHarness()
        harness.server.script("/img?size=2", .picture())
        var request = harness.request("/img")
        request.context.requestModifier = RequestModifier { request in
            var request = request
            request.headers["Referer"] = "https://here"
            request.url = URL(string: request.url.absoluteString + "?size=2") ?? request.url
            return request
        }
        _ = try await harness.manager.image(for: request)
        #expect(harness.server.requests.map(\.target) == ["/img?size=2"])
        #expect(harness.server.requests.first?.headers["Referer"] == "https://here")
        var configuration = DownloaderConfiguration()
        configuration.requestModifier = RequestModifier { _ in nil }
        let refusing = ImageDownloader(transport: CurlTransport(configuration: .patient), configuration: configuration)
        #expect(await failure(bytes(refusing, harness.server.url("/img")))?.code.rawValue == 2000)
    }

    @Test("DL-24a a response modifier makes an error page a picture")
    func DL_24a_response() async throws {
        var configuration = DownloaderConfiguration()
        configuration.responseModifier = ResponseModifier(statusCode: 200, headers: ["X-Added": "1"])
        let harness = try RealHarness(configuration)
        let (token, result) = await download(harness, "/404img")
        #expect(try result.get().data == TestPictures.red)
        #expect(token.response?.statusCode == 200 && token.response?.headers["X-Added"] == "1")
        #expect(token.response?.headers["Content-Type"] == "image/png")
    }

    @Test("DL-24b a response modified to 404 is refused, and the token shows it")
    func DL_24b_refused() async throws {
        var configuration = DownloaderConfiguration()
        configuration.responseModifier = ResponseModifier(statusCode: 404, headers: ["X-Added": "1"])
        let harness = try RealHarness(configuration)
        let (token, result) = await download(harness, "/img")
        let error = failure(result)
        #expect(error?.code.rawValue == 2001 && error?.statusCode == 404)
        #expect(token.response?.statusCode == 404 && token.response?.headers["X-Added"] == "1")
    }

    @Test("DL-24c a load's own response modifier that refuses is error 2003")
    func DL_24c_refusing() async throws {
        let harness = try RealHarness()
        var request = harness.request("/img")
        request.context.responseModifier = ResponseModifier { _ in nil }
        #expect(
            await code { () async throws(ImageError) in try await harness.manager.image(for: request) }?.rawValue
                == 2003)
        #expect(harness.files.isEmpty)
        // The connection of the refused answer harms no other.
        #expect(try await harness.load("/img").data == TestPictures.red)
    }

    @Test("DL-25a the base64 decryptor on a file yields a picture")
    func DL_25a_base64() async throws {
        let harness = try RealHarness()
        let file = harness.folder.appending(path: "picture.b64")
        try FileManager.default.createDirectory(at: harness.folder, withIntermediateDirectories: true)
        try TestPictures.red.base64EncodedData(options: .lineLength76Characters).write(to: file)
        var request = ImageRequest(file)
        request.context.decryptor = .base64
        #expect(try await harness.manager.image(for: request).image.pixels.color(x: 0, y: 0) == red)
    }

    @Test("DL-25b a decryptor of one's own yields a picture, and the picture is what is stored")
    func DL_25b_own() async throws {
        let harness = try RealHarness()
        harness.server.script("/secret", .body(Data(TestPictures.red.map { $0 ^ 0x55 })))
        var request = harness.request("/secret")
        request.context.decryptor = Decryptor { data, response in
            response?.statusCode == 200 ? Data(data.map { $0 ^ 0x55 }) : nil
        }
        #expect(try await harness.manager.image(for: request).data == TestPictures.red)
        harness.cache.clearMemory()
        #expect(try await harness.load("/secret").source == .disk)
    }

    @Test("DL-25c a decryptor that makes nothing is error 1001")
    func DL_25c_nothing() async throws {
        var configuration = DownloaderConfiguration()
        configuration.decryptor = Decryptor { _, _ in nil }
        let harness = try RealHarness(configuration)
        let code = await code { () async throws(ImageError) in try await harness.load("/img") }
        #expect(code?.rawValue == 1001)
    }

    @Test("DL-26 the token's metrics tell of one exchange, from its start to its connection and its end")
    func DL_26_metrics() async throws {
        let harness = try RealHarness()
        let (token, result) = await download(harness, "/img")
        let metrics = try #require(token.metrics)
        #expect(try metrics == result.get().metrics)
        #expect(metrics.transfers.count == 1)
        let transfer = try #require(metrics.transfers.first)
        let connect = try #require(transfer.connect)
        let firstByte = try #require(transfer.firstByte)
        #expect(connect <= firstByte && firstByte <= transfer.total && transfer.total <= metrics.total)
        #expect(!transfer.isReusedConnection && transfer.protocolName == "http/1.1")
        #expect(transfer.receivedByteCount > TestPictures.red.count && transfer.sentByteCount > 50)
        #expect(transfer.remoteAddress == IPAddress("127.0.0.1") && transfer.secureConnect == nil)
        let loaded = try await harness.load("/img", [.fromLoaderOnly])
        #expect(loaded.downloadMetrics?.transfers.first?.isReusedConnection == true)
        #expect(try await harness.load("/img").downloadMetrics == nil)
        // A redirect is an exchange of its own, on the same connection.
        let second = await download(harness, "/redir_same").0.metrics
        #expect(second?.transfers.map(\.isReusedConnection) == [true, true])
        #expect(second?.transfers.map { $0.connect == nil } == [true, true])
    }

    @Test("DL-27 cancelling a manager's load while its request runs ends it with 2002")
    func DL_27_cancel() async throws {
        let harness = try RealHarness()
        let ended = LoadRecorder()
        let operation = harness.manager.load(harness.request("/sleep"), completion: ended.record)
        await harness.server.waitForRequest(to: "/sleep")
        operation.cancel()
        #expect(ended.count == 1 && ended.successes.isEmpty)
        await harness.allExchangesOver()
    }

    @Test("DL-29a a status that is not acceptable is error 2001, and the token shows it")
    func DL_29a_status() async throws {
        var configuration = DownloaderConfiguration()
        configuration.acceptableStatusCodes = [1]
        let harness = try RealHarness(configuration)
        let (token, result) = await download(harness, "/img")
        #expect(failure(result)?.code.rawValue == 2001 && token.response?.statusCode == 200)
    }

    @Test("DL-29b a content type that is not acceptable, or none, is error 2004, and the token shows it")
    func DL_29b_contentType() async throws {
        var configuration = DownloaderConfiguration()
        configuration.acceptableContentTypes = ["application/json"]
        let harness = try RealHarness(configuration)
        harness.server.script("/json", .body(Data("{}".utf8), type: "Application/JSON; charset=utf-8"))
        harness.server.script("/none", ScriptedAnswer(body: TestPictures.red))
        let (token, result) = await download(harness, "/img")
        #expect(failure(result)?.code.rawValue == 2004 && token.response?.mediaType == "image/png")
        #expect(failure(await download(harness, "/none").1)?.code.rawValue == 2004)
        #expect(try await download(harness, "/json").1.get().data == Data("{}".utf8))
    }

    private func bytes(_ downloader: ImageDownloader, _ url: URL) async -> Result<LoadedData, ImageError> {
        await withCheckedContinuation { continuation in
            downloader.load(ImageRequest(url)) { continuation.resume(returning: $0) }
        }
    }

    private func download(
        _ harness: RealHarness, _ path: String
    ) async -> (DownloadToken, Result<LoadedData, ImageError>) {
        let ended = Gate()
        let result = Mutex<Result<LoadedData, ImageError>?>(nil)
        let token = harness.downloader.download(harness.request(path)) { end in
            result.withLock { $0 = end }
            ended.open()
        }
        await ended.wait()
        return (token, result.withLock { $0 } ?? .failure(.cancelled(.load)))
    }

    private func failure(_ result: Result<LoadedData, ImageError>) -> ImageError? {
        if case .failure(let error) = result { error } else { nil }
    }
}
