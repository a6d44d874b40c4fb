/// One of a view's pictures: the loads for it that are under way, and what is known of the latest.
@MainActor
struct ViewLoadSlot {
    var state: ViewLoadState?
    /// The load whose picture or placeholder is shown; an older one is not shown any more.
    var shownID = 0
    private var holders: [Int: OperationHolder] = [:]
    private var starting: [Int: ViewLoad] = [:]
    private var latestID = 0

    var latestOperation: LoadOperation? { holders[latestID]?.operation }

    /// All that are under way.
    var operations: [LoadOperation] { holders.values.map(\.operation) }

    /// Those whose operation is not known yet: the view is being given their placeholder.
    var startingLoads: [ViewLoad] { Array(starting.values) }

    /// - Parameter replaces: Whether nothing older is to be shown from now on.
    mutating func begin(_ load: ViewLoad, _ state: ViewLoadState, replaces: Bool) {
        latestID = load.id
        if replaces { shownID = load.id }
        starting[load.id] = load
        self.state = state
    }

    /// Keeps a load, unless it ended before its operation was known.
    mutating func add(_ operation: LoadOperation, _ load: ViewLoad) {
        starting[load.id] = nil
        if !load.hasEnded { holders[load.id] = OperationHolder(operation) }
    }

    mutating func end(_ load: ViewLoad, _ result: Result<LoadResult, ImageError>) {
        load.hasEnded = true
        holders[load.id] = nil
        guard isLatest(load) else { return }
        switch result {
        case .success(let found):
            state?.phase = .loaded(found.source)
            state?.progress.end()
        case .failure(let error): state?.phase = error.isCancelled ? .cancelled : .failed(error)
        }
    }

    func isLatest(_ load: ViewLoad) -> Bool { load.id == latestID }

    func mayShow(_ load: ViewLoad) -> Bool { load.id >= shownID }
}

/// One load of a view.
@MainActor
final class ViewLoad {
    let id: Int
    let operationKey: String
    let options: LoadOptions
    let placeholders: ViewPlaceholders
    let cache: any ImageCaching
    let hasURL: Bool
    /// Whether its operation has ended; the completion may wait for a transition.
    var hasEnded = false
    /// Whether it was cancelled before its operation was known: whatever that brings is not wanted.
    var isCancelled = false
    private var completion: (@MainActor @Sendable (Result<LoadResult, ImageError>) -> Void)?

    init(
        id: Int, operationKey: String, options: LoadOptions, placeholders: ViewPlaceholders, cache: any ImageCaching,
        hasURL: Bool, completion: (@MainActor @Sendable (Result<LoadResult, ImageError>) -> Void)?
    ) {
        self.id = id
        self.operationKey = operationKey
        self.options = options
        self.placeholders = placeholders
        self.cache = cache
        self.hasURL = hasURL
        self.completion = completion
    }

    /// Tells the caller, the first time only.
    func complete(_ result: Result<LoadResult, ImageError>) {
        let completion = completion.take()
        completion?(result)
    }
}

/// Cancels a load when the view that wanted it goes, on whatever thread that happens.
private final class OperationHolder: Sendable {
    let operation: LoadOperation

    init(_ operation: LoadOperation) {
        self.operation = operation
    }

    deinit {
        operation.cancel()
    }
}
