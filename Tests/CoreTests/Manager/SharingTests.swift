import Foundation
import Synchronization
import Testing
import WebImagePixels
import WebImageTesting

@testable import WebImageCore

@Suite("Loads that are alike share their work")
struct SharingTests {
    @Test("Twenty loads of one URL: one download, one decode, twenty completions")
    func oneDownload() async throws {
        let harness = ManagerHarness()
        harness.scriptHeldNetwork()
        let recorders = (0..<20).map { _ in Recorder() }
        for recorder in recorders {
            harness.manager.load(harness.request(), progress: recorder.report, completion: recorder.complete)
        }
        await harness.loader.waitForRequest(for: harness.url)
        // Whoever waits for the download hears of its progress: once all did, it may end.
        while recorders.contains(where: { $0.progress.isEmpty }), !Task.isCancelled {
            harness.loader.progress(harness.url, LoadProgress(receivedByteCount: 1, expectedByteCount: nil))
            await Task.yield()
        }
        harness.loader.finish(harness.url, .success(ManagerHarness.bytes))
        for recorder in recorders { await recorder.ended.wait() }
        #expect(recorders.allSatisfy { $0.completions.count == 1 && $0.result?.image === harness.image })
        #expect(harness.loader.requestCount(for: harness.url) == 1)
        #expect(harness.coder.decodes.count == 1)
    }

    @Test("Loads with other decode options decode for themselves, each to its own size")
    func otherSizes() async throws {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for side in 90..<100 {
                group.addTask {
                    let result = try await harness.manager.image(
                        for: harness.request { $0.thumbnailPixelSize = ImageSize(Double(side), Double(side)) })
                    #expect(result.data == nil)
                    return (side, result.image.pixelSize.width)
                }
            }
            for try await (asked, got) in group { #expect(asked == got) }
        }
    }

    @Test("Loads with other header fields share nothing")
    func otherHeaders() async {
        let harness = ManagerHarness()
        harness.scriptHeldNetwork()
        for token in ["one", "two"] {
            harness.manager.load(harness.request { $0.headers["Authorization"] = token }) { _ in }
        }
        await harness.loader.waitForRequest(for: harness.url, count: 2)
        let tokens = harness.loader.requests.map { $0.context.headers["Authorization"] }
        #expect(Set(tokens) == ["one", "two"])
        harness.manager.cancelAll()
    }

    @Test("The work runs at the highest priority of those who wait, and follows changes")
    func priority() async {
        let harness = ManagerHarness()
        harness.scriptHeldNetwork()
        let low = harness.manager.load(harness.request([.lowPriority])) { _ in }
        await harness.loader.waitForRequest(for: harness.url)
        #expect(harness.loader.priorities(of: harness.url) == [.low])
        low.priority = .high
        #expect(harness.loader.priorities(of: harness.url) == [.high])
        low.priority = .normal
        #expect(harness.loader.priorities(of: harness.url) == [.normal])
        #expect(low.priority == .normal)
        low.cancel()
    }

    @Test("A cancelled caller leaves; the others go on; the last one stops the work")
    func leaving() async {
        let work = WorkHarness()
        let first = work.join()
        let second = work.join()
        #expect(work.startCount == 1)
        first.operation.cancel()
        #expect(first.error?.code == .cancelled && !work.isCancelled)
        second.operation.cancel()
        #expect(second.error?.code == .cancelled && work.isCancelled)
        let third = work.join()
        #expect(work.startCount == 2)
        work.finish(7)
        #expect(third.value == 7 && first.completionCount == 1 && second.completionCount == 1)
    }

    @Test("Who joins late is told how far the work has come")
    func lateProgress() {
        let work = WorkHarness()
        _ = work.join()
        work.report(40)
        let late = work.join()
        #expect(late.progress == [40])
        work.finish(1)
    }

    @Test("Progress never comes after the end, even when another caller's progress closure is what cancels")
    func progressAfterCancel() {
        let work = WorkHarness()
        let pair = Mutex<[WorkMember]>([])
        let members = (0..<2).map { index in
            work.join { pair.withLock { $0[1 - index] }.operation.cancel() }
        }
        pair.withLock { $0 = members }
        work.report(1)
        #expect(members.map(\.progressAfterEnd) == [0, 0])
        #expect(members.map(\.completionCount).sorted() == [0, 1])
        work.finish(1)
        #expect(members.map(\.completionCount) == [1, 1])
    }

    @Test("An end that comes in the middle of a progress closure is told after it, and only once")
    func endWithinProgress() {
        let order = Mutex<[String]>([])
        let work = WorkHarness()
        let member = work.join {
            work.finish(1)
            work.finish(2)
            order.withLock { $0.append("progress") }
        }
        work.report(1)
        work.report(2)
        order.withLock { $0.append("\(member.value ?? 0)") }
        #expect(order.withLock { $0 } == ["progress", "1"])
        #expect(member.completionCount == 1 && member.progressAfterEnd == 0)
    }

    @Test("A priority that changes before the loader is asked reaches it")
    func earlyPriority() async {
        let harness = ManagerHarness()
        harness.scriptHeldNetwork()
        let cache = GatedCache(holding: harness.key)
        let low = harness.manager.load(harness.request([.lowPriority]) { $0.imageCache = cache }) { _ in }
        await cache.gate.waitForArrivals(1)
        low.priority = .normal
        cache.gate.open()
        await harness.loader.waitForRequest(for: harness.url)
        while harness.loader.priorities(of: harness.url) != [.normal], !Task.isCancelled { await Task.yield() }
        low.cancel()
    }

    @Test("Loads that share a picture transform, encode and write it once")
    func oneStore() async {
        let harness = ManagerHarness()
        harness.scriptHeldNetwork()
        let cache = GatedCache()
        let transformer = HeldTransformer()
        let recorders = (0..<20).map { _ in Recorder() }
        for recorder in recorders {
            let request = harness.request([.waitStoreCache]) { context in
                context.transformer = transformer
                context.imageCache = cache
            }
            harness.manager.load(request, completion: recorder.complete)
        }
        await harness.loader.waitForRequest(for: harness.url)
        while harness.manager.sources.waiterCounts != [20], !Task.isCancelled { await Task.yield() }
        harness.loader.finish(harness.url, .success(ManagerHarness.bytes))
        await transformer.gate.waitForArrivals(1)
        transformer.gate.open()
        for recorder in recorders { await recorder.ended.wait() }
        #expect(recorders.allSatisfy { $0.result?.image.pixelSize == PixelSize(10, 10) })
        #expect(transformer.gate.arrivalCount == 1 && harness.coder.encodes.count == 1)
        #expect(cache.writes.map(\.text).sorted() == [harness.key.text, harness.key.text + "-Held(1)"])
    }

    @Test("Work that ends while it starts ends well")
    func immediateEnd() {
        let work = WorkHarness(finishesAtOnce: true)
        let only = work.join()
        #expect(only.value == 99 && only.completionCount == 1)
        only.operation.cancel()
        #expect(only.completionCount == 1)
    }

    @Test("A thousand who come and go from many threads are each called once")
    func stress() async {
        let work = WorkHarness()
        let members = await withTaskGroup(of: WorkMember.self) { group in
            for index in 0..<1000 {
                group.addTask {
                    let member = work.join()
                    if index % 3 == 0 { member.operation.cancel() }
                    if index % 50 == 0 { work.finish(index) }
                    return member
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        work.finish(-1)
        #expect(members.allSatisfy { $0.completionCount == 1 })
    }
}
