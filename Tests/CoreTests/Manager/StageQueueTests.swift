import Synchronization
import Testing
import WebImageTesting

@testable import WebImageCore

@Suite("Whose turn it is to be decoded", .timeLimit(.minutes(20)))
struct StageQueueTests {
    private let queue = StageQueue(.decode, limit: 1)
    private let gate = Gate()
    private let order = Box()

    private final class Box: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock { $0 } }
        func add(_ name: String) { names.withLock { $0.append(name) } }
    }

    /// Takes the queue's one thread until the gate is open.
    private func occupy() async -> Task<Void, any Error> {
        let task = Task { [queue, gate] in
            try await queue.run(for: CurrentOperation(), stage: .decode) {
                gate.waitBlocking()
                return .success(())
            }
        }
        await gate.waitForArrivals(1)
        return task
    }

    private func wait(_ name: String, _ operation: CurrentOperation) async -> Task<Void, any Error> {
        let before = queue.waitingCount
        let task = Task { [queue, order] in
            try await queue.run(for: operation, stage: .decode) {
                order.add(name)
                return .success(())
            }
        }
        while queue.waitingCount == before, !Task.isCancelled { await Task.yield() }
        return task
    }

    @Test("The highest priority goes first, and one that rises while it waits moves up")
    func priority() async throws {
        let first = await occupy()
        let rising = CurrentOperation(priority: .low)
        var tasks = [await wait("rising", rising)]
        tasks.append(await wait("normal", CurrentOperation()))
        tasks.append(await wait("second", CurrentOperation()))
        tasks.append(await wait("high", CurrentOperation(priority: .high)))
        rising.priority = .high
        gate.open()
        for task in [first] + tasks { try await task.value }
        #expect(order.all == ["high", "rising", "normal", "second"])
    }

    @Test("Who cancels while waiting gets the answer at once and is not run")
    func cancel() async throws {
        let first = await occupy()
        let operation = CurrentOperation()
        let waiting = await wait("cancelled", operation)
        operation.cancel()
        // The queue's only thread is still taken.
        await #expect { try await waiting.value } throws: { ($0 as? ImageError)?.code == .cancelled }
        #expect(queue.waitingCount == 0)
        gate.open()
        try await first.value
        #expect(order.all.isEmpty)
    }

    @Test("Cancelled before it came to the queue: not run, though there is room")
    func cancelledBefore() async {
        let operation = CurrentOperation()
        operation.cancel()
        await #expect {
            try await queue.run(for: operation, stage: .decode) { .success(order.add("run")) }
        } throws: {
            ($0 as? ImageError)?.code == .cancelled
        }
        #expect(order.all.isEmpty)
    }
}
