import Synchronization

/// Calls the closures of a list on their queue, one call at a time and in order.
final class PrefetchListener: Sendable {
    let progress: ImagePrefetcher.Progress?
    let completion: ImagePrefetcher.Completion?
    private let queue: CallbackQueue
    private let mailbox = Mutex(Mailbox())

    private struct Mailbox {
        var letters: [@Sendable (PrefetchListener) -> Void] = []
        var isDelivering = false
        var isClosed = false
    }

    init(
        _ queue: CallbackQueue, _ progress: ImagePrefetcher.Progress?, _ completion: ImagePrefetcher.Completion?
    ) {
        self.queue = queue
        self.progress = progress
        self.completion = completion
    }

    func tell(_ letter: @escaping @Sendable (PrefetchListener) -> Void) {
        mailbox.withLock { if !$0.isClosed { $0.letters.append(letter) } }
        queue.async { self.deliver() }
    }

    /// Whether nothing more is to be told.
    var isClosed: Bool { mailbox.withLock { $0.isClosed } }

    /// Drops what was not told yet, and all that comes.
    func close() {
        mailbox.withLock { box in
            box.isClosed = true
            box.letters.removeAll()
        }
    }

    /// While another thread delivers, that one goes on with what came meanwhile.
    private func deliver() {
        let mayBegin = mailbox.withLock { box in
            defer { box.isDelivering = true }
            return !box.isDelivering
        }
        guard mayBegin else { return }
        while let letter = next() { letter(self) }
    }

    private func next() -> (@Sendable (PrefetchListener) -> Void)? {
        mailbox.withLock { box in
            guard box.letters.isEmpty else { return box.letters.removeFirst() }
            box.isDelivering = false
            return nil
        }
    }
}
