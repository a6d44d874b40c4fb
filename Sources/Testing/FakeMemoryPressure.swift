import Synchronization
public import WebImageCore

/// A shortage of memory that a test declares. Any thread.
public final class FakeMemoryPressure: MemoryPressureSource {
    private struct State {
        var listeners: [Int: @Sendable (MemoryPressureLevel) -> Void] = [:]
        var nextListener = 0
    }

    private let state = Mutex(State())

    /// No shortage yet.
    public init() {}

    /// How many listen now.
    public var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// Tells all who listen, on the calling thread, before it returns.
    public func report(_ level: MemoryPressureLevel) {
        for listener in state.withLock({ $0.listeners.values.map(\.self) }) { listener(level) }
    }

    /// Adds a listener.
    public func subscribe(
        _ listener: @escaping @Sendable (MemoryPressureLevel) -> Void
    ) -> MemoryPressureSubscription {
        let number = state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = listener
            return state.nextListener
        }
        return MemoryPressureSubscription { [weak self] in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
    }
}
