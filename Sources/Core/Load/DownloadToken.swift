import Synchronization
public import WebImageFoundation

/// One caller's part in a download: to look at it, to cancel it, or to change its priority.
public final class DownloadToken: ImageOperation {
    typealias Completion = Listener<LoadedData>.Completion

    private struct State {
        var record: DownloadRecord?
        var membership: SharedWorkMembership<DownloadKey, DownloadEnd>?
        var endBackgroundActivity: (@Sendable () -> Void)?
    }

    /// The URL that was asked for.
    public let url: URL?
    private let current: CurrentStep
    private let listener: Listener<LoadedData>
    private let wantsProgress: Bool
    private let state = Mutex(State())

    init(_ request: ImageRequest, progress: Listener<LoadedData>.Progress?, completion: @escaping Completion) {
        url = request.url
        current = CurrentStep(priority: request.options.priority)
        listener = Listener(progress: progress, completion: completion)
        wantsProgress = progress != nil
    }

    /// What is asked for now: after a redirect, its target. `nil` until there is a download.
    public var request: HTTPRequest? { record?.contents.request }
    /// The head of the answer, after the response modifier; `nil` until it is here, and for redirects.
    public var response: HTTPResponse? { record?.contents.response }
    /// How the download went so far; `nil` until there is one.
    public var metrics: DownloadMetrics? { record?.contents.metrics }

    /// Where it stands in the queue. May be changed at any time, from any thread, while it waits and while it runs.
    public var priority: LoadPriority {
        get { current.priority }
        set { current.setPriority(newValue) }
    }

    /// Whether `cancel` was called.
    public var isCancelled: Bool { current.isCancelled }

    /// Ends this caller's part: its completion gets `cancelled` before this returns, or after a call of its progress
    /// closure that is under way just then. Others of the same download do not notice. After the end it does nothing.
    public func cancel() {
        // Looked up while there is still a download to ask.
        _ = record
        current.cancel()
        finish(.failure(.cancelled(.load)))
    }

    /// What tells the caller how far it has come; `nil` for one who does not want to know.
    var teller: Listener<LoadedData>.Progress? {
        guard wantsProgress else { return nil }
        return { self.listener.tell($0) }
    }

    func join(_ membership: SharedWorkMembership<DownloadKey, DownloadEnd>) {
        state.withLock { $0.membership = membership }
        current.become(membership)
    }

    func finish(_ end: Result<DownloadEnd, ImageError>) {
        if let end = try? end.get() { state.withLock { $0.record = end.record } }
        let endActivity = state.withLock { state in
            state.membership = nil
            return state.endBackgroundActivity.take()
        }
        endActivity?()
        listener.finish(end.flatMap(\.result))
    }

    /// Has the application run on until the end.
    func holdApplication(with activity: (any BackgroundActivity)?) {
        guard let activity else { return }
        let id = activity.begin(reason: "A picture is downloaded") { [weak self] in self?.cancel() }
        state.withLock { $0.endBackgroundActivity = { activity.end(id) } }
    }

    /// Remembered, for the membership forgets it with the download.
    private var record: DownloadRecord? {
        let (known, membership) = state.withLock { ($0.record, $0.membership) }
        guard known == nil, let found = (membership?.operation as? DownloadAttempts)?.record else { return known }
        state.withLock { $0.record = $0.record ?? found }
        return found
    }
}
