import Dispatch
import Synchronization
import WebImageCore
import WebImageFoundation

/// What the threads of a `ScriptedHTTPServer` share; apart from it, so that the server can be let go while they run.
final class ScriptedHTTPServerCore: Sendable {
    typealias Answering = @Sendable (ScriptedHTTPRequest) -> ScriptedAnswer

    struct State {
        var script: [String: Answering] = [:]
        var hits: [String: Int] = [:]
        var requests: [ScriptedHTTPRequest] = []
        var unscripted: [ScriptedHTTPRequest] = []
        var connections: [Int: LoopbackSocket] = [:]
        /// The numbers of the connections whose request is being answered.
        var answering: Set<Int> = []
        var connectionCount = 0
        var isStopped = false
        var waiting: [Waiting] = []
        var waitCount = 0
        /// The numbers of waits whose task was cancelled.
        var cancelled: Set<Int> = []

        /// The waits that are over.
        mutating func ripe() -> [@Sendable () -> Void] {
            guard !waiting.isEmpty else { return [] }
            let state = self
            let isRipe = { (one: Waiting) in
                state.isStopped || state.cancelled.contains(one.number) || one.condition(state)
            }
            defer { waiting.removeAll(where: isRipe) }
            return waiting.filter(isRipe).map(\.resume)
        }
    }

    struct Waiting {
        var number: Int
        var condition: @Sendable (State) -> Bool
        var resume: @Sendable () -> Void
    }

    let port: Int
    private let listener: LoopbackSocket
    private let state = Mutex(State())
    /// Opened by `stop`: lets go whoever is held at a script's gate.
    private let end = Gate()
    private let threads = DispatchGroup()

    init(listener: LoopbackSocket) {
        self.listener = listener
        self.port = listener.port
    }

    var requests: [ScriptedHTTPRequest] { state.withLock { $0.requests } }
    var unscriptedRequests: [ScriptedHTTPRequest] { state.withLock { $0.unscripted } }
    var connectionCount: Int { state.withLock { $0.connectionCount } }
    var openConnectionCount: Int { state.withLock { $0.connections.count } }

    func requests(to path: String) -> [ScriptedHTTPRequest] {
        requests.filter { $0.isTo(path) }
    }

    func script(_ path: String, _ answer: @escaping Answering) {
        state.withLock { state in
            state.script[path] = answer
            state.hits[path] = nil
        }
    }

    func wait(until condition: @escaping @Sendable (State) -> Bool) async {
        let number = state.withLock { state in
            state.waitCount += 1
            return state.waitCount
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                change { state in
                    state.waiting.append(
                        Waiting(number: number, condition: condition) { continuation.resume() })
                }
            }
        } onCancel: {
            change { _ = $0.cancelled.insert(number) }
        }
    }

    /// Changes the state and lets go whoever waited for that.
    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, ripe) = state.withLock { state in
            let result = body(&state)
            return (result, state.ripe())
        }
        for resume in ripe { resume() }
        return result
    }

    // MARK: Threads

    func run() {
        threads.enter()
        TestThread.start { [self] in
            while let socket = listener.accept() { serve(socket) }
            // Its number may be another's once it is closed, and `stop` ends it by that.
            end.waitBlocking()
            listener.close()
            threads.leave()
        }
    }

    func stop() {
        let isFirst = change { state in
            defer { state.isStopped = true }
            guard !state.isStopped else { return false }
            // Under the lock: a connection's thread takes its socket out of the list before it closes it.
            for socket in state.connections.values { socket.shutdown() }
            listener.shutdown()
            return true
        }
        if isFirst { end.open() }
        threads.wait()
    }

    private func serve(_ socket: LoopbackSocket) {
        let number: Int? = change { state in
            guard !state.isStopped else { return nil }
            state.connectionCount += 1
            state.connections[state.connectionCount] = socket
            return state.connectionCount
        }
        guard let number else { return socket.close() }
        threads.enter()
        TestThread.start { [self] in
            converse(socket, number)
            change { $0.connections[number] = nil }
            socket.close()
            threads.leave()
        }
    }

    private func converse(_ socket: LoopbackSocket, _ number: Int) {
        var reader = ScriptedHTTPRequestReader()
        while let request = reader.next(from: socket, connectionNumber: number) {
            let (kept, answering) = record(request)
            let answer = answering(kept)
            let mayGoOn = perform(answer.steps(method: kept.method), on: socket)
            change { _ = $0.answering.remove(number) }
            guard mayGoOn else { return }
            if kept.headers["Connection"]?.lowercased() == "close" { return socket.finishSending() }
        }
    }

    private func record(_ request: ScriptedHTTPRequest) -> (ScriptedHTTPRequest, Answering) {
        change { state in
            var request = request
            let key = state.script[request.target] == nil ? request.path : request.target
            state.hits[key, default: 0] += 1
            request.hitNumber = state.hits[key, default: 0]
            state.requests.append(request)
            state.answering.insert(request.connectionNumber)
            if let answer = state.script[key] { return (request, answer) }
            state.unscripted.append(request)
            return (request, Self.unscripted)
        }
    }

    private static let unscripted: Answering = { request in
        let text = "nothing is scripted for \(request.method) \(request.target)"
        return ScriptedAnswer(statusCode: 599, headers: ["Content-Type": "text/plain"], body: Data(text.utf8))
    }

    /// Whether the connection may carry another exchange.
    private func perform(_ steps: [ScriptedAnswer.Step], on socket: LoopbackSocket) -> Bool {
        for step in steps {
            switch step {
            case .send(let bytes):
                guard socket.send(bytes) else { return false }
            case .wait(let gate):
                Gate.waitBlocking(forAnyOf: [gate, end])
                guard !end.isOpen else { return false }
            case .close:
                socket.finishSending()
                return false
            case .reset:
                socket.resetOnClose()
                return false
            }
        }
        return true
    }
}
