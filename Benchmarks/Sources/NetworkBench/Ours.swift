import Dispatch
import FoundationEssentials
import Synchronization
import WebImageCore
import WebImageCurl

/// `ImageDownloader` over libcurl: takes the whole list at once, as curl does, and keeps 64 in flight by its own queue.
struct Ours {
    let downloader: ImageDownloader

    init(certificate: String? = nil) {
        var transport = CurlTransport.Configuration()
        transport.maxConnectionsPerHost = 64
        transport.certificateAuthorities = certificate.map { URL(filePath: $0) }
        var configuration = DownloaderConfiguration()
        configuration.maxConcurrentDownloadsPerHost = 64
        downloader = ImageDownloader(
            transport: CurlTransport(configuration: transport), configuration: configuration)
    }

    /// Returns how many bytes came, once all are here.
    func byteCount(of urls: [URL]) throws -> Int {
        let arrival = Arrival(urls.count)
        for url in urls {
            downloader.download(ImageRequest(url)) { arrival.note($0.map(\.data.count)) }
        }
        return try arrival.wait()
    }
}

/// Counts what arrives.
private final class Arrival: Sendable {
    private struct State {
        var left: Int
        var byteCount = 0
        var failure: ImageError?
    }

    private let state: Mutex<State>
    private let end = DispatchSemaphore(value: 0)

    init(_ count: Int) {
        state = Mutex(State(left: count))
    }

    func note(_ result: Result<Int, ImageError>) {
        let isLast = state.withLock { state in
            state.left -= 1
            switch result {
            case .success(let count): state.byteCount += count
            case .failure(let error): state.failure = error
            }
            return state.left == 0
        }
        if isLast { end.signal() }
    }

    func wait() throws -> Int {
        end.wait()
        let (byteCount, failure) = state.withLock { ($0.byteCount, $0.failure) }
        if let failure { throw failure }
        return byteCount
    }
}
