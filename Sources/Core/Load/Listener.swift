import Synchronization

/// One who waits for something: told progress while it lasts, then the end, exactly once; one call at a time and in
/// order, whatever threads the news come from. No lock is held during a call.
///
/// It lies within the object that waits, and so costs no other; for that it cannot be copied.
struct Listener<Value: Sendable>: ~Copyable, Sendable {
    typealias Progress = @Sendable (LoadProgress) -> Void
    typealias Completion = @Sendable (Result<Value, ImageError>) -> Void

    private let mailbox: Mutex<Mailbox<Value>>

    /// - Parameter completion: `nil` for one who asks for the `result` instead.
    init(progress: Progress?, completion: Completion? = nil) {
        mailbox = Mutex(Mailbox(progress: progress, completion: completion))
    }

    /// The end, for a listener without a completion: to be asked for once.
    var result: Result<Value, ImageError> {
        get async {
            if let (outcome, _) = mailbox.withLock({ $0.takeOutcome() }) { return outcome }
            // Unchecked, for a mailbox gives up its end once, as it does to any completion.
            return unsafe await withUnsafeContinuation { continuation in
                let ending = Mailbox<Value>.Ending { unsafe continuation.resume(returning: $0) }
                mailbox.withLock { $0.ending = ending }
                deliver()
            }
        }
    }

    /// Whether it is to be told progress.
    var wantsProgress: Bool { mailbox.withLock { $0.wantsProgress } }

    /// Takes news in; `true` when there is something to deliver.
    func put(_ progress: LoadProgress) -> Bool {
        mailbox.withLock { $0.put(progress) }
    }

    /// Takes the end in; `true` when there is something to deliver.
    ///
    /// - Parameter replaces: Whether it goes before an end that was not delivered yet, and before progress.
    func end(_ result: Result<Value, ImageError>, replaces: Bool = false) -> Bool {
        mailbox.withLock { $0.end(with: result, replaces: replaces) }
    }

    /// Who is to be told the end, where it has not come and nothing is to be told before it. Then it has come, and is
    /// the caller's to tell.
    func endAtOnce() -> Mailbox<Value>.Ending? {
        // What is not needed any more goes after unlocking.
        mailbox.withLock { $0.endAtOnce() }?.ending
    }

    /// Calls the closures. While another call is under way, that one's thread goes on with the rest.
    func deliver() {
        guard mailbox.withLock({ $0.beginDelivering() }) else { return }
        while let letter = mailbox.withLock({ $0.takeNext() }) {
            switch letter {
            case .progress(let progress, let news): news.closure(progress)
            case .completion(let result, let ending, _): return ending.tell(result)
            }
        }
    }

    /// Tells progress on the calling thread.
    func tell(_ progress: LoadProgress) {
        if put(progress) { deliver() }
    }

    /// Tells someone who came late how far things have come, unless fresher news came first.
    func catchUp(_ progress: LoadProgress) {
        if mailbox.withLock({ $0.putFirst(progress) }) { deliver() }
    }

    /// Tells the end on the calling thread.
    func finish(_ result: Result<Value, ImageError>) {
        // Mostly there is nothing to tell before it, and nobody else who tells.
        if let ending = endAtOnce() { return ending.tell(result) }
        if end(result) { deliver() }
    }
}

/// What is still to be told. A value under the listener's lock; closures are called after unlocking.
///
/// Not private, since the compiler cannot lay out an object of another file with private parts in debug builds.
struct Mailbox<Value: Sendable> {
    enum Letter {
        case progress(LoadProgress, News)
        /// With what is not needed any more: what a closure holds may go with it, and must not while the lock is held.
        case completion(Result<Value, ImageError>, Ending, News?)
    }

    /// Who is told progress. A structure, for a bare closure is wrapped in another object whenever it goes into what is
    /// generic, such as an optional or the result of a lock, or comes out of that.
    struct News {
        let closure: Listener<Value>.Progress
    }

    /// Who is told the end; likewise.
    struct Ending {
        private let closure: Listener<Value>.Completion

        init(_ closure: @escaping Listener<Value>.Completion) {
            self.closure = closure
        }

        func tell(_ result: Result<Value, ImageError>) { closure(result) }
    }

    private var progress: News?
    var ending: Ending?
    private var latestProgress: LoadProgress?
    private var hasProgress = false
    private var toldByteCount = 0
    private var outcome: Result<Value, ImageError>?
    private var isDelivering = false
    /// Whether the end has been told, or is just told.
    private var isOver = false

    init(progress: Listener<Value>.Progress?, completion: Listener<Value>.Completion?) {
        if let progress { self.progress = News(closure: progress) }
        if let completion { ending = Ending(completion) }
    }

    var wantsProgress: Bool { progress != nil }

    /// Only the latest progress is kept, with the latest partial picture and a cached one: a slow caller's queue must
    /// not fill up.
    mutating func put(_ news: LoadProgress) -> Bool {
        guard progress != nil, outcome == nil, !isOver else { return false }
        latestProgress = news.following(latestProgress)
        hasProgress = true
        return true
    }

    mutating func putFirst(_ news: LoadProgress) -> Bool {
        hasProgress ? false : put(news)
    }

    mutating func end(with result: Result<Value, ImageError>, replaces: Bool) -> Bool {
        guard !isOver, outcome == nil || replaces else { return false }
        outcome = result
        if replaces { latestProgress = nil }
        return true
    }

    /// The end, where it has come and nothing is to be told before it; with what is not needed any more.
    mutating func takeOutcome() -> (Result<Value, ImageError>, News?)? {
        guard !isDelivering, latestProgress == nil, let outcome = outcome.take() else { return nil }
        isOver = true
        return (outcome, progress.take())
    }

    mutating func endAtOnce() -> (ending: Ending, progress: News?)? {
        guard !isOver, !isDelivering, outcome == nil, latestProgress == nil, let ending = ending.take() else {
            return nil
        }
        isOver = true
        return (ending, progress.take())
    }

    mutating func beginDelivering() -> Bool {
        guard !isDelivering else { return false }
        isDelivering = true
        return true
    }

    mutating func takeNext() -> Letter? {
        if var news = latestProgress.take(), let progress {
            // A partial picture is later than the bytes it was made of.
            if news.partialImage != nil { news.receivedByteCount = max(news.receivedByteCount, toldByteCount) }
            toldByteCount = news.receivedByteCount
            return .progress(news, progress)
        }
        isDelivering = false
        guard ending != nil, let outcome = outcome.take(), let ending = ending.take() else { return nil }
        // Nothing is kept after the end: whoever holds on to the load must not hold on to the picture.
        isOver = true
        return .completion(outcome, ending, progress.take())
    }
}
