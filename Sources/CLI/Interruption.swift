import Synchronization

/// The first signal that asked the process to end.
final class Interruption: Sendable {
    private let first: Mutex<Int32?> = Mutex(nil)

    var number: Int32? { first.withLock { $0 } }

    /// Whether this one is the first.
    func note(_ number: Int32) -> Bool {
        first.withLock { first in
            defer { first = first ?? number }
            return first == nil
        }
    }
}
