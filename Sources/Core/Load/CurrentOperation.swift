import Synchronization

/// An operation that is a chain of steps, of which one at a time is under way.
protocol SteppedOperation: ImageOperation {
    var isCancelled: Bool { get }
    /// Names the step that is under way now; it is told at once what was said before it came.
    ///
    /// - Parameter known: The priority that the step has been told already.
    func become(_ step: any ImageOperation, told known: LoadPriority?)
    /// Keeps what a step brought for those who come late, until it lets go of all that it keeps.
    func keep(_ share: KeptShare)
}

/// Lets go of what is there for those who come late as long as anyone keeps it. Any number of times.
///
/// A closure, since a call through a protocol is not specialized for what the share holds; within a structure, since a
/// bare one is wrapped in another object whenever it goes into an array or comes out of one.
struct KeptShare: Sendable {
    let release: @Sendable () -> Void
}

extension SteppedOperation {
    func become(_ step: any ImageOperation) {
        become(step, told: nil)
    }
}

/// Stands for a chain of steps: passes on to the one under way what it is told.
final class CurrentOperation: SteppedOperation {
    private let step: CurrentStep

    init(priority: LoadPriority = .normal) {
        step = CurrentStep(priority: priority)
    }

    var isCancelled: Bool { step.isCancelled }

    var priority: LoadPriority {
        get { step.priority }
        set { step.setPriority(newValue) }
    }

    func become(_ step: any ImageOperation, told known: LoadPriority?) {
        self.step.become(step, told: known)
    }

    func keep(_ share: KeptShare) {
        step.keep(share)
    }

    /// What is kept, which from now on the one who takes it has to let go of.
    func takeKept() -> [KeptShare] {
        step.takeKept()
    }

    func cancel() {
        step.cancel()
    }
}

/// The step of a chain that is under way. It lies within the operation that the chain is, and so costs no object; for
/// that it cannot be copied.
struct CurrentStep: ~Copyable, Sendable {
    // Not private, since the compiler cannot lay out an object of another file with private parts in debug builds.
    struct State {
        var isCancelled = false
        var isOver = false
        var priority: LoadPriority
        var step: (any ImageOperation)?
        var kept: [KeptShare] = []
    }

    private let state: Mutex<State>

    init(priority: LoadPriority) {
        state = Mutex(State(priority: priority))
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    var priority: LoadPriority { state.withLock { $0.priority } }

    func setPriority(_ priority: LoadPriority) {
        let isChange = state.withLock { state in
            defer { state.priority = priority }
            return state.priority != priority
        }
        if isChange { passOnPriority() }
    }

    /// Names the step that is under way now; it is told at once what was said before it came.
    ///
    /// - Parameter known: The priority that the step has been told already.
    func become(_ step: any ImageOperation, told known: LoadPriority? = nil) {
        // The former step goes after unlocking: it may be a loader's own, and do something when it goes.
        let (isCancelled, _) = state.withLock { state in
            let former = state.step.take()
            if !state.isCancelled, !state.isOver { state.step = step }
            return (state.isCancelled, former)
        }
        if isCancelled { step.cancel() } else { passOnPriority(told: known) }
    }

    func keep(_ share: KeptShare) {
        state.withLock { state in
            // The file and the original.
            if state.kept.isEmpty { state.kept.reserveCapacity(2) }
            state.kept.append(share)
        }
    }

    func takeKept() -> [KeptShare] {
        state.withLock { state in
            defer { state.kept = [] }
            return state.kept
        }
    }

    func cancel() {
        let step = state.withLock { state in
            state.isCancelled = true
            return state.step.take()
        }
        step?.cancel()
    }

    /// Lets go of the last step: the chain has come to its end.
    func end() {
        _ = state.withLock { state in
            state.isOver = true
            return state.step.take()
        }
    }

    /// Tells the step its priority, again if that changed meanwhile: threads that set it may overtake each other.
    private func passOnPriority(told known: LoadPriority? = nil) {
        var told = known
        while let (step, priority) = state.withLock({ state in state.step.map { ($0, state.priority) } }),
            priority != told
        {
            step.priority = priority
            told = priority
        }
    }
}
