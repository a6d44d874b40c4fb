import Foundation
import Synchronization
import Testing
import WebImagePixels
import WebImageTesting

@testable import WebImageCore

@Suite("What observers are told, and what is counted")
struct ObservationTests {
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        private let ids = Mutex<Set<UInt64>>([])

        var all: [String] { lines.withLock { $0 } }
        var idCount: Int { ids.withLock { $0.count } }

        func add(_ observation: LoadObservation) {
            _ = ids.withLock { $0.insert(observation.id) }
            let line =
                switch observation.kind {
                case .loadBegan: "began"
                case .stageBegan(let stage): "\(stage) began"
                case .stageEnded(let stage, _, let error): "\(stage) ended\(error.map { " \($0.code.rawValue)" } ?? "")"
                case .loadEnded(.success(let result), _): "ended \(result.source)"
                case .loadEnded(.failure(let error), _): "failed \(error.code.rawValue)"
                }
            lines.withLock { $0.append(line) }
        }
    }

    private func harness(_ log: Log) -> ManagerHarness {
        var configuration = ImageManager.Configuration()
        configuration.observers = [LoadObserver { log.add($0) }]
        let harness = ManagerHarness(configuration: configuration)
        harness.scriptNetwork()
        return harness
    }

    @Test("Begin and end of the load and of every stage, in order")
    func stages() async throws {
        let log = Log()
        let harness = harness(log)
        _ = try await harness.manager.image(
            for: harness.request(.waitStoreCache) { $0.transformer = CountingTransformer() })
        #expect(
            log.all == [
                "began", "cache began", "cache ended", "cache began", "cache ended", "load began", "load ended",
                "decode began", "decode ended", "transform began", "transform ended", "store began", "store ended",
                "ended network",
            ])
        #expect(log.idCount == 1)
    }

    @Test("A memory hit begins and ends; a failure says of which stage")
    func hitAndFailure() async throws {
        let log = Log()
        let harness = harness(log)
        harness.cache.storeInMemory(harness.image, for: harness.key)
        _ = try await harness.manager.image(for: harness.request())
        #expect(log.all == ["began", "ended memory"])
        let broken = URL(string: "https://h/broken.png")!
        harness.loader.script(broken, .failure(ImageError(.timedOut, .load, "late")))
        _ = try? await harness.manager.image(from: broken)
        #expect(log.all.suffix(3) == ["load began", "load ended 3102", "failed 3102"])
    }

    @Test("Cancelled in each stage: whatever began ends once, and so does the load", arguments: [0, 1, 2, 3])
    func cancelledStages(_ place: Int) async {
        let log = Log()
        let harness = harness(log)
        let (gate, held) = (Gate(), HeldTransformer())
        let cache = GatedCache(holding: place == 0 ? harness.key : "none")
        if place == 1 { harness.loader.script(harness.url, .held) }
        if place == 2 { harness.coder.hold(at: gate) }
        let recorder = Recorder()
        let operation = harness.manager.load(
            harness.request { context in
                context.imageCache = cache
                if place == 3 { context.transformer = held }
            }, completion: recorder.complete)
        switch place {
        case 0: await cache.gate.waitForArrivals(1)
        case 1: await harness.loader.waitForRequest(for: harness.url)
        case 2: await gate.waitForArrivals(1)
        default: await held.gate.waitForArrivals(1)
        }
        operation.cancel()
        #expect(recorder.error?.isCancelled == true && log.all.last == "failed 2002")
        for gate in [cache.gate, gate, held.gate] { gate.open() }
        let stage = ["cache", "load", "decode", "transform"][place]
        func isPaired(_ stage: String) -> Bool {
            let (begun, ended) = log.all.filter { $0.hasPrefix(stage) }.reduce(into: (0, 0)) { counts, line in
                if line.hasSuffix(" began") { counts.0 += 1 } else { counts.1 += 1 }
            }
            return begun == ended
        }
        while !isPaired(stage), !Task.isCancelled { await Task.yield() }
        #expect(log.all.contains("\(stage) began"))
        #expect(["cache", "load", "decode", "transform", "store"].allSatisfy { isPaired($0) })
        #expect(log.all.filter { $0 == "began" }.count == 1)
        #expect(log.all.filter { $0.hasPrefix("failed") || $0.hasPrefix("ended") }.count == 1)
        #expect(harness.manager.metrics.cancelledCount == 1)
    }

    @Test("Bytes count once, whoever called the loader; those of the one who left too")
    func bytesOfOneWhoLeft() async {
        let harness = ManagerHarness()
        harness.scriptHeldNetwork()
        let (first, second) = (Recorder(), Recorder())
        let operation = harness.manager.load(harness.request(), completion: first.complete)
        await harness.loader.waitForRequest(for: harness.url)
        harness.manager.load(
            harness.request { $0.thumbnailPixelSize = ImageSize(10, 10) }, progress: second.report,
            completion: second.complete)
        // Whoever waits for the file hears of its progress.
        while second.progress.isEmpty, !Task.isCancelled {
            harness.loader.progress(harness.url, LoadProgress(receivedByteCount: 1, expectedByteCount: nil))
            await Task.yield()
        }
        operation.cancel()
        harness.loader.finish(harness.url, .success(ManagerHarness.bytes))
        await second.ended.wait()
        #expect(second.result != nil && harness.loader.requestCount(for: harness.url) == 1)
        #expect(harness.manager.metrics.receivedByteCount == ManagerHarness.bytes.count)
    }

    @Test("Loads of bytes alone are counted")
    func bytesAlone() async throws {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        for _ in 0..<2 { _ = try await harness.manager.data(for: harness.request(.waitStoreCache)) }
        _ = try? await harness.manager.data(for: ImageRequest(nil))
        let metrics = harness.manager.metrics
        #expect(metrics.networkLoadCount == 1 && metrics.diskHitCount == 1 && metrics.memoryHitCount == 0)
        #expect(metrics.failureCounts == [.invalidURL: 1] && metrics.loads.count == 3)
        #expect(metrics.stages[.cache]?.count == 2 && metrics.stages[.load]?.count == 1)
    }

    @Test("The snapshot counts results, bytes and times; its text is Prometheus's")
    func metrics() async throws {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        for _ in 0..<3 { _ = try await harness.manager.image(for: harness.request(.waitStoreCache)) }
        _ = try? await harness.manager.image(from: nil)
        let metrics = harness.manager.metrics
        #expect(metrics.networkLoadCount == 1 && metrics.memoryHitCount == 2 && metrics.diskHitCount == 0)
        #expect(metrics.failureCounts == [.invalidURL: 1] && metrics.cancelledCount == 0)
        #expect(metrics.receivedByteCount == ManagerHarness.bytes.count)
        #expect(metrics.stages[.decode]?.count == 1 && metrics.runningLoadCount == 0)
        let text = metrics.prometheusText
        #expect(text.contains("# TYPE webimage_loads_total counter\nwebimage_loads_total{result=\"memory\"} 2\n"))
        #expect(text.contains("webimage_failures_total{code=\"1000\"} 1\n"))
        #expect(text.contains("webimage_stage_seconds_count{stage=\"decode\"} 1\n"))
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            #expect(line.split(separator: " ").count == 2 && Double(line.split(separator: " ")[1]) != nil)
        }
    }
}
