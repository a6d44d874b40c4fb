import Foundation
import Synchronization
import Testing
import WebImage
import WebImageTesting

@Suite("SDWebImage's own assertions about its downloader", .timeLimit(.minutes(20)))
struct DownloaderTests {
    private func bytes(
        _ downloader: ImageDownloader, _ url: URL?, _ started: (any ImageOperation) -> Void = { _ in }
    ) async -> Result<LoadedData, ImageError> {
        await withCheckedContinuation { continuation in
            started(downloader.load(ImageRequest(url)) { continuation.resume(returning: $0) })
        }
    }

    @Test("DL-01 a new downloader is not the shared one")
    func isNotShared() throws {
        #expect(try RealHarness().downloader !== ImageDownloader.shared)
        #expect(ImageDownloader.shared === ImageDownloader.shared)
    }

    @Test("DL-02 the default Accept header goes on the wire as it is")
    func acceptHeader() async throws {
        let harness = try RealHarness()
        #expect(harness.downloader.value(forHTTPHeaderField: "accept") == "image/*,*/*;q=0.8")
        _ = try await harness.load("/img")
        #expect(harness.server.requests(to: "/img").first?.headers["Accept"] == "image/*,*/*;q=0.8")
    }

    @Test("DL-03 a header can be set, read back, and removed")
    func headers() async throws {
        let harness = try RealHarness()
        harness.downloader.setValue("value", forHTTPHeaderField: "X-Test")
        #expect(harness.downloader.value(forHTTPHeaderField: "x-test") == "value")
        _ = try await harness.load("/img")
        harness.downloader.setValue(nil, forHTTPHeaderField: "X-Test")
        #expect(harness.downloader.value(forHTTPHeaderField: "X-Test") == nil)
        _ = try await harness.load("/img", [.fromLoaderOnly])
        #expect(harness.server.requests(to: "/img").map { $0.headers["X-Test"] } == ["value", nil])
    }

    @Test("DL-04 a JPEG arrives as picture and bytes")
    func jpeg() async throws {
        let harness = try RealHarness()
        try harness.serve("base.jpg")
        let result = try await harness.load("/f/base.jpg")
        #expect(result.image.pixelSize == PixelSize(64, 64) && result.image.attributes.format == .jpeg)
        #expect(try result.data == fixture("base.jpg"))
    }

    @Test("DL-05 the number of concurrent downloads can be changed while they run")
    func concurrency() async throws {
        var configuration = DownloaderConfiguration()
        configuration.maxConcurrentDownloads = 1
        let harness = try RealHarness(configuration)
        let gate = Gate()
        for name in ["a", "b", "c"] { harness.server.script("/\(name)", .picture().held(by: gate)) }
        async let all = withTaskGroup(of: Bool.self) { group in
            for name in ["a", "b", "c"] {
                group.addTask { (try? await harness.load("/\(name)")) != nil }
            }
            return await group.reduce(true) { $0 && $1 }
        }
        await gate.waitForArrivals(1)
        while harness.downloader.currentDownloadCount < 3, !Task.isCancelled { await Task.yield() }
        #expect(harness.server.requests.count == 1)
        harness.downloader.configuration.maxConcurrentDownloads = 3
        #expect(harness.downloader.configuration.maxConcurrentDownloads == 3)
        await gate.waitForArrivals(3)
        gate.open()
        #expect(await all)
    }

    @Test("DL-06 a transport of one's own is used, and operations can be cancelled")
    func ownTransport() async throws {
        let transport = EchoTransport()
        let downloader = ImageDownloader(transport: transport)
        let url = try #require(URL(string: "https://nowhere.invalid/a"))
        let result = await bytes(downloader, url) { ($0 as any ImageOperation).priority = .high }
        #expect(try result.get().data == Data("https://nowhere.invalid/a".utf8))
    }

    @Test("DL-07 no URL is error 1000, at once")
    func noURL() async throws {
        let harness = try RealHarness()
        guard case .failure(let error) = await bytes(harness.downloader, nil) else {
            Issue.record("a download of nothing succeeded")
            return
        }
        #expect(error.code.rawValue == 1000)
    }

    @Test("DL-08 user and password answer a server that asks for them")
    func credential() async throws {
        var configuration = DownloaderConfiguration()
        configuration.credential = .init(user: "u", password: "p")
        let harness = try RealHarness(configuration)
        let result = try await harness.load("/basic")
        #expect(result.image.pixels.color(x: 0, y: 0) == red)
        let sent = harness.server.requests(to: "/basic").map { $0.headers["Authorization"] }
        #expect(sent == [nil, "Basic dTpw"])
    }

    @Test("DL-09 a progressive JPEG arrives")
    func progressiveJPEG() async throws {
        let harness = try RealHarness()
        try harness.serve("progressive.jpg")
        let result = try await harness.load("/f/progressive.jpg")
        #expect(try result.data == fixture("progressive.jpg") && result.image.pixelSize == PixelSize(64, 64))
    }

    @Test("DL-10 404 is an error that carries the status")
    func notFound() async throws {
        let harness = try RealHarness()
        await #expect { try await harness.load("/404img") } throws: { error in
            let error = error as? ImageError
            return error?.code.rawValue == 2001 && error?.statusCode == 404
        }
    }

    @Test("DL-11a cancelling the only caller ends with 2002 and leaves no download")
    func cancelOne() async throws {
        let harness = try RealHarness()
        let ended = Recorded()
        let operation = harness.downloader.load(harness.request("/slow"), completion: ended.record)
        #expect(harness.downloader.currentDownloadCount == 1)
        await harness.server.waitForRequest(to: "/slow")
        operation.cancel()
        #expect(ended.codes == [2002])
        #expect(harness.downloader.currentDownloadCount == 0)
        await harness.allExchangesOver()
    }

    @Test("DL-11b cancelling all leaves no download")
    func cancelAll() async throws {
        let harness = try RealHarness()
        let ended = Recorded()
        harness.downloader.load(harness.request("/slow"), completion: ended.record)
        harness.downloader.load(harness.request("/sleep"), completion: ended.record)
        #expect(harness.downloader.currentDownloadCount == 2)
        harness.downloader.cancelAllDownloads()
        #expect(harness.downloader.currentDownloadCount == 0 && ended.codes == [2002, 2002])
        await harness.allExchangesOver()
    }

    @Test("DL-14 a PNG arrives as picture and bytes")
    func png() async throws {
        let harness = try RealHarness()
        let result = try await harness.load("/img")
        #expect(result.image.pixels.color(x: 63, y: 63) == red && result.data == ScriptedHTTPServer.red)
    }

    @Test("DL-20 of two callers of one URL, one cancels and the other is served")
    func oneOfTwo() async throws {
        let harness = try RealHarness()
        let first = Recorded()
        let second = Recorded()
        let operation = harness.downloader.load(harness.request("/slow"), completion: first.record)
        harness.downloader.load(harness.request("/slow"), completion: second.record)
        await harness.server.waitForRequest(to: "/slow")
        operation.cancel()
        harness.gates.slow.open()
        await second.ended.wait()
        #expect(first.codes == [2002] && second.codes == [0])
        #expect(harness.server.requests(to: "/slow").count == 1)
    }

    @Test("DL-21 a URL can be asked for again right after a cancel")
    func again() async throws {
        let harness = try RealHarness()
        let first = Recorded()
        let second = Recorded()
        harness.downloader.load(harness.request("/slow"), completion: first.record).cancel()
        harness.downloader.load(harness.request("/slow"), completion: second.record)
        harness.gates.slow.open()
        await second.ended.wait()
        #expect(first.codes == [2002] && second.codes == [0])
    }
}

/// The codes that a download ended with; 0 is success.
final class Recorded: Sendable {
    private let ends = Mutex<[Int]>([])
    let ended = Gate()

    var codes: [Int] { ends.withLock { $0 } }

    @Sendable func record(_ result: Result<LoadedData, ImageError>) {
        let code =
            switch result {
            case .success: 0
            case .failure(let error): error.code.rawValue
            }
        ends.withLock { $0.append(code) }
        ended.open()
    }
}

/// Answers every request with its URL.
private final class EchoTransport: HTTPTransport {
    private struct Transfer: HTTPTransfer {
        func cancel() {}
    }

    func start(_ request: HTTPRequest, receiver: any HTTPReceiver) -> any HTTPTransfer {
        Task {
            receiver.didReceive(HTTPResponse(url: request.url, statusCode: 200))
            Data(request.url.absoluteString.utf8).withUnsafeBytes { receiver.didReceive($0) }
            receiver.didFinish(nil)
        }
        return Transfer()
    }
}
