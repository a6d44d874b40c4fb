import Synchronization

/// Waits for the answer of a cache, which may be one of a user's own: what it says after that is not heard.
enum FirstAnswer<Value: Sendable> {
    /// Returns what the completion is called with first; at once where that was before `ask` returns.
    static func of(_ ask: (@escaping @Sendable (Value) -> Void) -> Void) async -> Value {
        let gate = AnswerGate()
        // Written by the first who answers alone, before the gate is opened, and read after that.
        nonisolated(unsafe) var first: Value?
        ask { value in
            guard gate.isFirst() else { return }
            unsafe first = value
            gate.open()
        }
        if !gate.isOpen { await gate.wait() }
        guard let answer = unsafe first else { preconditionFailure("a gate is opened by an answer") }
        return answer
    }
}

/// Behind which one waits. Not generic, since an object whose type is not known before is slow to let go of.
private final class AnswerGate: Sendable {
    private struct State {
        var isOpen = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let isAsked = Atomic(true)
    private let state = Mutex(State())

    var isOpen: Bool { state.withLock { $0.isOpen } }

    func isFirst() -> Bool { isAsked.exchange(false, ordering: .relaxed) }

    func open() {
        let waiter = state.withLock { state in
            state.isOpen = true
            return state.waiter.take()
        }
        waiter?.resume()
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiter = continuation }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
