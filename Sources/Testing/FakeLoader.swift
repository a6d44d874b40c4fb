import Synchronization
public import WebImageCore
public import WebImageFoundation

/// A loader that answers what a test scripted, when the test says so.
///
/// Thread-safe. A URL that was not scripted is reported loudly; see `Unscripted`.
public final class FakeLoader: ImageLoader {
    /// What happens to a load.
    public enum Answer: Sendable {
        /// The bytes arrive at once.
        case data(Data)
        /// It fails at once.
        case failure(ImageError)
        /// Nothing happens until `progress`, `finish` or a cancel.
        case held
    }

    fileprivate struct State {
        var answers: [URL: [Answer]] = [:]
        var requests: [ImageRequest] = []
        var held: [URL: [FakeLoad]] = [:]
        var blocked: Set<ImageError.Code> = []
        var waiters: [(url: URL, count: Int, resume: @Sendable () -> Void)] = []
    }

    private let unscripted: Unscripted
    private let state = Mutex(State())

    /// A loader that knows no URL yet.
    public init(unscripted: Unscripted = .endsTheProcess) {
        self.unscripted = unscripted
    }

    /// What the loads of a URL get, in order; the last answer repeats.
    public func script(_ url: URL, _ answers: Answer...) {
        state.withLock { $0.answers[url] = answers }
    }

    /// Failures with these codes are to be remembered as stable.
    public func block(_ codes: ImageError.Code...) {
        state.withLock { $0.blocked = Set(codes) }
    }

    /// All requests that came, in order.
    public var requests: [ImageRequest] { state.withLock { $0.requests } }

    /// How many requests came for a URL.
    public func requestCount(for url: URL) -> Int {
        state.withLock { $0.count(url) }
    }

    /// Returns once so many requests came for a URL.
    public func waitForRequest(for url: URL, count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                guard state.count(url) < count else { return true }
                state.waiters.append((url, count, { continuation.resume() }))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Tells the held loads of a URL how far they have come.
    public func progress(_ url: URL, _ progress: LoadProgress) {
        for load in state.withLock({ $0.held[url] ?? [] }) { load.progress(progress) }
    }

    /// Ends the held loads of a URL.
    public func finish(_ url: URL, _ result: Result<Data, ImageError>) {
        let loads = state.withLock { $0.held.removeValue(forKey: url) ?? [] }
        for load in loads { load.finish(result.map { LoadedData(data: $0) }) }
    }

    /// The priorities that the held loads of a URL have now.
    public func priorities(of url: URL) -> [LoadPriority] {
        state.withLock { $0.held[url] ?? [] }.map(\.priority)
    }

    /// How many of the held loads of a URL were cancelled.
    public func cancelCount(of url: URL) -> Int {
        state.withLock { $0.held[url] ?? [] }.count { $0.isCancelled }
    }

    /// Every URL is taken; what was not scripted is found out by `load`.
    public func canLoad(_ url: URL) -> Bool { true }

    /// Answers as scripted, on the caller's thread; a held load waits for `finish` or a cancel.
    public func load(
        _ request: ImageRequest, progress: @escaping @Sendable (LoadProgress) -> Void,
        completion: @escaping @Sendable (Result<LoadedData, ImageError>) -> Void
    ) -> any ImageOperation {
        let load = FakeLoad(request.options.priority, progress: progress, completion: completion)
        let (answer, arrived) = state.withLock { $0.take(request, load) }
        for resume in arrived { resume() }
        switch answer {
        case .data(let data): load.finish(.success(LoadedData(data: data)))
        case .failure(let error): load.finish(.failure(error))
        case .held: break
        case nil:
            let address = request.url?.absoluteString ?? "no URL"
            unscripted.report("FakeLoader was asked for \(address), which the test did not script")
            load.finish(.failure(ImageError(.transportFailed, .load, "\(address) is not scripted")))
        }
        return load
    }

    /// Whether the failure's code was named to `block`.
    public func shouldBlockFailedURL(_ url: URL, error: ImageError) -> Bool {
        state.withLock { $0.blocked.contains(error.code) }
    }
}

extension FakeLoader.State {
    fileprivate func count(_ url: URL) -> Int {
        requests.count { $0.url == url }
    }

    fileprivate mutating func take(
        _ request: ImageRequest, _ load: FakeLoad
    ) -> (answer: FakeLoader.Answer?, arrived: [@Sendable () -> Void]) {
        requests.append(request)
        guard let url = request.url else { return (nil, []) }
        let arrivals = count(url)
        let arrived = waiters.filter { $0.url == url && arrivals >= $0.count }.map(\.resume)
        waiters.removeAll { $0.url == url && arrivals >= $0.count }
        guard var queue = answers[url], let answer = queue.first else { return (nil, arrived) }
        if queue.count > 1 {
            queue.removeFirst()
            answers[url] = queue
        }
        if case .held = answer { held[url, default: []].append(load) }
        return (answer, arrived)
    }
}

/// One load of a `FakeLoader`.
private final class FakeLoad: ImageOperation {
    private struct State {
        var priority: LoadPriority
        var isCancelled = false
        var completion: (@Sendable (Result<LoadedData, ImageError>) -> Void)?
    }

    let progress: @Sendable (LoadProgress) -> Void
    private let state: Mutex<State>

    init(
        _ priority: LoadPriority, progress: @escaping @Sendable (LoadProgress) -> Void,
        completion: @escaping @Sendable (Result<LoadedData, ImageError>) -> Void
    ) {
        self.progress = progress
        state = Mutex(State(priority: priority, completion: completion))
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    var priority: LoadPriority {
        get { state.withLock { $0.priority } }
        set { state.withLock { $0.priority = newValue } }
    }

    func cancel() {
        state.withLock { $0.isCancelled = true }
        finish(.failure(.cancelled(.load)))
    }

    func finish(_ result: Result<LoadedData, ImageError>) {
        let completion = state.withLock { $0.completion.take() }
        completion?(result)
    }
}
