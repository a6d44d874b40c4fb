import Synchronization

/// Waits for the answer of a cache, which may be one of a user's own: what it says after that is not heard.
final class FirstAnswer<Value: Sendable>: Sendable {
    private let continuation: CheckedContinuation<Value, Never>
    private let isGiven = Atomic(false)

    private init(_ continuation: CheckedContinuation<Value, Never>) {
        self.continuation = continuation
    }

    /// Returns what the completion is called with first.
    static func of(_ ask: (@escaping @Sendable (Value) -> Void) -> Void) async -> Value {
        await withCheckedContinuation { continuation in
            let answer = FirstAnswer(continuation)
            ask { answer.give($0) }
        }
    }

    private func give(_ value: Value) {
        guard !isGiven.exchange(true, ordering: .relaxed) else { return }
        continuation.resume(returning: value)
    }
}
