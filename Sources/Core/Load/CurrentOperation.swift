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
            state.withLock { $0.priority = newValue }
            passOnPriority()
        }
    }

    /// Names the step that is under way now; it is told at once what was said before it came.
    func become(_ step: any ImageOperation) {
        // The former step goes after unlocking: it may be a loader's own, and do something when it goes.
        let (isCancelled, _) = state.withLock { state in
            let former = state.step.take()
            if !state.isCancelled { state.step = step }
            return (state.isCancelled, former)
        }
        if isCancelled { step.cancel() } else { passOnPriority() }
    }

    func cancel() {
        let step = state.withLock { state in
            state.isCancelled = true
            return state.step.take()
        }
        step?.cancel()
    }

    /// Tells the step its priority, again if that changed meanwhile: threads that set it may overtake each other.
    private func passOnPriority() {
        var told: LoadPriority?
        while let (step, priority) = state.withLock({ state in state.step.map { ($0, state.priority) } }),
            priority != told
        {
            step.priority = priority
            told = priority
        }
    }
}
