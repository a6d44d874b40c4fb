import Foundation
import Testing
import WebImageTesting

@testable import WebImageCore

@Suite("Failed URLs")
struct FailedURLsTests {
    private let error = ImageError(.badImageData, .decode, "damaged")

    private func url(_ number: Int) -> URL { URL(string: "https://h/\(number)")! }

    @Test("A failure is forgotten after its time")
    func expiry() {
        var failed = FailedURLs(limit: 10, lifetime: .seconds(60))
        let now = Duration.seconds(5)
        failed.add(url(1), error, at: now)
        #expect(failed.reason(for: url(1), at: now + .seconds(59))?.message == "damaged")
        #expect(failed.reason(for: url(1), at: now + .seconds(60)) == nil)
        #expect(failed.reason(for: url(2), at: now) == nil)
    }

    @Test("A manager's clock ends a ban, and nothing else does before")
    func clock() async {
        let clock = ManualClock()
        var configuration = ImageManager.Configuration()
        configuration.clock = clock
        configuration.failedURLLifetime = .seconds(60)
        let harness = ManagerHarness(configuration: configuration)
        harness.cache.scriptAllMissing()
        harness.loader.script(harness.url, .failure(error), .data(ManagerHarness.bytes))
        harness.loader.block(.badImageData)
        for seconds in [59, 1] {
            _ = try? await harness.manager.image(from: harness.url)
            #expect(harness.manager.failure(of: harness.url)?.message == "damaged")
            clock.advance(by: .seconds(seconds))
        }
        #expect(harness.manager.failure(of: harness.url) == nil && harness.loader.requests.count == 1)
        #expect((try? await harness.manager.image(from: harness.url)) != nil)
    }

    @Test(
        "B14b the network's failures ban nothing: the second load reaches the server",
        arguments: [
            ImageError.Code.timedOut, .cannotConnect, .cannotFindHost, .connectionLost, .truncatedBody, .cancelled,
            .hostUnavailable, .secureConnectionFailed,
        ])
    func B14_network(_ code: ImageError.Code) async throws {
        let transport = HandTransport { exchange in
            Task { exchange.end(ImageError(code, .load, "a fault")) }
        }
        let cache = FakeCache()
        cache.scriptAllMissing()
        let downloader = ImageDownloader(transport: transport, configuration: .patient)
        let manager = ImageManager(cache: cache, loader: downloader, coder: FakeCoder())
        for _ in 0..<2 { _ = try? await manager.image(from: url(1)) }
        #expect(transport.exchanges.count == 2)
    }

    @Test("The set is bounded, the oldest go first")
    func bound() {
        var failed = FailedURLs(limit: 8, lifetime: .seconds(60))
        let now = Duration.seconds(5)
        for number in 0..<100 { failed.add(url(number), error, at: now + .milliseconds(number)) }
        let kept = (0..<100).filter { failed.reason(for: url($0), at: now + .seconds(1)) != nil }
        #expect(kept.count <= 8 && kept.last == 99)
    }
}
