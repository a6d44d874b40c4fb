import Foundation
import WebImage

/// Decodes a file in full, to premultiplied RGBA, as often as asked: `DecodeBench FILE ROUNDS`.
///
/// Prints the milliseconds of processor time of each round, then the bytes by which the first round raised the peak of memory above what
/// was in use before, less the output's.
@main enum DecodeBench {
    static func main() throws {
        guard CommandLine.arguments.count == 3, let rounds = Int(CommandLine.arguments[2]) else {
            fatalError("usage: DecodeBench FILE ROUNDS")
        }
        let data = try Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1]))
        let before = memory("VmRSS:")
        var outputByteCount = 0
        for round in 0..<rounds {
            let start = milliseconds()
            let count = try decode(data)
            print(milliseconds() - start)
            if round == 0 {
                outputByteCount = count
                print("over", memory("VmHWM:") - before - outputByteCount)
            }
        }
    }

    /// The bytes of the output: of one picture, or of one frame where all are decoded one after the other.
    private static func decode(_ data: Data) throws -> Int {
        let frames = try CodersManager.shared.frames(of: data, options: DecodeOptions())
        guard frames.frameCount > 1 else {
            return try CodersManager.shared.decode(data, options: DecodeOptions()).pixels.byteCount
        }
        var count = 0
        for index in 0..<frames.frameCount { count = try frames.frame(at: index).pixels.byteCount }
        return count
    }

    /// Of this process alone: others may use the machine.
    private static func milliseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }

    private static func memory(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        let kilobytes = line?.split(whereSeparator: { $0.isWhitespace }).dropFirst().first.flatMap { Int($0) } ?? 0
        return kilobytes * 1024
    }
}
