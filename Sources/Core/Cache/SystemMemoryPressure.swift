import Synchronization

/// What the system tells of its memory: on Linux stalls of the machine and of the process's control groups (PSI), a
/// group's `memory.events` (version 2), and `memory.pressure_level` (version 1); on Apple's systems Dispatch's source.
///
/// One thread waits for all that, in the kernel, and only while somebody listens. Where the system tells nothing, such
/// as a kernel without PSI, nothing is ever told. A level is told at most once a second unless it rises.
public final class SystemMemoryPressure: MemoryPressureSource {
    /// The one that the caches listen to.
    public static let shared = SystemMemoryPressure()

    private let watching: MemoryPressureWatching
    private let state = Mutex(State())

    private struct State {
        var listeners: [Int: @Sendable (MemoryPressureLevel) -> Void] = [:]
        var nextListener = 0
        var watcher: MemoryPressureWatcher?
    }

    init(_ watching: MemoryPressureWatching = MemoryPressureWatching()) {
        self.watching = watching
    }

    /// See `MemoryPressureSource`. The first listener starts the thread; it ends with the last one.
    public func subscribe(
        _ listener: @escaping @Sendable (MemoryPressureLevel) -> Void
    ) -> MemoryPressureSubscription {
        let number = state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = listener
            if state.watcher == nil {
                state.watcher = MemoryPressureWatcher(watching) { [weak self] in self?.tell($0) }
            }
            return state.nextListener
        }
        // Whoever listens keeps the source alive, which nobody else may hold.
        return MemoryPressureSubscription { self.end(number) }
    }

    private func tell(_ level: MemoryPressureLevel) {
        for listener in state.withLock({ $0.listeners.values.map(\.self) }) { listener(level) }
    }

    private func end(_ number: Int) {
        // The watcher goes after unlocking.
        _ = state.withLock { state in
            state.listeners[number] = nil
            return state.listeners.isEmpty ? state.watcher.take() : nil
        }
    }
}

/// How the system is watched; tests change it.
struct MemoryPressureWatching: Sendable {
    /// Where `/proc` and `/sys` are looked for; a test gives a folder of its own.
    var root = ""
    /// A level that does not rise is told again only after so long.
    var interval = Duration.seconds(1)
    /// Told with the number of places that are listened to, once the listening has begun.
    var onBegin: @Sendable (Int) -> Void = { _ in }
    /// Told when the thread is about to end.
    var onEnd: @Sendable () -> Void = {}
}

/// Lets the same news pass only once in a while. A value of the thread that watches.
struct MemoryPressureFilter {
    let interval: Duration
    private var last: (level: MemoryPressureLevel, time: ContinuousClock.Instant)?

    init(interval: Duration) {
        self.interval = interval
    }

    mutating func passes(_ level: MemoryPressureLevel, at time: ContinuousClock.Instant) -> Bool {
        if let last, level <= last.level, last.time.duration(to: time) < interval { return false }
        last = (level, time)
        return true
    }
}
