import Dispatch
import Synchronization

/// Runs the long work of one stage on threads of its own: so many at once, the highest priority first.
///
/// Decoding takes milliseconds to seconds and would starve Swift's cooperative pool, which has one thread a core.
final class StageQueue: Sendable {
    private struct State {
        var running = 0
        var waiting: [LoadPriority: [@Sendable () -> Void]] = [:]
    }

    private let limit: Int
    private let threads: DispatchQueue
    private let state = Mutex(State())

    /// - Parameter limit: How many pieces of work may run at once; at least 1.
    init(_ stage: LoadStage, limit: Int) {
        self.limit = max(1, limit)
        threads = DispatchQueue(
            label: "webimage.\(stage.rawValue)", qos: .userInitiated, attributes: .concurrent)
    }

    /// Runs the work and returns what it gave.
    ///
    /// - Parameter operation: Who asks; when it is cancelled before its turn, the work is left out.
    func run<Value: Sendable>(
        for operation: CurrentOperation, stage: LoadStage,
        _ work: @escaping @Sendable () -> Result<Value, ImageError>
    ) async throws(ImageError) -> Value {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, ImageError>, Never>) in
            submit(operation.priority) {
                continuation.resume(returning: operation.isCancelled ? .failure(.cancelled(stage)) : work())
            }
        }
        return try result.get()
    }

    private func submit(_ priority: LoadPriority, _ job: @escaping @Sendable () -> Void) {
        let startsNow = state.withLock { state in
            guard state.running < limit else {
                state.waiting[priority, default: []].append(job)
                return false
            }
            state.running += 1
            return true
        }
        if startsNow { threads.async { self.runChain(from: job) } }
    }

    /// One thread works as long as something waits.
    private func runChain(from first: @Sendable () -> Void) {
        first()
        while let next = takeNext() { next() }
    }

    private func takeNext() -> (@Sendable () -> Void)? {
        state.withLock { state in
            for priority in [LoadPriority.high, .normal, .low] {
                if let jobs = state.waiting[priority], !jobs.isEmpty {
                    return state.waiting[priority]?.removeFirst()
                }
            }
            state.running -= 1
            return nil
        }
    }
}
