import Dispatch
import Synchronization

extension ImageDownloader: Downloading {
    func makeID() -> DownloadQueue.ID {
        lastID.wrappingAdd(1, ordering: .relaxed).newValue
    }

    func permit(_ origin: Origin, _ settings: DownloadSettings) -> HostHealth.Permit {
        let permit = health.withLock { $0.permit(origin, settings.configuration.circuitBreaker, at: time.now) }
        // Who does not come again does not wait either.
        if case .wait = permit, settings.configuration.retryPolicy.maxRetryCount < 1 { return .go }
        return permit
    }

    func note(_ news: HostHealth.News, of origin: Origin, _ settings: DownloadSettings) {
        let pause = news.error?.response.flatMap { RetryAfter.duration($0.headers, at: wallClock.now) }
        let most = settings.configuration.retryPolicy.longestPause
        health.withLock {
            $0.note(
                news, of: origin, settings.configuration.circuitBreaker, pause: pause.map { min($0, most) },
                at: time.now)
        }
    }

    func enqueue(_ download: Download, _ priority: LoadPriority) {
        let host = download.host
        startAdmitted { state in
            state.waiting[download.id] = download
            state.queue.enqueue(download.id, host: host, priority: priority)
        }
    }

    /// Starts whoever may go after a change of the queue.
    func startAdmitted(after change: (inout State) -> Void = { _ in }) {
        let admitted: [Download] = state.withLock { state in
            change(&state)
            guard !state.isSuspended else { return [] }
            return state.queue.admit().compactMap { state.waiting.removeValue(forKey: $0) }
        }
        for download in admitted { download.begin(on: transport) }
    }

    func setPriority(_ priority: LoadPriority, of download: Download) {
        state.withLock { $0.queue.setPriority(priority, of: download.id) }
    }

    func noteMultiplexed(_ download: Download) {
        let host = download.host
        if state.withLock({ $0.queue.noteMultiplexed(host: host) }) { startAdmitted() }
    }

    func withdraw(_ download: Download) -> Bool {
        state.withLock { state in
            state.waiting[download.id] = nil
            return state.queue.remove(download.id)
        }
    }

    func requeue(_ download: Download) {
        let (host, priority) = (download.host, download.priority)
        state.withLock { state in
            state.waiting[download.id] = download
            state.queue.requeue(download.id, host: host, priority: priority)
        }
        // It may have changed before there was a place for it to change.
        setPriority(download.priority, of: download)
        startAdmitted()
    }

    func release(_ download: Download) {
        var isIdle = false
        startAdmitted { state in
            state.queue.finished(download.id)
            isIdle = state.queue.isIdle
        }
        // It takes milliseconds, and somebody waits for the end of the last download.
        if isIdle { DispatchQueue.global(qos: .utility).async { [memory] in memory.letGo() } }
    }
}
