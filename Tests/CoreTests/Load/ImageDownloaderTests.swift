import Dispatch
import Foundation
import Synchronization
import Testing

@testable import WebImageCore

@Suite("A download and its exchanges", .timeLimit(.minutes(20)))
struct ImageDownloaderTests {
    private let url = URL(string: "https://h/a")!

    @Test("Cancelling ends the exchange that runs, though the one before was over as soon as it began")
    func cancelAfterQuickRedirect() throws {
        let transport = HandTransport { exchange in
            guard exchange.request.url.path == "/a" else { return }
            exchange.answer(302, ["Location": "/b"])
        }
        let downloader = ImageDownloader(transport: transport, configuration: .patient)
        let operation = downloader.load(ImageRequest(url)) { _ in }
        #expect(transport.exchanges.map(\.request.url.path) == ["/a", "/b"])
        operation.cancel()
        #expect(transport.exchanges.map(\.isCancelled) == [false, true])
    }

    @Test("An error page without an end is given up, though it came before the start of its exchange had returned")
    func quickErrorPage() {
        let transport = HandTransport { exchange in
            exchange.head(404, byteCount: nil)
            exchange.send(Data(count: 100))
        }
        let ends = Ends()
        ImageDownloader(transport: transport, configuration: .patient).load(ImageRequest(url), completion: ends.note)
        #expect(transport.exchanges.map(\.isCancelled) == [true])
        transport.exchanges[0].end(.cancelled(.load))
        #expect(ends.codes == [ImageError.Code.invalidDownloadStatusCode.rawValue])
    }

    @Test(
        "A server is held back for a slow reader, though its bytes came before the start of its exchange had returned")
    func quickBody() {
        let transport = HandTransport { exchange in
            exchange.head(200, byteCount: nil)
            for _ in 0..<5 { exchange.send(Data(count: 1 << 20)) }
        }
        let readers = Mutex<[any BodyReader]>([])
        ImageDownloader(transport: transport, configuration: .patient).load(ImageRequest(url)) { progress in
            guard let body = progress.body, readers.withLock({ $0.isEmpty }) else { return }
            let reader = body.reader()
            _ = reader.read()
            readers.withLock { $0.append(reader) }
        } completion: { _ in
        }
        #expect(transport.exchanges.map(\.pauseLog) == [[true]])
        let reader = readers.withLock { $0.removeFirst() }
        while !reader.read().isEmpty {}
        #expect(transport.exchanges.map(\.pauseLog) == [[true, false]])
        transport.exchanges[0].end()
    }

    private final class Witness: Sendable {}

    private enum Ending: CaseIterable {
        case success, failure, cancelledWhileRunning, cancelledInQueue
    }

    @Test("A download that is over is let go of, however it ended", arguments: Ending.allCases)
    private func letGoOf(_ ending: Ending) async {
        weak var witness: Witness?
        do {
            let object = Witness()
            witness = object
            var configuration = DownloaderConfiguration.patient
            configuration.maxConcurrentDownloadsPerHost = 1
            let transport = HandTransport()
            let downloader = ImageDownloader(transport: transport, configuration: configuration)
            if ending == .cancelledInQueue { downloader.load(ImageRequest(URL(string: "https://h/first"))) { _ in } }
            var request = ImageRequest(url)
            request.context.responseModifier = ResponseModifier { response in
                withExtendedLifetime(object) { response }
            }
            let operation = downloader.load(request) { _ in }
            switch ending {
            case .success: transport.exchanges[0].answer(body: Data([1]))
            case .failure: transport.exchanges[0].answer(404)
            case .cancelledWhileRunning:
                operation.cancel()
                transport.exchanges[0].end(.cancelled(.load))
            case .cancelledInQueue: operation.cancel()
            }
        }
        // What ends it may still be on its way out on another thread.
        while witness != nil, !Task.isCancelled { await Task.yield() }
        #expect(witness == nil)
    }

    @Test("Cancelled in the queue: no exchange, and the place goes to the next")
    func cancelInQueue() throws {
        var configuration = DownloaderConfiguration.patient
        configuration.maxConcurrentDownloadsPerHost = 1
        let transport = HandTransport()
        let downloader = ImageDownloader(transport: transport, configuration: configuration)
        let operations = ["a", "b", "c"].map { name in
            downloader.load(ImageRequest(URL(string: "https://h/\(name)"))) { _ in }
        }
        operations[1].cancel()
        transport.exchanges[0].answer(404)
        #expect(transport.exchanges.map(\.request.url.path) == ["/a", "/c"])
        #expect(downloader.currentDownloadCount == 1)
        operations[2].cancel()
    }

    @Test("A priority that changed in the first exchange holds for the next one's place in the queue")
    func priorityAcrossRedirect() throws {
        var configuration = DownloaderConfiguration.patient
        configuration.maxConcurrentDownloadsPerHost = 1
        let transport = HandTransport()
        let downloader = ImageDownloader(transport: transport, configuration: configuration)
        let first = downloader.load(ImageRequest(url)) { _ in }
        downloader.load(ImageRequest(URL(string: "https://h/c"))) { _ in }
        first.priority = .low
        transport.exchanges[0].answer(302, ["Location": "/b"])
        #expect(transport.exchanges.map(\.request.url.path) == ["/a", "/c"])
        transport.exchanges[1].answer(404)
        #expect(transport.exchanges.map(\.request.url.path) == ["/a", "/c", "/b"])
        first.cancel()
    }

    @Test(
        "Basic is found among other ways to authenticate",
        arguments: [
            (["Negotiate", "Basic realm=\"r\""], 2), (["Digest realm=\"r\", Basic realm=\"r\""], 2),
            (["basic realm=\"r\""], 2), (["Digest realm=\"basic\""], 1), (["Bearer"], 1),
        ])
    func basic(_ challenges: [String], _ exchangeCount: Int) throws {
        var configuration = DownloaderConfiguration.patient
        configuration.credential = .init(user: "u", password: "p")
        let transport = HandTransport()
        let downloader = ImageDownloader(transport: transport, configuration: configuration)
        downloader.load(ImageRequest(url)) { _ in }
        var headers = HTTPHeaders()
        for challenge in challenges { headers.append(name: "WWW-Authenticate", value: challenge) }
        transport.exchanges[0].answer(401, headers)
        #expect(transport.exchanges.count == exchangeCount)
        if exchangeCount == 2 { #expect(transport.exchanges[1].request.headers["Authorization"] == "Basic dTpw") }
    }

    private func begun(
        _ settings: DownloadSettings, at now: ContinuousClock.Instant
    ) throws -> DownloadState {
        var state = DownloadState(DownloadKey(request: HTTPRequest(url: url)), at: now)
        _ = try state.begin(settings, at: now)
        _ = state.receive(HTTPResponse(url: url, statusCode: 200), settings, at: now)
        return state
    }

    @Test("A server that trickles for ever meets a limit, which the error names")
    func trickle() throws {
        var configuration = DownloaderConfiguration.patient
        configuration.maxDownloadDuration = 60
        let settings = DownloadSettings(configuration)
        let now = ContinuousClock.now
        var state = try begun(settings, at: now)
        let news = [60, 61].map { second in
            Data([1]).withUnsafeBytes { state.receive($0, settings, at: now + .seconds(second)) }
        }
        let end = state.finish(nil, at: now + .seconds(61))
        guard case .progress = news[0], case .useless = news[1], case .done(.failure(let error)) = end else {
            Issue.record("\(news)")
            return
        }
        #expect(error.code == .limitExceeded && error.message.contains("maxDownloadDuration"))
    }

    @Test("A byte a second is too slow; the first window is waited for, and a fast one starts the count anew")
    func slow() throws {
        let settings = DownloadSettings(DownloaderConfiguration())
        let now = ContinuousClock.now
        var state = try begun(settings, at: now)
        let burst = Data(count: 10_000).withUnsafeBytes { state.receive($0, settings, at: now + .seconds(30)) }
        guard case .progress = burst else {
            Issue.record("a fast body was stopped")
            return
        }
        var second = 31
        while second < 100 {
            let news = Data([1]).withUnsafeBytes { state.receive($0, settings, at: now + .seconds(second)) }
            if case .useless = news { break }
            second += 1
        }
        #expect(second == 60)
        guard case .done(.failure(let error)) = state.finish(.cancelled(.load), at: now) else {
            Issue.record("it went on")
            return
        }
        #expect(error.code == .timedOut && error.message.contains("minimumByteRate"))
    }
}
