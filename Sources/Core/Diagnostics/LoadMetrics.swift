/// What a manager did since it was made, and what it has to do: a copy of the counts at one moment.
public struct LoadMetrics: Sendable {
    /// How long something took, over all times.
    public struct Summary: Sendable, Hashable {
        /// How often.
        public let count: Int
        /// All times together.
        public let total: Duration
        /// Half of them took at most this; like the next two at most a fifth too long.
        public let median: Duration
        /// Nine of ten took at most this.
        public let percentile90: Duration
        /// Ninety-nine of a hundred took at most this.
        public let percentile99: Duration
        /// The longest.
        public let longest: Duration

        init(_ histogram: DurationHistogram) {
            count = histogram.count
            total = histogram.total
            median = histogram.percentile(0.5)
            percentile90 = histogram.percentile(0.9)
            percentile99 = histogram.percentile(0.99)
            longest = histogram.longest
        }
    }

    /// Loads answered from memory.
    public let memoryHitCount: Int
    /// Loads answered from disk.
    public let diskHitCount: Int
    /// Loads answered through the loader.
    public let networkLoadCount: Int
    /// Loads that were cancelled.
    public let cancelledCount: Int
    /// Loads that failed, by the error's code.
    public let failureCounts: [ImageError.Code: Int]
    /// Bytes of bodies that the loader brought; shared downloads count once.
    public let receivedByteCount: Int
    /// Loads under way.
    public let runningLoadCount: Int
    /// Work that waits for its turn, by stage.
    public let waitingCounts: [LoadStage: Int]
    /// How long loads took that memory did not answer.
    public let loads: Summary
    /// How long the work of each stage took.
    public let stages: [LoadStage: Summary]

    init(_ diagnostics: LoadDiagnostics, running: Int, waiting: [LoadStage: Int]) {
        let (memoryHitCount, counts) = diagnostics.snapshot
        self.memoryHitCount = memoryHitCount
        diskHitCount = counts.diskHitCount
        networkLoadCount = counts.networkLoadCount
        cancelledCount = counts.cancelledCount
        failureCounts = counts.failureCounts
        receivedByteCount = counts.receivedByteCount
        runningLoadCount = running
        waitingCounts = waiting
        loads = Summary(counts.loads)
        var stages: [LoadStage: Summary] = [:]
        for (stage, histogram) in zip(LoadStage.allCases, counts.stages) where histogram.count > 0 {
            stages[stage] = Summary(histogram)
        }
        self.stages = stages
    }
}

extension LoadMetrics {
    /// The counts in the text format of Prometheus, version 0.0.4, for a server's `/metrics`.
    public var prometheusText: String {
        var text = PrometheusText()
        text.head("webimage_loads_total", "counter", "Loads that ended, by their result.")
        let results = [
            ("memory", memoryHitCount), ("disk", diskHitCount), ("network", networkLoadCount),
            ("cancelled", cancelledCount), ("failed", failureCounts.values.reduce(0, +)),
        ]
        for (result, count) in results { text.sample("webimage_loads_total", "result=\"\(result)\"", "\(count)") }
        text.head("webimage_failures_total", "counter", "Loads that failed, by the error's code.")
        for (code, count) in failureCounts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            text.sample("webimage_failures_total", "code=\"\(code.rawValue)\"", "\(count)")
        }
        text.head("webimage_received_bytes_total", "counter", "Bytes of bodies that the loader brought.")
        text.sample("webimage_received_bytes_total", nil, "\(receivedByteCount)")
        text.head("webimage_running_loads", "gauge", "Loads under way.")
        text.sample("webimage_running_loads", nil, "\(runningLoadCount)")
        text.head("webimage_waiting", "gauge", "Work that waits for its turn, by stage.")
        for (stage, count) in waitingCounts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            text.sample("webimage_waiting", "stage=\"\(stage.rawValue)\"", "\(count)")
        }
        text.head("webimage_load_seconds", "summary", "How long loads took that memory did not answer.")
        text.summary("webimage_load_seconds", nil, loads)
        text.head("webimage_stage_seconds", "summary", "How long the work of each stage took.")
        for (stage, summary) in stages.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            text.summary("webimage_stage_seconds", "stage=\"\(stage.rawValue)\"", summary)
        }
        return text.text
    }
}

private struct PrometheusText {
    private(set) var text = ""

    mutating func head(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    mutating func sample(_ name: String, _ labels: String?, _ value: String) {
        text += labels.map { "\(name){\($0)} \(value)\n" } ?? "\(name) \(value)\n"
    }

    mutating func summary(_ name: String, _ labels: String?, _ summary: LoadMetrics.Summary) {
        let quantiles = [
            ("0.5", summary.median), ("0.9", summary.percentile90), ("0.99", summary.percentile99),
        ]
        for (quantile, duration) in quantiles {
            let all = [labels, "quantile=\"\(quantile)\""].compactMap(\.self).joined(separator: ",")
            // As its own clients write what nothing is known of.
            sample(name, all, summary.count > 0 ? "\(duration.inSeconds)" : "NaN")
        }
        sample("\(name)_sum", labels, "\(summary.total.inSeconds)")
        sample("\(name)_count", labels, "\(summary.count)")
    }
}
