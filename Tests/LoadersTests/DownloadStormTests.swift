import Foundation
import Synchronization
import Testing
import WebImageCore
import WebImageCurl
import WebImageTesting

/// Run it with `Scripts/race --targets "LoadersTests" --filter DownloadStorm`.
@Suite("A storm over one downloader", .timeLimit(.minutes(20)))
struct DownloadStormTests {
    @Test("10,000 random starts, joins, cancels and changes of priority from four threads: each caller has one end")
    func storm() async throws {
        let server = try ScriptedHTTPServer()
        server.script("/p", .picture())
        server.script("/gone", .status(404))
        server.script("/moved", .redirect(to: "/p"))
        server.script("/cut", .picture().cut(after: 5000))
        var configuration = DownloaderConfiguration()
        configuration.downloadTimeout = 3600
        configuration.minimumByteRate = 0
        configuration.observer = { _ in }
        let transport = CurlTransport(configuration: .patient)
        let downloader = ImageDownloader(transport: transport, configuration: configuration)
        let storms = await withTaskGroup(of: Storm.self) { group in
            for seed in 0..<4 {
                group.addTask {
                    let storm = Storm(downloader, server, seed: UInt64(seed))
                    for _ in 0..<2500 { await storm.step() }
                    return storm
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for storm in storms {
            await storm.ended()
            #expect(storm.endsPerCaller == Set([1]))
        }
        while downloader.currentDownloadCount > 0, !Task.isCancelled { await Task.yield() }
        // All places were given back: as many as may run at once run at once.
        let last = Storm(downloader, server, seed: 9)
        for _ in 0..<100 { await last.step() }
        await last.ended()
        #expect(last.endsPerCaller == Set([1]))
        #expect(server.unscriptedRequests == [])
    }
}

/// The callers of one thread.
private final class Storm: Sendable {
    private struct State {
        var random: SeededGenerator
        var tokens: [DownloadToken] = []
        var ends: [Int] = []
    }

    private let downloader: ImageDownloader
    private let server: ScriptedHTTPServer
    private let state: Mutex<State>

    init(_ downloader: ImageDownloader, _ server: ScriptedHTTPServer, seed: UInt64) {
        self.downloader = downloader
        self.server = server
        state = Mutex(State(random: SeededGenerator(seed: seed)))
    }

    /// How often callers were told an end.
    var endsPerCaller: Set<Int> { state.withLock { Set($0.ends) } }

    func step() async {
        let (choice, token) = state.withLock { state in
            (Int.random(in: 0..<10, using: &state.random), state.tokens.randomElement(using: &state.random))
        }
        switch choice {
        case 0..<5: start()
        case 5, 6: token?.cancel()
        case 7: token?.priority = .high
        case 8: token?.priority = .low
        default:
            _ = (token?.response, token?.metrics, token?.request, downloader.currentDownloadCount)
            await Task.yield()
        }
    }

    func ended() async {
        while state.withLock({ $0.ends.contains(0) }), !Task.isCancelled { await Task.yield() }
    }

    private func start() {
        let (number, path, options) = state.withLock { state in
            state.ends.append(0)
            let kinds = ["/p", "/p", "/p", "/moved", "/gone", "/cut"]
            let kind = kinds.randomElement(using: &state.random) ?? "/p"
            let options: [LoadOptions] = [[], .highPriority, .lowPriority]
            return (
                state.ends.count - 1, "\(kind)?\(Int.random(in: 0..<40, using: &state.random))",
                options.randomElement(using: &state.random) ?? []
            )
        }
        let token = downloader.download(ImageRequest(server.url(path), options: options)) { [weak self] _ in
            self?.state.withLock { $0.ends[number] += 1 }
        }
        state.withLock { $0.tokens.append(token) }
    }
}
