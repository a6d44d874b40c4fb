import Dispatch
import Synchronization

/// Runs the long work of one stage on threads of its own: so many at once, the highest priority first.
///
/// Decoding takes milliseconds to seconds and would starve Swift's cooperative pool, which has one thread a core. On
/// Linux the pool's threads are those that concurrent queues of the system use too; those of serial queues are others.
/// So each piece of work that is under way has a serial queue, a lane, of its own.
final class StageQueue: Sendable {
    /// Told whether it is its turn, or else that it was left out.
    private typealias Job = @Sendable (_ isItsTurn: Bool) -> Void

    private struct State {
        var running = 0
        var waiting = WaitingLine<Job>()
        var nextTicket: UInt64 = 0
        var freeLanes: [DispatchQueue] = []

        mutating func makeTicket() -> UInt64 {
            nextTicket += 1
            return nextTicket
        }
    }

    private let stage: LoadStage
    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: How many pieces of work may run at once; at least 1.
    init(_ stage: LoadStage, limit: Int) {
        self.stage = stage
        self.limit = max(1, limit)
    }

    private static let owner = DispatchSpecificKey<ObjectIdentifier>()

    /// Whether the caller runs as work or completion of this queue: waiting for others of it there could be for ever.
    var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.owner) == ObjectIdentifier(self) }

    /// How many wait for their turn.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs the work and returns what it gave.
    ///
    /// - Parameter operation: Who asks; its place in the queue follows its priority, and when it is cancelled before
    ///   its turn, the work is left out at once.
    func run<Value: Sendable>(
        for operation: any SteppedOperation, stage: LoadStage,
        _ work: @escaping @Sendable () -> Result<Value, ImageError>
    ) async throws(ImageError) -> Value {
        let result = await withCheckedContinuation { continuation in
            run(for: operation, stage: stage, work) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// The same as `run`, and calls back with what the work gave, on its thread, or on the one who cancels.
    func run<Value: Sendable>(
        for operation: any SteppedOperation, stage: LoadStage,
        _ work: @escaping @Sendable () -> Result<Value, ImageError>,
        completion: @escaping @Sendable (Result<Value, ImageError>) -> Void
    ) {
        let place = submit(operation.priority) { isItsTurn in
            let runs = isItsTurn && !operation.isCancelled
            completion(runs ? work() : .failure(.cancelled(stage)))
        }
        if let place { operation.become(place) }
    }

    /// Starts the job, or has it wait: then there is a place in the queue.
    private func submit(_ priority: LoadPriority, _ job: @escaping Job) -> StagePlace? {
        let (ticket, lane): (UInt64?, DispatchQueue?) = state.withLock { state in
            guard state.running < limit else {
                let ticket = state.makeTicket()
                state.waiting.add(job, id: ticket, priority: priority, ticket: ticket)
                return (ticket, nil)
            }
            state.running += 1
            return (nil, state.freeLanes.popLast())
        }
        guard let ticket else {
            startChain(from: job, on: lane ?? makeLane())
            return nil
        }
        return StagePlace(self, ticket, priority)
    }

    private func makeLane() -> DispatchQueue {
        let lane = DispatchQueue(label: "webimage.\(stage.rawValue)", qos: .userInitiated)
        lane.setSpecific(key: Self.owner, value: ObjectIdentifier(self))
        return lane
    }

    /// One thread works as long as something waits.
    private func startChain(from first: @escaping Job, on lane: DispatchQueue) {
        lane.async { [self] in
            first(true)
            while let next = takeNext(freeing: lane) { next(true) }
        }
    }

    /// What is to be done next; `nil` where nothing waits: then the lane is free.
    private func takeNext(freeing lane: DispatchQueue) -> Job? {
        state.withLock { state in
            guard let next = state.waiting.removeFirst() else {
                state.running -= 1
                state.freeLanes.append(lane)
                return nil
            }
            return next.element
        }
    }

    fileprivate func setPriority(_ priority: LoadPriority, of id: UInt64) {
        state.withLock { state in
            let ticket = state.makeTicket()
            state.waiting.setPriority(priority, of: id, ticket: ticket)
        }
    }

    fileprivate func leave(_ id: UInt64) {
        let job = state.withLock { $0.waiting.remove(id) }
        job?(false)
    }
}

/// Where one waits in a stage's queue; of no effect once it is its turn.
private final class StagePlace: ImageOperation {
    private let queue: StageQueue
    private let id: UInt64
    private let current: Mutex<LoadPriority>

    init(_ queue: StageQueue, _ id: UInt64, _ priority: LoadPriority) {
        self.queue = queue
        self.id = id
        current = Mutex(priority)
    }

    var priority: LoadPriority {
        get { current.withLock { $0 } }
        set {
            current.withLock { current in
                // Mostly it is told what it knows; the queue is everybody's.
                guard newValue != current else { return }
                current = newValue
                queue.setPriority(newValue, of: id)
            }
        }
    }

    func cancel() {
        queue.leave(id)
    }
}
