import Foundation
import Synchronization
import Testing
import WebImageCore
import WebImageTesting

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
