import Dispatch
import Foundation
import Synchronization
import Testing

@testable import WebImageCore

@Suite("A download and its exchanges")
struct ImageDownloaderTests {
    private let url = URL(string: "https://h/a")!

    @Test("Cancelling ends the exchange that runs, though the one before was over as soon as it began")
    func cancelAfterQuickRedirect() throws {
        let transport = HandTransport { exchange in
            guard exchange.request.url.path == "/a" else { return }
            exchange.answer(302, ["Location": "/b"])
        }
        let downloader = ImageDownloader(transport: transport)
        let operation = downloader.load(ImageRequest(url)) { _ in }
        #expect(transport.exchanges.map(\.request.url.path) == ["/a", "/b"])
        operation.cancel()
        #expect(transport.exchanges.map(\.isCancelled) == [false, true])
    }

    @Test("Cancelled in the queue: no exchange, and the place goes to the next")
    func cancelInQueue() throws {
        var configuration = DownloaderConfiguration()
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
        var configuration = DownloaderConfiguration()
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
        var configuration = DownloaderConfiguration()
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

    @Test("A server that trickles for ever meets a limit, which the error names")
    func trickle() {
        var configuration = DownloaderConfiguration()
        configuration.maxDownloadDuration = 60
        var state = DownloadState(request: HTTPRequest(url: url))
        let now = ContinuousClock.now
        _ = state.begin(at: now)
        _ = state.receive(HTTPResponse(url: url, statusCode: 200), configuration)
        let news = [60, 61].map { second in
            Data([1]).withUnsafeBytes { state.receive($0, configuration, at: now + .seconds(second)) }
        }
        guard case .progress = news[0], case .useless = news[1], case .done(.failure(let error)) = state.finish(nil)
        else {
            Issue.record("\(news)")
            return
        }
        #expect(error.code == .limitExceeded && error.message.contains("maxDownloadDuration"))
    }
}

/// A transport whose exchanges a test answers by hand.
private final class HandTransport: HTTPTransport {
    final class Exchange: HTTPTransfer {
        let request: HTTPRequest
        private let receiver: any HTTPReceiver
        private let cancelled = Mutex(false)

        init(_ request: HTTPRequest, _ receiver: any HTTPReceiver) {
            self.request = request
            self.receiver = receiver
        }

        var isCancelled: Bool { cancelled.withLock { $0 } }
        func cancel() { cancelled.withLock { $0 = true } }

        /// An answer without a body, on another thread; returns when the receiver has heard it.
        func answer(_ status: Int, _ headers: HTTPHeaders = HTTPHeaders()) {
            let done = DispatchSemaphore(value: 0)
            DispatchQueue.global().async { [self] in
                receiver.didReceive(
                    HTTPResponse(url: request.url, statusCode: status, headers: headers, expectedByteCount: 0))
                receiver.didFinish(nil)
                done.signal()
            }
            done.wait()
        }
    }

    private let started = Mutex<[Exchange]>([])
    private let onStart: @Sendable (Exchange) -> Void

    /// - Parameter onStart: Called before the start of an exchange returns.
    init(onStart: @escaping @Sendable (Exchange) -> Void = { _ in }) {
        self.onStart = onStart
    }

    var exchanges: [Exchange] { started.withLock { $0 } }

    func start(_ request: HTTPRequest, receiver: any HTTPReceiver) -> any HTTPTransfer {
        let exchange = Exchange(request, receiver)
        started.withLock { $0.append(exchange) }
        onStart(exchange)
        return exchange
    }
}
