import Dispatch
import Foundation
import Synchronization
import Testing
import WebImageCore
import WebImageTesting

@Suite("Where the closures of a load are called, for each policy", .timeLimit(.minutes(10)))
struct CallbackPolicyTests {
    private let harness = ManagerHarness()
    private let queue = DispatchQueue(label: "webimage.test.callbacks")
    private let mark = DispatchSpecificKey<Bool>()

    /// How a load ends.
    enum End: CaseIterable {
        case hit, miss, cancel
    }

    init() {
        queue.setSpecific(key: mark, value: true)
    }

    /// What a completion saw.
    private struct Call {
        let isOnQueue: Bool
        let isWithinLoad: Bool
    }

    /// Loads, and returns what the one completion saw.
    ///
    /// - Parameter isOnQueue: Whether it is asked for on the callback queue.
    private func call(_ policy: CallbackQueue.Policy, _ end: End, from isOnQueue: Bool) async -> Call? {
        let isLoading = Mutex(false)
        let calls = Mutex<[Call]>([])
        let ended = Gate()
        let request = harness.request { $0.callbackQueue = CallbackQueue(queue, policy: policy) }
        if end == .hit { harness.cache.storeInMemory(harness.image, for: harness.key) }
        end == .cancel ? harness.scriptHeldNetwork() : harness.scriptNetwork()
        @Sendable func load() {
            isLoading.withLock { $0 = true }
            let operation = harness.manager.load(request) { _ in
                let call = Call(
                    isOnQueue: DispatchQueue.getSpecific(key: mark) == true,
                    isWithinLoad: isLoading.withLock { $0 })
                calls.withLock { $0.append(call) }
                ended.open()
            }
            if end == .cancel { operation.cancel() }
            isLoading.withLock { $0 = false }
        }
        isOnQueue ? queue.sync(execute: load) : DispatchQueue(label: "webimage.test.other").sync(execute: load)
        await ended.wait()
        queue.sync {}
        return calls.withLock { $0.count == 1 ? $0.first : nil }
    }

    @Test("safeExecute: at once on its queue, else later on it", arguments: End.allCases, [true, false])
    func safeExecute(_ end: End, from isOnQueue: Bool) async throws {
        let call = try #require(await call(.safeExecute, end, from: isOnQueue))
        #expect(call.isOnQueue)
        if isOnQueue { #expect(call.isWithinLoad == (end != .miss)) }
    }

    @Test("dispatch: always later on its queue", arguments: End.allCases, [true, false])
    func dispatch(_ end: End, from isOnQueue: Bool) async throws {
        let call = try #require(await call(.dispatch, end, from: isOnQueue))
        #expect(call.isOnQueue)
        if isOnQueue { #expect(!call.isWithinLoad) }
    }

    @Test("invoke: at once, on the thread of the one who asks or cancels", arguments: End.allCases, [true, false])
    func invoke(_ end: End, from isOnQueue: Bool) async throws {
        let call = try #require(await call(.invoke, end, from: isOnQueue))
        guard end != .miss else { return }
        #expect(call.isWithinLoad && call.isOnQueue == isOnQueue)
    }

    @Test("safeAsyncMainThread: at once on the main thread", arguments: End.allCases)
    @MainActor
    func mainThread(_ end: End) async {
        let recorder = Recorder()
        if end == .hit { harness.cache.storeInMemory(harness.image, for: harness.key) }
        end == .cancel ? harness.scriptHeldNetwork() : harness.scriptNetwork()
        let operation = harness.manager.load(harness.request { $0.callbackQueue = .main }) { result in
            MainActor.assumeIsolated { recorder.complete(result) }
        }
        if end == .cancel { operation.cancel() }
        #expect(recorder.completions.isEmpty == (end == .miss))
        await recorder.ended.wait()
        #expect(recorder.completions.count == 1)
    }

    @Test("safeAsyncMainThread: from another thread later, on the main queue", arguments: End.allCases)
    func mainThreadFromElsewhere(_ end: End) async {
        let recorder = Recorder()
        if end == .hit { harness.cache.storeInMemory(harness.image, for: harness.key) }
        end == .cancel ? harness.scriptHeldNetwork() : harness.scriptNetwork()
        DispatchQueue(label: "webimage.test.other").sync {
            let operation = harness.manager.load(harness.request { $0.callbackQueue = .main }) { result in
                MainActor.assumeIsolated { recorder.complete(result) }
            }
            if end == .cancel { operation.cancel() }
        }
        await recorder.ended.wait()
        #expect(recorder.completions.count == 1)
    }
}
