import WebImage
import WebImageFoundation

/// How far many loads have come, as rows of a terminal.
struct ProgressBoard: Sendable {
    private struct Transfer {
        let name: String
        var progress: LoadProgress
    }

    /// How many loads there are in all.
    let total: Int
    private(set) var doneCount = 0
    private(set) var failureCount = 0
    private var byteCount = 0
    private var transfers: [Int: Transfer] = [:]
    private let start = ContinuousClock.now

    init(total: Int) {
        self.total = total
    }

    /// Notes how many bytes of a load have come. The number tells loads apart and orders them.
    mutating func note(_ progress: LoadProgress, of number: Int, name: String) {
        byteCount += max(0, progress.receivedByteCount - (transfers[number]?.progress.receivedByteCount ?? 0))
        transfers[number] = Transfer(name: name, progress: progress)
    }

    mutating func noteEnd(of number: Int, isFailure: Bool) {
        transfers[number] = nil
        doneCount += 1
        if isFailure { failureCount += 1 }
    }

    /// At most `rows - 1` lines of less than `columns` characters, the last one about the whole.
    func lines(columns: Int, rows: Int) -> [String] {
        let room = max(0, rows - 3)
        let running = transfers.sorted { $0.key < $1.key }.map(\.value)
        var lines = running.prefix(room).map { line($0, columns: columns - 1) }
        if running.count > room, room > 0 { lines.append("  and \(running.count - room) more") }
        return lines + [summary]
    }

    private var summary: String {
        let failures = failureCount == 0 ? "" : ", \(failureCount) failed"
        let elapsed = start.duration(to: .now)
        let rate = Double(byteCount) / max(0.001, elapsed.seconds)
        let speed = byteCount == 0 ? "" : "  \(Quantity.bytes(byteCount))  \(Quantity.bytes(Int(rate)))/s"
        return "  \(doneCount) of \(total)\(failures)\(speed)  \(Quantity.time(elapsed))"
    }

    private func line(_ transfer: Transfer, columns: Int) -> String {
        let bar = columns < 72 ? "" : "  " + bar(transfer.progress)
        let figures = bar + "  " + amount(transfer.progress)
        let room = max(8, min(48, columns - figures.count - 2))
        return "  " + Self.shortened(transfer.name, to: room) + figures
    }

    private func amount(_ progress: LoadProgress) -> String {
        let received = Quantity.bytes(progress.receivedByteCount)
        guard let expected = progress.expectedByteCount, expected > 0 else { return "     \(received)" }
        let percent = String(min(100, Int(Self.share(progress) * 100)))
        let gap = String(repeating: " ", count: 3 - percent.count)
        return "\(gap)\(percent)%  \(received) of \(Quantity.bytes(expected))"
    }

    private func bar(_ progress: LoadProgress) -> String {
        let width = 20
        let filled = min(width, Int(Self.share(progress) * Double(width)))
        return String(repeating: "━", count: filled) + String(repeating: "╌", count: width - filled)
    }

    private static func share(_ progress: LoadProgress) -> Double {
        guard let expected = progress.expectedByteCount, expected > 0 else { return 0 }
        return Double(progress.receivedByteCount) / Double(expected)
    }

    /// The end of a name says more than its beginning.
    private static func shortened(_ name: String, to count: Int) -> String {
        guard name.count > count else { return name + String(repeating: " ", count: count - name.count) }
        return "…" + name.suffix(count - 1)
    }
}
