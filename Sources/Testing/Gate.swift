import Dispatch
import Synchronization

/// A gate that tests open: who comes before waits, who comes after passes. It stays open.
///
/// Any thread. It stands for time in tests: what is held at a gate cannot be late or early.
public final class Gate: Sendable {
    private struct State {
        var isOpen: Bool
        var arrivalCount = 0
        var waiting: [ObjectIdentifier: @Sendable () -> Void] = [:]
        var arrivals = CountWaiters()
    }

    private let state: Mutex<State>

    /// Shut, unless told otherwise.
    public init(isOpen: Bool = false) {
        state = Mutex(State(isOpen: isOpen))
    }

    /// Whether it has been opened; once `true`, always.
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    /// How many have come to the gate so far, those who passed an open gate included.
    public var arrivalCount: Int { state.withLock { $0.arrivalCount } }

    /// Lets all pass who wait, and all who come. Opening it again does nothing.
    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting.removeAll() }
            return state.waiting.values.map(\.self)
        }
        for pass in waiting { pass() }
    }

    /// Returns once the gate is open. A cancelled task waits on: only `open` ends the wait.
    public func wait() async {
        let key = Key()
        await withCheckedContinuation { continuation in
            arrive(key) { continuation.resume() }
        }
    }

    /// Blocks the calling thread until the gate is open; not for tasks, whose threads others need.
    public func waitBlocking() {
        Gate.waitBlocking(forAnyOf: [self])
    }

    /// Returns once so many have come to the gate, whether or not it is open.
    public func waitForArrivals(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                guard state.arrivalCount < count else { return true }
                state.arrivals.add(count) { continuation.resume() }
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Blocks the calling thread until one of the gates is open.
    static func waitBlocking(forAnyOf gates: [Gate]) {
        let (key, semaphore) = (Key(), DispatchSemaphore(value: 0))
        for gate in gates { gate.arrive(key) { semaphore.signal() } }
        semaphore.wait()
        for gate in gates { gate.leave(key) }
    }

    /// One who waits, told from others by identity.
    private final class Key: Sendable {}

    private func arrive(_ key: Key, pass: @escaping @Sendable () -> Void) {
        let (isOpen, arrived) = state.withLock { state in
            state.arrivalCount += 1
            if !state.isOpen { state.waiting[ObjectIdentifier(key)] = pass }
            return (state.isOpen, state.arrivals.take(reached: state.arrivalCount))
        }
        for resume in arrived { resume() }
        if isOpen { pass() }
    }

    private func leave(_ key: Key) {
        state.withLock { _ = $0.waiting.removeValue(forKey: ObjectIdentifier(key)) }
    }
}

/// Who waits for a count to be reached. A value, to be kept under its owner's lock; the actions it returns are run
/// after unlocking.
struct CountWaiters {
    private var waiting: [(count: Int, resume: @Sendable () -> Void)] = []

    mutating func add(_ count: Int, resume: @escaping @Sendable () -> Void) {
        waiting.append((count, resume))
    }

    mutating func take(reached count: Int) -> [@Sendable () -> Void] {
        guard !waiting.isEmpty else { return [] }
        let reached = waiting.filter { $0.count <= count }.map(\.resume)
        waiting.removeAll { $0.count <= count }
        return reached
    }
}
