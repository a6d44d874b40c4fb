import Foundation
import Testing
import WebImageTesting

@testable import WebImageCore

/// The grammar of the text format, version 0.0.4, and the rules of `promtool check metrics` on names.
@Suite("The text for Prometheus")
struct PrometheusTextTests {
    private struct Family {
        var help = 0
        var type = ""
        var samples: [(name: String, labels: [String: String], value: Double)] = []
    }

    /// One line of a sample: name, labels in braces, number.
    private func sample(_ line: Substring) throws -> (name: String, labels: [String: String], value: Double) {
        let pattern = /([a-z_:][a-z0-9_:]*)(?:[{]((?:[a-z_]+=\x22[^\x22\\\n]*\x22,?)*)[}])? ([^ ]+)/
        let match = try #require(try pattern.wholeMatch(in: line), "\(line)")
        var labels: [String: String] = [:]
        for label in (match.2 ?? "").split(separator: ",") {
            let parts = label.split(separator: "=", maxSplits: 1)
            #expect(labels.updateValue(String(parts[1].dropFirst().dropLast()), forKey: String(parts[0])) == nil)
        }
        return (String(match.1), labels, try #require(Double(match.3), "\(line)"))
    }

    private func families(_ text: String) throws -> [String: Family] {
        var families: [String: Family] = [:]
        var current = ""
        #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"))
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let words = line.split(separator: " ", maxSplits: 3)
            switch words.prefix(2) {
            case ["#", "HELP"]:
                current = String(words[2])
                #expect(families[current] == nil, "the samples of a family stand together")
                families[current, default: Family()].help += 1
            case ["#", "TYPE"]:
                #expect(words[2] == current && families[current]?.type == "")
                families[current]?.type = String(words[3])
            default:
                let sample = try sample(line)
                let isSummary = families[current]?.type == "summary"
                #expect(
                    sample.name == current || isSummary && [current + "_sum", current + "_count"].contains(sample.name))
                families[current]?.samples.append(sample)
            }
        }
        return families
    }

    private func check(_ families: [String: Family]) {
        for (name, family) in families {
            #expect(family.help == 1 && ["counter", "gauge", "summary"].contains(family.type))
            #expect((family.type == "counter") == name.hasSuffix("_total"))
            let identities = family.samples.map { "\($0.name)\($0.labels.sorted { $0.key < $1.key })" }
            #expect(Set(identities).count == identities.count, "\(name)")
            for sample in family.samples {
                let isQuantile = sample.labels["quantile"] != nil
                #expect(isQuantile == (family.type == "summary" && sample.name == name))
                #expect(sample.value >= 0 || isQuantile && sample.value.isNaN)
            }
        }
    }

    @Test("A manager that did nothing: valid, and no quantile of nothing")
    func empty() throws {
        let families = try families(ManagerHarness().manager.metrics.prometheusText)
        check(families)
        let loads = try #require(families["webimage_load_seconds"])
        #expect(loads.samples.count == 5 && loads.samples.count { $0.value.isNaN } == 3)
    }

    @Test("After loads of every kind: valid, counts by result, quantiles that rise, and sums of seconds")
    func full() async throws {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        let transformer = CountingTransformer()
        let request = harness.request(.waitStoreCache) { $0.transformer = transformer }
        for _ in 0..<3 { _ = try await harness.manager.image(for: request) }
        await harness.cache.clear(.memory)
        _ = try await harness.manager.image(for: harness.request())
        _ = try? await harness.manager.image(from: nil)
        let metrics = harness.manager.metrics
        let families = try families(metrics.prometheusText)
        check(families)
        let results = try #require(families["webimage_loads_total"]).samples.map { ($0.labels["result"], $0.value) }
        #expect(results.first { $0.0 == "memory" }?.1 == 2 && results.first { $0.0 == "network" }?.1 == 1)
        #expect(results.first { $0.0 == "disk" }?.1 == 1 && results.first { $0.0 == "failed" }?.1 == 1)
        let stages = try #require(families["webimage_stage_seconds"])
        for stage in ["cache", "load", "decode", "transform", "store"] {
            let samples = stages.samples.filter { $0.labels["stage"] == stage }
            let quantiles = samples.filter { $0.labels["quantile"] != nil }
            #expect(quantiles.map { $0.labels["quantile"] } == ["0.5", "0.9", "0.99"])
            #expect(quantiles.map(\.value) == quantiles.map(\.value).sorted())
            let known = try #require(LoadStage(rawValue: stage).flatMap { metrics.stages[$0] })
            #expect(samples.first { $0.name.hasSuffix("_count") }?.value == Double(known.count))
            #expect(samples.first { $0.name.hasSuffix("_sum") }?.value == known.total.inSeconds)
        }
        #expect(families["webimage_received_bytes_total"]?.samples.first?.value == Double(ManagerHarness.bytes.count))
    }
}
