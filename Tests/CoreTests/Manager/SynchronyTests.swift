import Dispatch
import Foundation
import Testing
import WebImageCore
import WebImagePixels
import WebImageTesting

@Suite("A picture in memory comes at once, nothing else blocks")
struct SynchronyTests {
    @Test("A memory hit is delivered before the call returns, on the main thread for the main queue")
    @MainActor
    func memoryHit() {
        let harness = ManagerHarness()
        harness.cache.storeInMemory(harness.image, for: harness.key)
        let recorder = Recorder()
        harness.manager.load(
            harness.request { $0.callbackQueue = .main },
            completion: { result in
                dispatchPrecondition(condition: .onQueue(.main))
                recorder.complete(result)
            })
        #expect(recorder.result?.image === harness.image)
        #expect(recorder.result?.source == .memory && recorder.result?.data == nil)
        #expect(!harness.manager.isRunning)
    }

    @Test("A miss calls back later, though everything answers at once")
    @MainActor
    func miss() async {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        let recorder = Recorder()
        harness.manager.load(harness.request { $0.callbackQueue = .main }, completion: recorder.complete)
        #expect(recorder.completions.isEmpty)
        await recorder.ended.wait()
        #expect(recorder.result != nil)
    }

    @Test("No lock is held while a closure runs: a completion may load, cancel and ask")
    func reentrancy() async {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        let inner = Recorder()
        let outer = Recorder()
        let other = harness.manager.load(harness.request(), completion: { _ in })
        harness.manager.load(harness.request()) { result in
            harness.manager.load(harness.request(), completion: inner.complete)
            other.cancel()
            harness.manager.cancelAll()
            _ = harness.manager.isRunning
            outer.complete(result)
        }
        await outer.ended.wait()
        await inner.ended.wait()
        #expect(outer.completions.count == 1 && inner.completions.count == 1)
    }

    @Test("UT-06 callback queues: sync runs, each policy calls when it says")
    func callbackQueue() async {
        let queue = DispatchQueue(label: "test")
        let ran = Recorder()
        CallbackQueue(queue).sync { ran.report(LoadProgress(receivedByteCount: 1, expectedByteCount: nil)) }
        #expect(ran.progress.count == 1)

        let inline = Gate()
        queue.sync {
            CallbackQueue(queue, policy: .safeExecute).async { inline.open() }
            #expect(inline.isOpen)
        }

        let later = Gate()
        queue.sync {
            CallbackQueue(queue, policy: .dispatch).async { later.open() }
            #expect(!later.isOpen)
        }
        await later.wait()

        let invoked = Gate()
        CallbackQueue(queue, policy: .invoke).async { invoked.open() }
        #expect(invoked.isOpen)
    }

    @Test("An actor's executor: later, on the actor, a load's closures in order")
    func callbackOnActor() async throws {
        let harness = ManagerHarness()
        harness.cache.storeInMemory(harness.image, for: harness.key)
        let listener = ListeningActor()
        var request = harness.request()
        request.context.callbackQueue = .actor(listener)
        let ended = Gate()
        harness.manager.load(request) { result in
            listener.assumeIsolated { $0.hear("completion") }
            ended.open()
        }
        await ended.wait()
        #expect(await listener.heard == ["completion"])
        CallbackQueue.actor(listener).sync { listener.assumeIsolated { $0.hear("sync") } }
        #expect(await listener.heard == ["completion", "sync"])
    }

    @Test("A queue is known by what it is, however often it was named")
    @MainActor
    func sameQueue() {
        let first = CallbackQueue(.main)
        for _ in 0..<200 {
            _ = CallbackQueue(.main)
            let queue = DispatchQueue(label: "test")
            let runsOnMain = Gate()
            CallbackQueue(queue).async { if Thread.isMainThread { runsOnMain.open() } }
            queue.sync {}
            #expect(!runsOnMain.isOpen)
        }
        let inline = Gate()
        first.async { inline.open() }
        #expect(inline.isOpen)
        first.sync {}
    }

    @Test("UT-05 a key tells the scale of its picture")
    func scaleOfKey() async throws {
        for (name, scale) in [("test@2x.gif", 2.0), ("test@3x.png", 3), ("test%402x.png", 2), ("t.png", 1)] {
            let harness = ManagerHarness()
            harness.cache.scriptAllMissing()
            let url = try #require(URL(string: "https://h/\(name)"))
            harness.loader.script(url, .data(ManagerHarness.bytes))
            var request = harness.request()
            request.url = url
            _ = try await harness.manager.image(for: request)
            #expect(harness.coder.decodes.first?.scaleFactor == scale)
        }
    }
}

private actor ListeningActor {
    private(set) var heard: [String] = []

    func hear(_ word: String) { heard.append(word) }
}
