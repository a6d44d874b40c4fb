import Dispatch
import Synchronization
import WebImageFoundation

/// One download: an exchange with the server, and the next one where the answer is a redirect or a question for
/// credentials.
///
/// It asks its downloader for a place in the queue before each exchange.
final class Download: HTTPReceiver, ImageOperation {
    typealias Sharing = SharedWork<DownloadKey, DownloadEnd>

    let id: DownloadQueue.ID
    let record: DownloadRecord
    private let downloader: any Downloading
    private let settings: DownloadSettings
    private let decryptor: Decryptor?
    private let recorder: PartialRecorder?
    private let report: Report
    private let state: Mutex<DownloadState>

    /// Whom it tells.
    struct Report: Sendable {
        let progress: @Sendable (LoadProgress) -> Void
        let finish: @Sendable (DownloadEnd) -> Void
    }

    /// What it goes on with.
    struct Beginning: Sendable {
        /// What is to be continued, where the server lets it.
        var body: PartialBody?
        /// Puts what arrives on disk.
        var recorder: PartialRecorder?
    }

    init(
        id: DownloadQueue.ID, key: DownloadKey, beginning: Beginning, downloader: any Downloading,
        settings: DownloadSettings, report: Report
    ) {
        self.id = id
        self.downloader = downloader
        self.settings = settings
        self.report = report
        decryptor = key.decryptor
        recorder = beginning.recorder
        record = DownloadRecord(key.request)
        state = Mutex(DownloadState(key, beginning.body, memory: downloader.memory, at: .now))
    }

    /// Whom it asks, or will ask next, in words.
    var host: String { state.withLock { $0.route.host } }

    var priority: LoadPriority {
        get { state.withLock { $0.priority } }
        set {
            let transfer = state.withLock { state in
                state.priority = newValue
                return state.transfer
            }
            downloader.setPriority(newValue, of: self)
            transfer?.setPriority(newValue)
        }
    }

    /// Called when the queue has a place.
    func begin(on transport: any HTTPTransport) {
        do throws(ImageError) {
            guard mayBegin() else { return }
            let start = try state.withLock { state throws(ImageError) in
                try state.begin(settings, at: .now)
            }
            record.update { $0.request = start.request }
            if start.isFirst { tell(.started, start.request) }
            let transfer = transport.start(start.request, receiver: self)
            switch state.withLock({ $0.note(transfer, of: start.exchange) }) {
            case .nothing: break
            case .cancel: transfer.cancel()
            case .pause: passOnPause()
            }
            if priority != .normal { transfer.setPriority(priority) }
        } catch {
            conclude(.failure(error))
        }
    }

    /// Whether the host may be asked now; when it may only later, the end has been told.
    private func mayBegin() -> Bool {
        guard let origin = state.withLock({ $0.firstOrigin() }) else { return true }
        switch downloader.permit(origin, settings) {
        case .go: return true
        case .refuse(let wait): giveBack(origin, wait, postponement: nil)
        case .wait(let wait): giveBack(origin, wait, postponement: wait)
        }
        return false
    }

    /// Later: giving back a place begins the next download, which may be of the same host, and so on.
    private func giveBack(_ origin: Origin, _ wait: Duration, postponement: Duration?) {
        DispatchQueue.global().async { [self] in
            downloader.release(self)
            finish(.failure(.hostUnavailable(origin, wait)), postponement: postponement)
        }
    }

    func cancel() {
        let transfer = state.withLock { state in
            state.isCancelled = true
            return state.transfer
        }
        if let transfer {
            transfer.cancel()
        } else if downloader.withdraw(self) {
            finish(.failure(.cancelled(.load)))
        }
    }

    func didReceive(_ response: HTTPResponse) {
        if response.version == .multiplexed { downloader.noteMultiplexed(self) }
        act(on: state.withLock { $0.receive(response, settings, at: .now) })
    }

    func didReceive(_ bytes: UnsafeRawBufferPointer) {
        let (news, identity) = state.withLock {
            (unsafe $0.receive(bytes, settings, at: .now), $0.dueRecording())
        }
        act(on: news)
        if let identity { record(identity) }
    }

    private func record(_ identity: BodyIdentity) {
        recorder?.record(
            PartialRecorder.Source(identity: identity) { [self] offset, maxByteCount in
                state.withLock { $0.body.part(from: offset, maxByteCount: maxByteCount) }
            })
    }

    func didMeasure(_ metrics: TransferMetrics) {
        record.update { $0.metrics.transfers.append(metrics) }
    }

    func didFinish(_ error: ImageError?) {
        end(state.withLock { $0.finish(error, at: .now) })
    }

    private func end(_ end: DownloadState.End) {
        switch end {
        case .waits: break
        case .again: downloader.requeue(self)
        case .done(let result): conclude(result)
        }
    }

    private func act(on news: DownloadState.News) {
        switch news {
        case .ignored: break
        case .useless: state.withLock { $0.abandon() }?.cancel()
        case .progress(let progress): tell(progress)
        case .head(let response, let news):
            record.update { $0.response = response }
            if let recorder, state.withLock({ $0.hasBegunAnew }) { recorder.restart() }
            if settings.configuration.observer != nil { tell(.receivedResponse(response), record.contents.request) }
            act(on: news)
        case .modify(let response, let modifier):
            Task { judge(await modifier(response)) }
        }
    }

    /// Goes on after an asynchronous response modifier; the exchange may be over by now.
    private func judge(_ response: HTTPResponse?) {
        let (news, end) = state.withLock { $0.judge(response, settings, at: .now) }
        act(on: news)
        self.end(end)
    }

    private func tell(_ progress: LoadProgress) {
        var progress = progress
        if decryptor == nil { progress.body = ArrivingBody { DownloadReader(self) } }
        report.progress(progress)
        if state.withLock({ $0.body.mustPause() }) { passOnPause() }
    }

    private func conclude(_ result: Result<LoadedData, ImageError>) {
        // First: the place that is given back goes to the next, perhaps of the same host.
        noteHost(result)
        downloader.release(self)
        guard case .success(let loaded) = result else { return finish(result) }
        let digests = loaded.response.map { BodyDigests($0, isContinuation: state.withLock { $0.isContinuation }) }
        guard decryptor != nil || !(digests?.isEmpty ?? true) else { return finish(result) }
        Decryptor.queue.async { [self] in
            guard digests?.match(loaded.data) ?? true else { return finish(.failure(.digestMismatch)) }
            finish(decryptor?.decrypted(loaded) ?? result)
        }
    }

    private func finish(_ result: Result<LoadedData, ImageError>, postponement: Duration? = nil) {
        let (hasStarted, queue, total) = state.withLock { ($0.hasStarted, $0.queueDuration, $0.duration(until: .now)) }
        let metrics = record.update { contents in
            contents.metrics.queue = queue
            contents.metrics.total = total
            return contents.metrics
        }
        if hasStarted, settings.configuration.observer != nil { tellEnd(of: record.contents, result) }
        var end = DownloadEnd(result: result.adding(metrics), record: record, postponement: postponement)
        state.withLock { state in
            end.isContinuation = state.isContinuation
            end.partial = state.takePartial(after: result)
        }
        report.finish(end)
    }

    private func noteHost(_ result: Result<LoadedData, ImageError>) {
        let (permitted, current) = state.withLock { ($0.permittedOrigin, $0.route.origin) }
        guard let origin = permitted else { return }
        var news = HostHealth.News.nothing
        switch result {
        case .success: news = .lives
        case .failure(let error) where current == origin && CircuitBreaker.counts(error):
            news = .failed(error)
        case .failure(let error): if error.response != nil || record.contents.response != nil { news = .lives }
        }
        downloader.note(news, of: origin, settings)
    }

    private func tellEnd(of contents: DownloadRecord.Contents, _ result: Result<LoadedData, ImageError>) {
        switch result {
        case .success:
            tell(.stopped(nil, contents.metrics), contents.request)
            tell(.finished(contents.metrics), contents.request)
        case .failure(let error):
            tell(.stopped(error, contents.metrics), contents.request)
        }
    }

    private func tell(_ event: DownloadEvent.Kind, _ request: HTTPRequest) {
        settings.configuration.observer?(DownloadEvent(id: id, request: request, kind: event))
    }

    // MARK: Who reads while it arrives

    func read(for reader: Identity) -> Data {
        let (data, goesOn) = state.withLock { $0.read(for: reader, at: .now) }
        if goesOn { passOnPause() }
        return data
    }

    func leave(_ reader: Identity) {
        if state.withLock({ $0.leave(reader, at: .now) }) { passOnPause() }
    }

    /// Tells what carries the exchange whether it is to be held back, again if that changed meanwhile: threads that
    /// change it may overtake each other.
    private func passOnPause() {
        var told: Bool?
        while let (transfer, isPaused) = state.withLock({ $0.pausing }), isPaused != told {
            if isPaused { transfer.pause() } else { transfer.resume() }
            told = isPaused
        }
    }
}

extension Result<LoadedData, ImageError> {
    fileprivate func adding(_ metrics: DownloadMetrics) -> Self {
        map { loaded in
            var loaded = loaded
            loaded.metrics = metrics
            return loaded
        }
    }
}

/// What a download needs of its downloader.
protocol Downloading: AnyObject, Sendable {
    /// For the bodies.
    var memory: BodyMemory { get }
    /// Whether an exchange with a host may begin; when it goes, `note` must tell its end.
    func permit(_ origin: Origin, _ settings: DownloadSettings) -> HostHealth.Permit
    func note(_ news: HostHealth.News, of origin: Origin, _ settings: DownloadSettings)
    func setPriority(_ priority: LoadPriority, of download: Download)
    func noteMultiplexed(_ download: Download)
    /// Takes it out of the queue; `false` when it is not waiting there.
    func withdraw(_ download: Download) -> Bool
    /// Gives back the place of the exchange that ended and waits for one for the next.
    func requeue(_ download: Download)
    /// Gives back the place for good.
    func release(_ download: Download)
}
