import Synchronization

/// What is known of a download so far, for the tokens of all who wait for it.
final class DownloadRecord: Sendable {
    struct Contents {
        var request: HTTPRequest
        var response: HTTPResponse?
        var metrics = DownloadMetrics()
    }

    private let state: Mutex<Contents>

    init(_ request: HTTPRequest) {
        state = Mutex(Contents(request: request))
    }

    var contents: Contents { state.withLock { $0 } }

    @discardableResult
    func update<Result: Sendable>(_ change: (inout Contents) -> Result) -> Result {
        state.withLock { change(&$0) }
    }
}
