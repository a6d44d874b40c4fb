import WebImageCore
public import WebImageFoundation

/// An HTTP/1.1 server on 127.0.0.1 that answers by a script, and misbehaves by it.
///
/// It counts and keeps every request. What is not scripted gets 599 and is kept in `unscriptedRequests`, which a test
/// should find empty. No time is involved: a slow answer is one that waits for a `Gate`. Any thread may call; it runs
/// on threads of its own, ended by `stop` or when the server is let go.
public final class ScriptedHTTPServer: Sendable {
    private let core: ScriptedHTTPServerCore

    /// Listens at once. Throws when no socket can be had.
    ///
    /// - Parameter port: Where to; 0 has the system choose.
    public init(port: Int = 0) throws {
        core = ScriptedHTTPServerCore(listener: try LoopbackSocket.listening(port: port))
        core.run()
    }

    deinit {
        core.stop()
    }

    /// The port on 127.0.0.1.
    public var port: Int { core.port }

    /// `http://127.0.0.1:PORT`, and the target: `/a.png?x=1`.
    public func url(_ target: String) -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(target)") else {
            preconditionFailure("\(target) makes no URL")
        }
        return url
    }

    /// Answers a path by these answers in turn; the last one for ever after. Replaces what was scripted for the path
    /// and counts its hits anew. A target with a query, given whole, goes before its path.
    public func script(_ path: String, _ answers: ScriptedAnswer...) {
        precondition(!answers.isEmpty, "\(path) needs an answer")
        script(path) { request in answers[min(request.hitNumber, answers.count) - 1] }
    }

    /// Answers a path by what a function makes of the request. It runs on the connection's thread.
    public func script(_ path: String, answer: @escaping @Sendable (ScriptedHTTPRequest) -> ScriptedAnswer) {
        core.script(path, answer)
    }

    /// All requests in the order in which they came, unscripted ones included.
    public var requests: [ScriptedHTTPRequest] { core.requests }

    /// The requests to a path, or to a target with its query.
    public func requests(to path: String) -> [ScriptedHTTPRequest] { core.requests(to: path) }

    /// What was asked for without being scripted: a mistake of the test or of the code under test.
    public var unscriptedRequests: [ScriptedHTTPRequest] { core.unscriptedRequests }

    /// How many connections there were so far.
    public var connectionCount: Int { core.connectionCount }

    /// How many connections are open now, as far as the server has noticed.
    public var openConnectionCount: Int { core.openConnectionCount }

    /// Returns once so many requests to the path have come; also when the server is stopped or the task cancelled.
    public func waitForRequest(to path: String, count: Int = 1) async {
        await core.wait { $0.requests.count { $0.isTo(path) } >= count }
    }

    /// Returns once at most so many connections are open; also when the server is stopped or the task cancelled.
    ///
    /// A connection that the client closes counts as open until the server reads from it or fails to write to it.
    public func waitForOpenConnections(atMost count: Int) async {
        await core.wait { $0.connections.count <= count }
    }

    /// Returns once at most so many exchanges are under way; also when the server is stopped or the task cancelled.
    ///
    /// Connections that wait for their first or next request are none. An exchange whose client has gone is over when
    /// the server fails to write to it.
    public func waitForExchanges(atMost count: Int) async {
        await core.wait { $0.answering.count <= count }
    }

    /// Closes all sockets and returns when all threads have ended. Calling it again does nothing.
    public func stop() {
        core.stop()
    }
}

extension ScriptedHTTPRequest {
    /// Whether a script's key, a path or a whole target, means this request.
    func isTo(_ key: String) -> Bool { target == key || path == key }
}
