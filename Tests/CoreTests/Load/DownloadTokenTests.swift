import Foundation
import Synchronization
import Testing
import WebImageTesting

@testable import WebImageCore

@Suite("A download's token, its modifiers and what observers hear", .timeLimit(.minutes(20)))
struct DownloadTokenTests {
    private let url = URL(string: "https://h/a")!
    private let picture = Data("a picture".utf8)

    private func makeRequest(_ path: String = "a", _ options: LoadOptions = []) -> ImageRequest {
        ImageRequest(URL(string: "https://h/\(path)"), options: options)
    }

    @Test("The token shows request, response and metrics, while it runs and after the end, to all who share")
    func token() throws {
        let transport = HandTransport()
        let downloader = ImageDownloader(transport: transport, configuration: .patient)
        let tokens = (0..<2).map { _ in downloader.download(makeRequest()) { _ in } }
        #expect(tokens.map { $0.request?.url } == [url, url])
        #expect(tokens.map { $0.response == nil } == [true, true])
        transport.exchanges[0].head(200, ["X-A": "1"], byteCount: 9)
        #expect(tokens.map { $0.response?.headers["X-A"] } == ["1", "1"])
        transport.exchanges[0].send(picture)
        transport.exchanges[0].end()
        #expect(tokens.map { $0.response?.statusCode } == [200, 200])
        #expect(tokens.allSatisfy { $0.metrics?.total ?? .zero > .zero && $0.url == url })
        #expect(transport.exchanges.count == 1)
    }

    @Test("Two who differ in a header share nothing")
    func headersAreHeard() {
        let transport = HandTransport()
        let downloader = ImageDownloader(transport: transport, configuration: .patient)
        for value in ["1", "2", "1"] {
            var request = makeRequest()
            request.context.headers = ["X-Who": value]
            downloader.download(request) { _ in }
        }
        #expect(transport.exchanges.map { $0.request.headers["X-Who"] } == ["1", "2"])
    }

    @Test(
        "A private address behind a proxy is refused however it is spelled, before anything is sent",
        arguments: ["127.0.0.1", "2130706433", "0x7f.1", "017700000001", "127.1", "10.0.0.1.", "[::1]", "012.1.2.3"])
    func guardedBehindProxy(_ host: String) throws {
        let transport = HandTransport()
        var configuration = DownloaderConfiguration.patient
        configuration.addressPolicy = .publicInternetOnly
        configuration.proxy = .url(try #require(URL(string: "http://proxy:1")), except: [])
        let downloader = ImageDownloader(transport: transport, configuration: configuration)
        let code = Mutex<ImageError.Code?>(nil)
        let url = try #require(URL(string: "http://\(host)/a"))
        downloader.download(ImageRequest(url)) { result in
            if case .failure(let error) = result { code.withLock { $0 = error.code } }
        }
        #expect(code.withLock { $0 } == .addressRefused && transport.exchanges.isEmpty)
    }

    @Test("A priority that changes while running reaches the transfer")
    func runningPriority() {
        let transport = HandTransport()
        let downloader = ImageDownloader(transport: transport, configuration: .patient)
        let token = downloader.download(makeRequest()) { _ in }
        let other = downloader.download(makeRequest()) { _ in }
        token.priority = .high
        #expect(transport.exchanges[0].priorityLog.last == .high)
        token.cancel()
        #expect(transport.exchanges[0].priorityLog.last == .normal)
        other.priority = .low
        #expect(transport.exchanges[0].priorityLog.last == .low)
    }

    @Test("Suspended: what is asked for waits, what runs goes on")
    func suspended() {
        let transport = HandTransport()
        let downloader = ImageDownloader(transport: transport, configuration: .patient)
        let ends = Ends()
        downloader.download(makeRequest("1"), completion: ends.note)
        downloader.isSuspended = true
        downloader.download(makeRequest("2"), completion: ends.note)
        #expect(downloader.isSuspended && transport.exchanges.count == 1 && downloader.currentDownloadCount == 2)
        transport.exchanges[0].answer(body: picture)
        #expect(ends.codes == [0] && transport.exchanges.count == 1)
        downloader.isSuspended = false
        #expect(transport.exchanges.count == 2)
        downloader.cancelAllDownloads()
        #expect(ends.codes == [0, 2002])
    }

    @Test("An asynchronous request modifier is waited for; a cancel meanwhile ends the load at once, without a request")
    func asynchronousRequestModifier() async {
        let transport = HandTransport()
        let started = Gate()
        transport.onNextStart = { started.open() }
        let gate = Gate()
        var configuration = DownloaderConfiguration.patient
        configuration.requestModifier = RequestModifier(async: { request in
            var request = request
            await gate.wait()
            request.headers["Authorization"] = "Bearer T"
            return request
        })
        let downloader = ImageDownloader(transport: transport, configuration: configuration)
        let ends = Ends()
        let cancelled = downloader.download(makeRequest("1"), completion: ends.note)
        downloader.download(makeRequest("2"), completion: ends.note)
        await gate.waitForArrivals(2)
        #expect(downloader.currentDownloadCount == 2)
        cancelled.cancel()
        #expect(ends.codes == [2002])
        gate.open()
        await started.wait()
        #expect(transport.exchanges.map(\.request.url.path) == ["/2"])
        #expect(transport.exchanges.map { $0.request.headers["Authorization"] } == ["Bearer T"])
        downloader.cancelAllDownloads()
    }

    @Test("An asynchronous response modifier may answer after the body's end")
    func asynchronousResponseModifier() async {
        let transport = HandTransport()
        let gate = Gate()
        var configuration = DownloaderConfiguration.patient
        configuration.responseModifier = ResponseModifier(async: { response in
            var response = response
            await gate.wait()
            response.statusCode = response.url.path == "/1" ? 200 : 410
            return response
        })
        let downloader = ImageDownloader(transport: transport, configuration: configuration)
        let ends = [Ends(), Ends()]
        for (index, end) in ends.enumerated() {
            downloader.download(makeRequest("\(index + 1)"), completion: end.note)
            transport.exchanges[index].answer(404, body: picture)
        }
        #expect(ends.map(\.codes) == [[], []] && downloader.currentDownloadCount == 2)
        gate.open()
        for end in ends { await end.ended.wait() }
        #expect(ends.map(\.codes) == [[0], [2001]])
        #expect(ends[0].data == picture)
    }

    @Test("Observers hear the start, the answer, the stop and the finish, once for all who share")
    func events() {
        let log = Mutex<[String]>([])
        var configuration = DownloaderConfiguration.patient
        configuration.observer = { event in
            let text =
                switch event.kind {
                case .started: "started"
                case .receivedResponse(let response): "response \(response.statusCode)"
                case .stopped(let error, _): "stopped \(error?.code.rawValue ?? 0)"
                case .finished(let metrics): metrics.total > .zero ? "finished" : "finished in no time"
                }
            log.withLock { $0.append("\(event.id) \(text) \(event.request.url.path)") }
        }
        let transport = HandTransport()
        let downloader = ImageDownloader(transport: transport, configuration: configuration)
        for _ in 0..<3 { downloader.download(makeRequest()) { _ in } }
        transport.exchanges[0].answer(302, ["Location": "/b"])
        transport.exchanges[1].answer(body: picture)
        downloader.download(makeRequest("c")) { _ in }
        transport.exchanges[2].answer(404)
        #expect(
            log.withLock { $0 } == [
                "1 started /a", "1 response 200 /b", "1 stopped 0 /b", "1 finished /b", "2 started /c",
                "2 response 404 /c", "2 stopped 2001 /c",
            ])
    }

    @Test("DL-13 continueInBackground holds the application until the end; expiry cancels")
    func DL_13_background() {
        let activity = CountingActivity()
        var configuration = DownloaderConfiguration.patient
        configuration.backgroundActivity = activity
        let transport = HandTransport()
        let downloader = ImageDownloader(transport: transport, configuration: configuration)
        let ends = Ends()
        downloader.download(makeRequest("1"), completion: ends.note)
        downloader.download(makeRequest("2", .continueInBackground), completion: ends.note)
        downloader.download(makeRequest("3", .continueInBackground), completion: ends.note)
        #expect(activity.log == ["begin 1", "begin 2"])
        transport.exchanges[1].answer(body: picture)
        #expect(activity.log == ["begin 1", "begin 2", "end 1"] && ends.codes == [0])
        activity.expire(2)
        #expect(activity.log == ["begin 1", "begin 2", "end 1", "end 2"] && ends.codes == [0, 2002])
        downloader.cancelAllDownloads()
    }

    @Test("handleCookies and allowInvalidSSLCertificates reach the wire, of their own load alone; loads share neither")
    func wireOptions() {
        let transport = HandTransport()
        let downloader = ImageDownloader(transport: transport, configuration: .patient)
        let ends = Ends()
        for options in [[], .handleCookies, .allowInvalidSSLCertificates, .handleCookies] as [LoadOptions] {
            downloader.download(makeRequest("1", options), completion: ends.note)
        }
        let requests = transport.exchanges.map(\.request)
        // The last one joined the second.
        #expect(requests.map { $0.cookieJar != nil } == [false, true, false])
        #expect(requests.map(\.allowsInvalidCertificate) == [false, false, true])
        for exchange in transport.exchanges { exchange.answer(body: picture) }
        #expect(ends.codes == [0, 0, 0, 0])
    }

    @Test("DL-17 progress comes at least once, and no more often than the interval says")
    func DL_17_progressInterval() {
        var configuration = DownloaderConfiguration.patient
        configuration.minimumProgressInterval = 0.51
        let transport = HandTransport()
        let downloader = ImageDownloader(transport: transport, configuration: configuration)
        let counts = Mutex<[Int]>([])
        downloader.download(
            makeRequest(),
            progress: { progress in
                counts.withLock { $0.append(progress.receivedByteCount) }
            }, completion: { _ in })
        transport.exchanges[0].head(byteCount: 100)
        for _ in 0..<100 { transport.exchanges[0].send(Data([1])) }
        transport.exchanges[0].end()
        #expect(counts.withLock { $0 } == [0, 51, 100])
    }

    @Test("A scheme or a port that is not allowed is refused before any request, and as a redirect's target")
    func allowLists() {
        var configuration = DownloaderConfiguration.patient
        configuration.allowedSchemes = ["https"]
        configuration.allowedPorts = [443, 8443]
        let transport = HandTransport()
        let downloader = ImageDownloader(transport: transport, configuration: configuration)
        let ends = Ends()
        for text in ["http://h/a", "https://h:444/a"] {
            downloader.download(ImageRequest(URL(string: text)), completion: ends.note)
        }
        #expect(ends.codes == [3108, 3108] && transport.exchanges.isEmpty)
        downloader.download(makeRequest(), completion: ends.note)
        transport.exchanges[0].answer(302, ["Location": "https://h:8443/b"])
        transport.exchanges[1].answer(302, ["Location": "https://h:22/b"])
        #expect(ends.codes == [3108, 3108, 3108] && transport.exchanges.count == 2)
    }

    @Test("A part that nobody asked for is no picture; one that was asked for is")
    func partialContent() {
        let transport = HandTransport()
        let downloader = ImageDownloader(transport: transport, configuration: .patient)
        let ends = Ends()
        downloader.download(makeRequest(), completion: ends.note)
        transport.exchanges[0].answer(206, body: picture)
        var request = makeRequest()
        request.context.headers = ["Range": "bytes=0-8"]
        downloader.download(request, completion: ends.note)
        transport.exchanges[1].answer(206, body: picture)
        #expect(ends.codes == [2003, 0])
    }

    @Test("Nothing secret is in what a request, a credential or a proxy prints as")
    func secrets() throws {
        var request = HTTPRequest(url: try #require(URL(string: "https://user:s3cret@h/a")))
        request.headers["Authorization"] = "Bearer s3cret"
        let proxy = HTTPProxy.url(try #require(URL(string: "http://user:s3cret@p:1")), except: [])
        let credential = DownloaderConfiguration.Credential(user: "user", password: "s3cret")
        let certificate = ClientCertificate(file: URL(fileURLWithPath: "/c.pem"), password: "s3cret")
        for text in [
            "\(request)", String(reflecting: request), "\(proxy)", "\(credential)", String(reflecting: credential),
            "\(certificate)", String(reflecting: certificate),
        ] {
            #expect(!text.contains("s3cret") && !text.contains("user"), "\(text)")
        }
    }
}

private final class CountingActivity: BackgroundActivity {
    private struct State {
        var log: [String] = []
        var expiries: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    var log: [String] { state.withLock { $0.log } }

    func expire(_ activity: Int) {
        state.withLock { $0.expiries[activity - 1] }()
    }

    func begin(reason: String, onExpiry: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.expiries.append(onExpiry)
            state.log.append("begin \(state.expiries.count)")
            return UInt64(state.expiries.count)
        }
    }

    func end(_ activity: UInt64) {
        state.withLock { $0.log.append("end \(activity)") }
    }
}
