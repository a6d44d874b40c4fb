import Dispatch
import Foundation
import Synchronization
import Testing
import WebImageTesting

@testable import WebImageCore

/// A thread of Dispatch has a stack of half a megabyte.
@Suite("Chains of loads that end at once do not use the stack up", .timeLimit(.minutes(10)))
struct NestedHitTests {
    private let harness = ManagerHarness()
    private let chain = Chain()

    /// How far a chain has come; each link on the thread of the one before.
    private final class Chain: Sendable {
        struct State {
            var count = 0
            var deepest = 0
            var depth = 0
        }

        let state = Mutex(State())
        let ended = Gate()

        /// Whether the chain goes on.
        func enter(_ length: Int) -> Bool {
            let count = state.withLock { state in
                state.count += 1
                state.depth += 1
                state.deepest = max(state.deepest, state.depth)
                return state.count
            }
            if count == length { ended.open() }
            return count < length
        }

        func leave() { state.withLock { $0.depth -= 1 } }
    }

    private func next(_ length: Int, _ start: @escaping @Sendable () -> Void) {
        if chain.enter(length) { start() }
        chain.leave()
    }

    @Sendable private func loadNext() {
        harness.manager.load(harness.request()) { _ in next(10_000, loadNext) }
    }

    @Test("Ten thousand pictures in memory, each asked for in the completion of the one before")
    func hits() async {
        harness.cache.storeInMemory(harness.image, for: harness.key)
        DispatchQueue.global().async(execute: loadNext)
        await chain.ended.wait()
        #expect(chain.state.withLock { $0.count } == 10_000)
        #expect(chain.state.withLock { $0.deepest } == CallNesting.limit)
        #expect(harness.manager.metrics.memoryHitCount == 10_000)
    }

    @Sendable private func failNext() {
        var request = harness.request()
        request.url = nil
        harness.manager.load(request) { _ in next(10_000, failNext) }
    }

    @Test("Ten thousand loads without a URL, each begun in the completion of the one before")
    func failures() async {
        DispatchQueue.global().async(execute: failNext)
        await chain.ended.wait()
        #expect(chain.state.withLock { $0.deepest } == CallNesting.limit)
    }

    @Sendable private func cancelNext() {
        harness.manager.load(harness.request()) { _ in next(2_000, cancelNext) }.cancel()
    }

    @Test("Two thousand loads that are cancelled as soon as they are begun, in one another")
    func cancels() async {
        harness.scriptHeldNetwork()
        DispatchQueue.global().async(execute: cancelNext)
        await chain.ended.wait()
        #expect(chain.state.withLock { $0.deepest } == CallNesting.limit)
        while harness.manager.isRunning, !Task.isCancelled { await Task.yield() }
    }

    @Test("Up to the limit a picture in memory is delivered before the call returns, at any depth")
    func shallow() {
        harness.cache.storeInMemory(harness.image, for: harness.key)
        let order = Mutex<[Int]>([])
        @Sendable func load(_ depth: Int) {
            harness.manager.load(harness.request()) { _ in
                if depth + 1 < CallNesting.limit { load(depth + 1) }
                order.withLock { $0.append(depth) }
            }
        }
        load(0)
        #expect(order.withLock { $0 } == (0..<CallNesting.limit).reversed())
    }
}

@MainActor
@Suite("A chain of a view's pictures")
struct NestedViewTests {
    @Test("Ten thousand pictures in memory, each set in the completion of the one before: the last is shown")
    func hits() async {
        let view = StubView()
        let picture = view.script("a")
        view.harness.cache.storeInMemory(picture.image, for: CacheKey(picture.url.absoluteString))
        var count = 0
        @MainActor func setNext() {
            view.loads.setImage(ImageRequest(picture.url)) { result in
                count += 1
                #expect((try? result.get()) != nil)
                if count < 10_000 { setNext() }
            }
        }
        setNext()
        #expect(count == 10_000 && view.image === picture.image && view.harness.manager.metrics.memoryHitCount == count)
    }
}
