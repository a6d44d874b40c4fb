import Dispatch
import Foundation
import Testing
import WebImageCore
import WebImageTesting

@Suite("Every load ends with exactly one completion")
struct CompletionTests {
    @Test("MA-02 a load completes with picture and URL, and runs until then")
    func completes() async throws {
        let harness = ManagerHarness()
        harness.scriptHeldNetwork()
        let recorder = Recorder()
        harness.manager.load(harness.request(), completion: recorder.complete)
        #expect(harness.manager.isRunning)
        await harness.loader.waitForRequest(for: harness.url)
        harness.loader.finish(harness.url, .success(ManagerHarness.bytes))
        await recorder.ended.wait()
        let result = try #require(recorder.result)
        #expect(result.image === harness.image && result.url == harness.url && result.source == .network)
        #expect(result.data == ManagerHarness.bytes)
        #expect(!harness.manager.isRunning)
    }

    @Test("MA-03 a load that fails completes with the error and no picture")
    func fails() async {
        let harness = ManagerHarness()
        harness.cache.scriptAllMissing()
        harness.loader.script(harness.url, .failure(ImageError(.cannotFindHost, .load, "no such host")))
        await #expect { try await harness.manager.image(for: harness.request()) } throws: { error in
            (error as? ImageError)?.code == .cannotFindHost
        }
    }

    @Test("No URL, and an empty one, end at once with 1000")
    func noURL() {
        let harness = ManagerHarness()
        let recorder = Recorder()
        var request = harness.request()
        request.url = nil
        harness.manager.load(request, completion: recorder.complete)
        #expect(recorder.error?.code == .invalidURL && recorder.completions.count == 1)
    }

    @Test("No loader, no coder: still one error each")
    func nothingThere() async {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        let bare = ImageManager(cache: harness.cache, loader: LoadersManager(), coder: CodersManager())
        await #expect { try await bare.image(for: harness.request()) } throws: {
            ($0 as? ImageError)?.code == .noLoader
        }
        var request = harness.request()
        request.context.imageLoader = harness.loader
        await #expect { try await bare.image(for: request) } throws: { ($0 as? ImageError)?.code == .unknownFormat }
    }

    @Test("MA-06 cancelAll ends a pending load with 2002")
    func cancelAll() async {
        let harness = ManagerHarness()
        harness.scriptHeldNetwork()
        let recorder = Recorder()
        harness.manager.load(harness.request(), completion: recorder.complete)
        await harness.loader.waitForRequest(for: harness.url)
        harness.manager.cancelAll()
        #expect(recorder.error?.code == .cancelled)
        #expect(harness.loader.cancelCount(of: harness.url) == 1)
    }

    @Test("Cancelling three times, and after the end, adds nothing")
    func cancelAgain() async {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        let recorder = Recorder()
        let operation = harness.manager.load(harness.request(), completion: recorder.complete)
        await recorder.ended.wait()
        for _ in 0..<3 { operation.cancel() }
        #expect(recorder.completions.count == 1 && recorder.result != nil)
    }

    @Test("No success after cancel returned on the callback's own queue, though the result is on its way")
    func noSuccessAfterCancel() async {
        let harness = ManagerHarness()
        harness.scriptHeldNetwork()
        let queue = DispatchQueue(label: "test")
        let recorder = Recorder()
        queue.suspend()
        let operation = harness.manager.load(
            harness.request { $0.callbackQueue = CallbackQueue(queue) }, completion: recorder.complete)
        queue.async { operation.cancel() }
        await harness.loader.waitForRequest(for: harness.url)
        harness.loader.finish(harness.url, .success(ManagerHarness.bytes))
        while harness.manager.isRunning, !Task.isCancelled { await Task.yield() }
        // The success now waits behind the cancel.
        queue.resume()
        await recorder.ended.wait()
        queue.sync {}
        #expect(recorder.completions.count == 1 && recorder.error?.code == .cancelled)
    }

    @Test("Progress comes before the end and never after, on a concurrent queue too")
    func progressOrder() async {
        let harness = ManagerHarness()
        harness.scriptHeldNetwork()
        let recorder = Recorder()
        harness.manager.load(
            harness.request { $0.callbackQueue = .global }, progress: recorder.report, completion: recorder.complete)
        await harness.loader.waitForRequest(for: harness.url)
        for count in 1...200 {
            harness.loader.progress(harness.url, LoadProgress(receivedByteCount: count, expectedByteCount: 200))
        }
        harness.loader.finish(harness.url, .success(ManagerHarness.bytes))
        await recorder.ended.wait()
        #expect(recorder.progressAfterEnd == 0)
        #expect(recorder.progress.map(\.receivedByteCount) == recorder.progress.map(\.receivedByteCount).sorted())
        #expect(recorder.progress.last?.receivedByteCount == 200)
    }

    @Test("The event stream ends with its one terminal event")
    func events() async {
        let harness = ManagerHarness()
        harness.scriptHeldNetwork()
        let stream = harness.manager.events(for: harness.request())
        await harness.loader.waitForRequest(for: harness.url)
        harness.loader.progress(harness.url, LoadProgress(receivedByteCount: 4, expectedByteCount: nil))
        harness.loader.finish(harness.url, .success(ManagerHarness.bytes))
        var names: [String] = []
        for await event in stream {
            switch event {
            case .progress: names.append("progress")
            case .partial: names.append("partial")
            case .stale: names.append("stale")
            case .finished: names.append("finished")
            case .failed: names.append("failed")
            case .cancelled: names.append("cancelled")
            }
        }
        #expect(names == ["progress", "finished"])
    }

    @Test("A reader who is far behind gets the latest progress and the end, and the wait costs little")
    func slowReader() async {
        let harness = ManagerHarness()
        harness.scriptHeldNetwork()
        let stream = harness.manager.events(for: harness.request())
        await harness.loader.waitForRequest(for: harness.url)
        for count in 1...1000 {
            harness.loader.progress(harness.url, LoadProgress(receivedByteCount: count, expectedByteCount: 1000))
        }
        harness.loader.finish(harness.url, .success(ManagerHarness.bytes))
        while harness.manager.isRunning, !Task.isCancelled { await Task.yield() }
        var events: [LoadEvent] = []
        for await event in stream { events.append(event) }
        #expect(events.count <= 64)
        guard case .finished = events.last, case .progress(let last) = events.dropLast().last else {
            Issue.record("the stream does not end with progress and the end")
            return
        }
        #expect(last.receivedByteCount == 1000)
    }

    @Test("A dropped event stream cancels its load")
    func droppedStream() async {
        let harness = ManagerHarness()
        harness.scriptHeldNetwork()
        let task = Task {
            for await _ in harness.manager.events(for: harness.request()) {}
        }
        await harness.loader.waitForRequest(for: harness.url)
        task.cancel()
        await task.value
        #expect(harness.loader.cancelCount(of: harness.url) == 1)
    }

    @Test("A task that was cancelled before it began gets cancelled, not an endless wait")
    func cancelledBefore() async {
        let harness = ManagerHarness()
        harness.scriptHeldNetwork()
        let gate = Gate()
        let task = Task {
            await gate.wait()
            return try await harness.manager.image(for: harness.request())
        }
        task.cancel()
        gate.open()
        await #expect { try await task.value } throws: { ($0 as? ImageError)?.code == .cancelled }
    }
}
