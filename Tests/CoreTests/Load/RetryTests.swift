import Foundation
import Synchronization
import Testing
import WebImageTesting

@testable import WebImageCore

@Suite("Downloads that are tried again by themselves", .timeLimit(.minutes(20)))
struct RetryTests {
    private let url = URL(string: "https://h/a")!

    private final class Parts: Sendable {
        let clock = ManualClock()
        let transport = HandTransport()
        let downloader: ImageDownloader
        let ended = Recorded()

        init(_ retries: Int, _ change: (inout DownloaderConfiguration) -> Void = { _ in }) {
            var configuration = DownloaderConfiguration.patient
            configuration.retryPolicy.maxRetryCount = retries
            configuration.retryPolicy.jitter = 0
            change(&configuration)
            downloader = ImageDownloader(
                transport: transport, configuration: configuration, clock: clock,
                wallClock: FixedWallClock(now: WallTime(seconds: 784_111_777)))
        }

        @discardableResult
        func load(_ url: URL) -> DownloadToken {
            downloader.download(ImageRequest(url), completion: ended.record)
        }

        /// Moves time on to the next try, which must not come earlier.
        func next(after duration: Duration) async {
            let before = transport.exchanges.count
            await clock.waitForSleepers(1)
            clock.advance(by: duration - .milliseconds(1))
            #expect(clock.sleeperCount == 1 && transport.exchanges.count == before)
            await withCheckedContinuation { continuation in
                transport.onNextStart = { continuation.resume() }
                clock.advance(by: .milliseconds(1))
            }
        }
    }

    private struct FixedWallClock: WallClock {
        let now: WallTime
    }

    private final class Recorded: Sendable {
        private let ends = Mutex<[Result<LoadedData, ImageError>]>([])
        var results: [Result<LoadedData, ImageError>] { ends.withLock { $0 } }
        @Sendable func record(_ result: Result<LoadedData, ImageError>) { ends.withLock { $0.append(result) } }
        var codes: [ImageError.Code?] {
            results.map { result in
                guard case .failure(let error) = result else { return nil }
                return error.code
            }
        }
    }

    private static func fault(_ code: ImageError.Code) -> ImageError { ImageError(code, .load, "a fault") }

    @Test("Each wait is twice the one before, and there is an end")
    func backOff() async {
        let parts = Parts(3)
        parts.load(url)
        for seconds in [0.5, 1, 2] {
            parts.transport.exchanges.last?.end(Self.fault(.connectionLost))
            #expect(parts.ended.results.isEmpty)
            await parts.next(after: .seconds(seconds))
        }
        parts.transport.exchanges.last?.end(Self.fault(.connectionLost))
        #expect(parts.ended.codes == [.connectionLost] && parts.transport.exchanges.count == 4)
        #expect(parts.downloader.currentDownloadCount == 0)
    }

    @Test("A success after a failure is a success")
    func success() async {
        let parts = Parts(1)
        parts.load(url)
        parts.transport.exchanges[0].answer(503)
        await parts.next(after: .seconds(0.5))
        parts.transport.exchanges[1].answer(body: Data("picture".utf8))
        #expect(parts.ended.codes == [nil])
    }

    @Test(
        "What does not pass by itself is not tried again",
        arguments: [ImageError.Code.secureConnectionFailed, .redirectRefused, .addressRefused, .limitExceeded])
    func stable(_ code: ImageError.Code) {
        let parts = Parts(3)
        parts.load(url)
        parts.transport.exchanges[0].end(Self.fault(code))
        #expect(parts.ended.codes == [code])
    }

    @Test("404 is not tried again, and nothing is without a policy")
    func never() {
        for (status, retries) in [(404, 3), (503, 0)] {
            let parts = Parts(retries)
            parts.load(url)
            parts.transport.exchanges[0].answer(status)
            #expect(parts.ended.codes == [.invalidDownloadStatusCode])
        }
    }

    @Test("A POST is not repeated")
    func post() {
        let parts = Parts(3) { $0.requestModifier = RequestModifier(method: "POST", body: Data("x".utf8)) }
        parts.load(url)
        parts.transport.exchanges[0].answer(503)
        #expect(parts.ended.codes == [.invalidDownloadStatusCode])
    }

    @Test("Retry-After is kept to, by seconds and by date, for others of the host too")
    func retryAfter() async {
        for value in ["7", "Sun, 06 Nov 1994 08:49:44 GMT"] {
            let parts = Parts(1)
            parts.load(url)
            parts.transport.exchanges[0].answer(429, ["Retry-After": value])
            await parts.clock.waitForSleepers(1)
            parts.load(URL(string: "https://h/b")!)
            await parts.clock.waitForSleepers(2)
            parts.load(URL(string: "https://other/b")!)
            #expect(parts.transport.exchanges.map(\.request.url.absoluteString) == ["https://h/a", "https://other/b"])
            parts.clock.advance(by: .seconds(7) - .milliseconds(1))
            #expect(parts.clock.sleeperCount == 2)
            parts.clock.advance(by: .milliseconds(1))
            while parts.transport.exchanges.count < 4, !Task.isCancelled { await Task.yield() }
            for exchange in parts.transport.exchanges.dropFirst() { exchange.answer(body: Data("picture".utf8)) }
            #expect(parts.ended.codes == [nil, nil, nil])
        }
    }

    @Test("A server that asks for more than the bound is not asked again")
    func longRetryAfter() {
        let parts = Parts(3)
        parts.load(url)
        parts.transport.exchanges[0].answer(503, ["Retry-After": "61"])
        #expect(parts.ended.codes == [.invalidDownloadStatusCode])
    }

    @Test("Cancelling in a wait ends it at once, and no try comes")
    func cancel() async {
        let parts = Parts(3)
        let token = parts.load(url)
        parts.transport.exchanges[0].end(Self.fault(.timedOut))
        await parts.clock.waitForSleepers(1)
        token.cancel()
        #expect(parts.ended.codes == [.cancelled] && parts.downloader.currentDownloadCount == 0)
        while parts.clock.sleeperCount > 0, !Task.isCancelled { await Task.yield() }
        parts.clock.advance(by: .seconds(100))
        #expect(parts.transport.exchanges.count == 1)
    }

    @Test("A wait holds no place: others of the host go on")
    func placeless() async {
        let parts = Parts(3) { $0.maxConcurrentDownloads = 1 }
        parts.load(url)
        parts.transport.exchanges[0].end(Self.fault(.timedOut))
        await parts.clock.waitForSleepers(1)
        parts.load(URL(string: "https://h/b")!)
        #expect(parts.transport.exchanges.count == 2)
    }

    @Test("Chance shortens a wait by its share, and nonsense does no harm")
    func jitter() {
        var policy = RetryPolicy(maxRetryCount: 100)
        let request = HTTPRequest(url: url)
        func delay(_ count: Int) -> Duration? {
            policy.delay(after: Self.fault(.timedOut), of: request, retryCount: count, retryAfter: nil)
        }
        policy.random = { 1 }
        #expect(delay(0) == .seconds(0.25) && delay(2) == .seconds(1) && delay(99) == .seconds(15))
        policy.random = { 0 }
        #expect(delay(0) == .seconds(0.5) && delay(100) == nil)
        for value in [Double.nan, .infinity, -1] {
            (policy.baseDelay, policy.maxDelay, policy.jitter, policy.maxRetryAfter) = (value, value, value, value)
            policy.random = { value }
            #expect(delay(1).map { $0 >= .zero } ?? false)
        }
    }

    // MARK: The breaker

    @Test("After so many failures a host is left alone, then tried by one, then by all")
    func breaker() {
        var health = HostHealth()
        let origin = Origin(url)
        let breaker = CircuitBreaker(failureThreshold: 2, openDuration: 10)
        func fail(_ seconds: Int) {
            health.note(
                .failed(Self.fault(.cannotConnect)), of: origin, breaker, pause: nil, at: .seconds(seconds))
        }
        fail(0)
        #expect(health.permit(origin, breaker, at: .seconds(0)) == .go)
        fail(1)
        #expect(health.permit(origin, breaker, at: .seconds(2)) == .refuse(.seconds(9)))
        #expect(health.permit(Origin(URL(string: "https://other/")!), breaker, at: .seconds(2)) == .go)
        #expect(health.permit(origin, breaker, at: .seconds(11)) == .go)
        #expect(health.permit(origin, breaker, at: .seconds(11)) == .refuse(.zero))
        health.note(.nothing, of: origin, breaker, pause: nil, at: .seconds(12))
        #expect(health.permit(origin, breaker, at: .seconds(12)) == .go)
        fail(13)
        #expect(health.permit(origin, breaker, at: .seconds(14)) == .refuse(.seconds(9)))
        #expect(health.permit(origin, breaker, at: .seconds(23)) == .go)
        health.note(.lives, of: origin, breaker, pause: nil, at: .seconds(23))
        for _ in 0..<3 { #expect(health.permit(origin, breaker, at: .seconds(23)) == .go) }
    }

    @Test("An open circuit fails what waits at once, without the network, and bans no URL")
    func openCircuit() async {
        let parts = Parts(0) {
            $0.circuitBreaker = CircuitBreaker(failureThreshold: 1, openDuration: 10)
            $0.maxConcurrentDownloads = 1
        }
        parts.load(url)
        for name in ["b", "c"] { parts.load(URL(string: "https://h/\(name)")!) }
        parts.transport.exchanges[0].end(Self.fault(.timedOut))
        while parts.ended.results.count < 3, !Task.isCancelled { await Task.yield() }
        #expect(parts.ended.codes.count { $0 == .hostUnavailable } == 2 && parts.ended.codes.contains(.timedOut))
        #expect(parts.transport.exchanges.count == 1 && parts.downloader.currentDownloadCount == 0)
        #expect(!parts.downloader.shouldBlockFailedURL(url, error: Self.fault(.hostUnavailable)))
        parts.clock.advance(by: .seconds(10))
        parts.load(url)
        parts.transport.exchanges[1].answer(404)
        parts.load(url)
        #expect(parts.transport.exchanges.count == 3)
    }

    @Test("What is known of hosts is bounded")
    func bounded() {
        var health = HostHealth()
        let breaker = CircuitBreaker(failureThreshold: 1, openDuration: 10)
        for number in 0..<3000 {
            let origin = Origin(URL(string: "https://h\(number)/")!)
            health.note(.failed(Self.fault(.timedOut)), of: origin, breaker, pause: nil, at: .zero)
            #expect(health.hostCount <= HostHealth.maxHostCount)
        }
    }
}
