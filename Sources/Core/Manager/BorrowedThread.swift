import Synchronization
import WebImageFoundation

/// One thread of Swift's cooperative pool, which short work may have: one piece of it at a time in the whole process,
/// and only where the pool has another thread.
///
/// To wake another thread for a file of a few kilobytes, and to be woken by it, costs as much as a part of decoding the
/// file. How long it really takes nobody knows before: whatever it is, the pool goes on.
enum BorrowedThread {
    private static let isTaken = Atomic(false)
    private static let isThere = ProcessInfo.processInfo.activeProcessorCount > 1

    /// Whether the caller may keep its thread busy until it gives it back.
    static func take() -> Bool {
        isThere && !isTaken.exchange(true, ordering: .acquiring)
    }

    static func giveBack() {
        isTaken.store(false, ordering: .releasing)
    }
}
