import Synchronization
import WebImageFoundation

/// A download and its repetitions: each try is a `Download` of its own, with a place of its own in the queue; between
/// two tries it holds none.
final class DownloadAttempts: ImageOperation {
    private struct State {
        /// Under way: it holds this object too, so that it must be let go of at its end.
        var attempt: Download?
        var record: DownloadRecord?
        var pause: Task<Void, Never>?
        var priority: LoadPriority
        var isCancelled = false
        var retryCount = 0
        /// What the next try goes on with.
        var partial: PartialBody?
        /// There from the first try on, where something is kept.
        var recorder: PartialRecorder?
    }

    private let key: DownloadKey
    private let downloader: ImageDownloader
    private let settings: DownloadSettings
    private let report: Download.Sharing.Reporter
    private let state: Mutex<State>

    init(
        _ key: DownloadKey, _ downloader: ImageDownloader, _ settings: DownloadSettings,
        _ priority: LoadPriority, _ report: Download.Sharing.Reporter
    ) {
        self.key = key
        self.downloader = downloader
        self.settings = settings
        self.report = report
        state = Mutex(State(priority: priority))
    }

    /// What is known of the try that is under way, or was the last.
    var record: DownloadRecord? { state.withLock { $0.record } }

    var priority: LoadPriority {
        get { state.withLock { $0.priority } }
        set {
            let attempt = state.withLock { state in
                state.priority = newValue
                return state.attempt
            }
            attempt?.priority = newValue
        }
    }

    func cancel() {
        let (attempt, pause) = state.withLock { state in
            state.isCancelled = true
            return (state.attempt, state.pause.take())
        }
        pause?.cancel()
        attempt?.cancel()
    }

    /// Begins the first try, where an earlier one left off if something is kept of it.
    func begin() {
        guard let store = settings.configuration.resumeStore else { return attempt(with: nil) }
        store.take(key.request) { kept in
            let recorder = PartialRecorder(store, self.key.request, kept?.file)
            self.state.withLock { $0.recorder = recorder }
            self.attempt(with: kept?.body)
        }
    }

    private var recorder: PartialRecorder? { state.withLock { $0.recorder } }

    private func attempt(with partial: PartialBody?) {
        let attempt = Download(
            id: downloader.makeID(), key: key, beginning: Download.Beginning(body: partial, recorder: recorder),
            downloader: downloader, settings: settings,
            report: Download.Report(progress: report.progress) { self.end($0) })
        let (isCancelled, priority) = state.withLock { state in
            state.record = attempt.record
            if !state.isCancelled { state.attempt = attempt }
            return (state.isCancelled, state.priority)
        }
        guard !isCancelled else {
            recorder?.end(with: partial)
            return report.finish(.failure(.cancelled(.load)))
        }
        attempt.priority = priority
        downloader.enqueue(attempt, priority)
        // Whoever cancelled or hurried just now may have missed it.
        if state.withLock({ $0.isCancelled }) { attempt.cancel() }
        if self.priority != priority { attempt.priority = self.priority }
    }

    private func end(_ end: DownloadEnd) {
        state.withLock { $0.attempt = nil }
        if let wait = next(after: end) {
            recorder?.align(with: end.partial)
            pause(for: wait)
        } else {
            recorder?.end(with: end.partial)
            report.finish(.success(end))
        }
    }

    /// How long to wait before the next try; `nil` when this was the last.
    private func next(after end: DownloadEnd) -> Duration? {
        if let postponement = end.postponement {
            state.withLock { $0.partial = end.partial }
            return postponement
        }
        guard case .failure(let error) = end.result, !error.isCancelled else { return nil }
        // The beginning was not what it should have been: the whole is asked for, once.
        if error.code == .digestMismatch, end.isContinuation { return .zero }
        return state.withLock { state in
            guard !state.isCancelled else { return nil }
            let delay = settings.configuration.retryPolicy.delay(
                after: error, of: key.request, retryCount: state.retryCount,
                retryAfter: error.response.flatMap { RetryAfter.duration($0.headers, at: downloader.wallClock.now) })
            guard let delay else { return nil }
            state.retryCount += 1
            state.partial = end.partial
            return delay
        }
    }

    private func pause(for wait: Duration) {
        let task = Task {
            try? await downloader.time.sleep(for: wait)
            let partial = state.withLock { $0.partial.take() }
            attempt(with: partial)
        }
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.pause = task }
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }
}
