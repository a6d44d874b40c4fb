import WebImage

/// The sum of what became of many pictures.
struct FetchTally: Sendable {
    private var counts: [LoadSource: Int] = [:]
    private var byteCounts: [LoadSource: Int] = [:]
    /// Pictures that did not arrive.
    private(set) var failedCount = 0
    /// Pictures that arrived and could not be written somewhere.
    private(set) var notStoredCount = 0
    private let start = ContinuousClock.now

    mutating func note(_ outcome: FetchOutcome) {
        guard let origin = outcome.origin else {
            if !outcome.isCancelled { failedCount += 1 }
            return
        }
        counts[origin, default: 0] += 1
        byteCounts[origin, default: 0] += outcome.byteCount ?? 0
        if !outcome.failures.isEmpty { notStoredCount += 1 }
    }

    /// `24 pictures in 1.31 s: 0 from memory, 0 from disk, 24 from network (18.4 MB); 1 failed`.
    var line: String {
        let pictures = Quantity.count(counts.values.reduce(0, +), "picture")
        let parts = LoadSource.allCases.map { source in
            let bytes = byteCounts[source].map { " (\(Quantity.bytes($0)))" } ?? ""
            return "\(counts[source] ?? 0) from \(source.rawValue)\(bytes)"
        }
        var line = "\(pictures) in \(Quantity.time(start.duration(to: .now))): " + parts.joined(separator: ", ")
        if failedCount > 0 { line += "; \(failedCount) failed" }
        if notStoredCount > 0 { line += "; \(notStoredCount) not stored" }
        return line
    }
}
