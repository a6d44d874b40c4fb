import Synchronization

/// How short memory is.
public enum MemoryPressureLevel: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// It is getting short: what is easily made again should shrink.
    case low = 1
    /// Processes are about to be slowed down a lot, or killed: all that can be made again should go.
    case critical = 2

    /// Whether the first is less urgent.
    public static func < (first: MemoryPressureLevel, second: MemoryPressureLevel) -> Bool {
        first.rawValue < second.rawValue
    }
}

/// Something that knows when memory gets short; conform to bring news of one's own, as of a desktop's memory monitor.
public protocol MemoryPressureSource: Sendable {
    /// Calls the listener each time memory is short, until the subscription is cancelled or nobody holds it.
    ///
    /// Any thread; the listener is called on any thread too, without a lock, must be short, and may be called once more
    /// by a call that was under way when the subscription ended.
    func subscribe(_ listener: @escaping @Sendable (MemoryPressureLevel) -> Void) -> MemoryPressureSubscription
}

extension MemoryPressureSource where Self == SystemMemoryPressure {
    /// What the system itself tells.
    public static var system: SystemMemoryPressure { SystemMemoryPressure.shared }
}

/// Listening to a source; ends when it is cancelled, or when nobody holds it.
public final class MemoryPressureSubscription: Sendable {
    private let end: Mutex<(@Sendable () -> Void)?>

    /// For sources: the closure ends the listening, and is called at most once.
    public init(end: @escaping @Sendable () -> Void) {
        self.end = Mutex(end)
    }

    deinit {
        cancel()
    }

    /// Ends the listening. Any thread, any number of times.
    public func cancel() {
        let end = end.withLock { $0.take() }
        end?()
    }
}
