import Synchronization
import WebImageFoundation

/// One download: an exchange with the server, and the next one where the answer is a redirect or a question for
/// credentials.
///
/// It asks its downloader for a place in the queue before each exchange.
final class Download: HTTPReceiver, ImageOperation {
    let id: DownloadQueue.ID
    private let downloader: any Downloading
    private let configuration: DownloaderConfiguration
    private let report: SharedWork<HTTPRequest, LoadedData>.Reporter
    private let state: Mutex<DownloadState>

    init(
        id: DownloadQueue.ID, request: HTTPRequest, downloader: any Downloading, configuration: DownloaderConfiguration,
        report: SharedWork<HTTPRequest, LoadedData>.Reporter
    ) {
        self.id = id
        self.downloader = downloader
        self.configuration = configuration
        self.report = report
        state = Mutex(DownloadState(request: request))
    }

    var host: String {
        let url = state.withLock { $0.request.url }
        let origin = Origin(url)
        return "\(origin.scheme)://\(origin.host):\(origin.port)"
    }

    var priority: LoadPriority {
        get { state.withLock { $0.priority } }
        set {
            state.withLock { $0.priority = newValue }
            downloader.setPriority(newValue, of: self)
        }
    }

    /// Called when the queue has a place.
    func begin(on transport: any HTTPTransport) {
        guard let (request, exchange) = state.withLock({ $0.begin(at: .now) }) else {
            return conclude(.failure(.cancelled(.load)))
        }
        let transfer = transport.start(request, receiver: self)
        if state.withLock({ $0.mustCancel(transfer, of: exchange) }) { transfer.cancel() }
    }

    func cancel() {
        let transfer = state.withLock { state in
            state.isCancelled = true
            return state.transfer
        }
        if let transfer {
            transfer.cancel()
        } else if downloader.withdraw(self) {
            report.finish(.failure(.cancelled(.load)))
        }
    }

    func didReceive(_ response: HTTPResponse) {
        if response.version == .multiplexed { downloader.noteMultiplexed(self) }
        act(on: state.withLock { ($0.receive(response, configuration), $0.transfer) })
    }

    func didReceive(_ bytes: UnsafeRawBufferPointer) {
        act(on: state.withLock { unsafe ($0.receive(bytes, configuration, at: .now), $0.transfer) })
    }

    func didFinish(_ error: ImageError?) {
        switch state.withLock({ $0.finish(error) }) {
        case .again:
            downloader.requeue(self)
        case .done(let result):
            conclude(result)
        }
    }

    private func act(on news: (DownloadState.News, (any HTTPTransfer)?)) {
        switch news.0 {
        case .progress(let progress): report.progress(progress)
        case .ignored: break
        case .useless: news.1?.cancel()
        }
    }

    private func conclude(_ result: Result<LoadedData, ImageError>) {
        downloader.release(self)
        report.finish(result)
    }
}

/// What a download needs of its downloader.
protocol Downloading: AnyObject, Sendable {
    func setPriority(_ priority: LoadPriority, of download: Download)
    func noteMultiplexed(_ download: Download)
    /// Takes it out of the queue; `false` when it is not waiting there.
    func withdraw(_ download: Download) -> Bool
    /// Gives back the place of the exchange that ended and waits for one for the next.
    func requeue(_ download: Download)
    /// Gives back the place for good.
    func release(_ download: Download)
}
