import Foundation
import WebImage

/// Decodes files in one go, and from bytes that come one by one: `IncrementalBench GOAL FILE…`.
///
/// For each file a line: how many times the work of one decode the other is. What the calls themselves cost, made to a
/// decoder that does nothing, is the caller's, and is told apart: for a picture that decodes in a few nanoseconds a
/// byte it is much. The three take turns; the least time of each counts.
@main enum IncrementalBench {
    static func main() throws {
        guard CommandLine.arguments.count > 2, let goal = Double(CommandLine.arguments[1]) else {
            fatalError("usage: IncrementalBench GOAL FILE...")
        }
        for path in CommandLine.arguments.dropFirst(2) {
            let file = URL(fileURLWithPath: path)
            let data = try Data(contentsOf: file)
            guard let coder = CodersManager.shared.coder(for: data) as? any ProgressiveImageCoder else {
                fatalError("\(path) cannot be decoded while it comes")
            }
            for isWatched in [false, true] {
                let costs = try Costs(coder, data, isWatched: isWatched)
                print("\(file.lastPathComponent), \(data.count) bytes one at a time", costs.line(isWatched, goal))
            }
        }
    }
}

/// Microseconds of processor time.
private struct Costs {
    private var whole = Double.infinity
    private var dripped = Double.infinity
    private var calls = Double.infinity

    init(_ coder: any ProgressiveImageCoder, _ data: Data, isWatched: Bool) throws {
        let once = try Self.microseconds(1) { _ = try coder.decode(data) }
        let repeats = max(1, Int(2000 / max(1, once)))
        let bytes = [UInt8](data)
        for _ in 0..<max(10, Int(400_000 / (once * Double(repeats) * 6))) {
            whole = min(whole, try Self.microseconds(repeats) { _ = try coder.decode(data) })
            let drips = try Self.microseconds(repeats) {
                let decoder = coder.incrementalDecoder(options: DecodeOptions())
                try drip(bytes, into: decoder, isWatched)
                _ = try decoder.finish()
            }
            dripped = min(dripped, drips)
            calls = min(calls, try Self.microseconds(repeats) { try drip(bytes, into: IdleDecoder(), isWatched) })
        }
    }

    func line(_ isWatched: Bool, _ goal: Double) -> String {
        let ratio = dripped / whole
        let own = (dripped - calls) / whole
        let numbers = [whole, ratio, ratio - own, own].map { String(format: "%.2f", $0) }
        return "\(isWatched ? "and a partial picture asked for after each" : "and no partial picture asked for"): "
            + "\(numbers[1]) decodes (one is \(numbers[0]) µs), less bare calls (\(numbers[2])) \(numbers[3]) "
            + "(\(own <= goal ? "within" : "NOT within") \(goal))"
    }

    /// Of this process alone: others may use the machine.
    private static func microseconds(_ repeats: Int, _ body: () throws -> Void) rethrows -> Double {
        let start = now()
        for _ in 0..<repeats { try body() }
        return (now() - start) / Double(repeats)
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
}

@inline(never) private func drip(_ bytes: [UInt8], into decoder: any IncrementalDecoder, _ isWatched: Bool) throws {
    try bytes.withUnsafeBytes { bytes in
        for index in bytes.indices {
            try decoder.append(UnsafeRawBufferPointer(rebasing: bytes[index..<index + 1]))
            if isWatched { _ = try decoder.partialImage() }
        }
    }
}

private final class IdleDecoder: IncrementalDecoder {
    func append(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {}

    func partialImage() throws(ImageError) -> DecodedImage? { nil }

    func finish() throws(ImageError) -> DecodedImage {
        throw ImageError(.badImageData, .decode, "nothing is decoded here")
    }
}
