import Synchronization
import WebImageTesting

@testable import WebImageCore

/// A `SharedWork` whose work a test ends by hand.
final class WorkHarness: Sendable {
    private struct State {
        var starts = 0
        var reporters: [SharedWork<String, Int>.Reporter] = []
        var operation = CurrentOperation()
    }

    private let work = SharedWork<String, Int>(stage: .load)
    private let finishesAtOnce: Bool
    private let state = Mutex(State())

    init(finishesAtOnce: Bool = false) {
        self.finishesAtOnce = finishesAtOnce
    }

    var startCount: Int { state.withLock { $0.starts } }
    var isCancelled: Bool { state.withLock { $0.operation }.isCancelled }

    func join(onProgress: @escaping @Sendable () -> Void = {}) -> WorkMember {
        let member = WorkMember()
        let operation = work.join(
            "key", priority: .normal,
            progress: {
                member.add($0.receivedByteCount)
                onProgress()
            },
            completion: { member.complete($0) }
        ) { reporter in
            let operation = CurrentOperation()
            state.withLock { state in
                state.starts += 1
                state.reporters.append(reporter)
                state.operation = operation
            }
            if finishesAtOnce { reporter.finish(.success(99)) }
            return operation
        }
        member.set(operation)
        return member
    }

    func report(_ count: Int) {
        for reporter in state.withLock({ $0.reporters }) {
            reporter.progress(LoadProgress(receivedByteCount: count, expectedByteCount: nil))
        }
    }

    func finish(_ value: Int) {
        for reporter in state.withLock({ $0.reporters }) { reporter.finish(.success(value)) }
    }
}

/// One who waits.
final class WorkMember: Sendable {
    private struct State {
        var results: [Result<Int, ImageError>] = []
        var progress: [Int] = []
        var progressAfterEnd = 0
        var operation: any ImageOperation = CurrentOperation()
    }

    private let state = Mutex(State())

    var operation: any ImageOperation { state.withLock { $0.operation } }
    var completionCount: Int { state.withLock { $0.results.count } }
    var progressAfterEnd: Int { state.withLock { $0.progressAfterEnd } }
    var progress: [Int] { state.withLock { $0.progress } }
    var value: Int? { try? state.withLock { $0.results.first }?.get() }
    var error: ImageError? {
        guard case .failure(let error) = state.withLock({ $0.results.first }) else { return nil }
        return error
    }

    func set(_ operation: any ImageOperation) { state.withLock { $0.operation = operation } }
    func add(_ progress: Int) {
        state.withLock { state in
            state.progress.append(progress)
            if !state.results.isEmpty { state.progressAfterEnd += 1 }
        }
    }
    func complete(_ result: Result<Int, ImageError>) { state.withLock { $0.results.append(result) } }
}
