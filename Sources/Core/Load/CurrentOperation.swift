import Synchronization

/// Stands for a chain of steps, of which one at a time is under way: passes on to it what it is told.
final class CurrentOperation: ImageOperation {
    private struct State {
        var isCancelled = false
        var priority: LoadPriority
        var step: (any ImageOperation)?
    }

    private let state: Mutex<State>

    init(priority: LoadPriority = .normal) {
        state = Mutex(State(priority: priority))
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    var priority: LoadPriority {
        get { state.withLock { $0.priority } }
        set {
            let step = state.withLock { state in
                state.priority = newValue
                return state.step
            }
            step?.priority = newValue
        }
    }

    /// Names the step that is under way now; it is told at once what was said before it came.
    func become(_ step: any ImageOperation) {
        let told = state.withLock { state in
            state.step = step
            return (isCancelled: state.isCancelled, priority: state.priority)
        }
        if told.priority != .normal { step.priority = told.priority }
        if told.isCancelled { step.cancel() }
    }

    func cancel() {
        let step = state.withLock { state in
            state.isCancelled = true
            return state.step.take()
        }
        step?.cancel()
    }
}
