import Foundation

/// Hit rates of what a memory cache could keep by, over traces that programs leave. Prints a table; needs no picture.
@main
enum CachePolicies {
    static func main() {
        let traces: [Trace] = [
            .gallery(), .feed(), .zipf(0.7), .zipf(1), .scans(), .shifting(), .mixedSizes(), .loop(110), .loop(220),
        ]
        print("hits in %, of a cache for 100 / 200 pictures")
        for trace in traces {
            let rows = [
                row("LRU", trace) { LRU(capacity: $0) },
                row("S3-FIFO", trace) { S3FIFO(capacity: $0) },
                row("W-TinyLFU 1%", trace) { WTinyLFU(capacity: $0, windowShare: 0.01, entries: $0) },
                row("W-TinyLFU 25%", trace) { WTinyLFU(capacity: $0, windowShare: 0.25, entries: $0) },
                row("clocks 10%", trace) { ClockTinyLFU(capacity: $0, windowShare: 0.1, entries: $0) },
                row("clocks 25%", trace) { ClockTinyLFU(capacity: $0, windowShare: 0.25, entries: $0) },
                row("clocks 50%", trace) { ClockTinyLFU(capacity: $0, windowShare: 0.5, entries: $0) },
            ]
            print(trace.name.padding(toLength: 30, withPad: " ", startingAt: 0), rows.joined(separator: "  "))
        }
    }

    private static func row(_ name: String, _ trace: Trace, _ make: (Int) -> some Policy) -> String {
        let rates = [100, 200].map { capacity -> String in
            var policy = make(capacity)
            var hits = 0
            for key in trace.keys {
                if policy.use(key, cost: trace.cost(key)) { hits += 1 }
                precondition(policy.cost <= capacity, "\(name) holds more than it may")
            }
            return String(format: "%.1f", 100 * Double(hits) / Double(trace.keys.count))
        }
        return "\(name): \(rates.joined(separator: "/"))"
    }
}
