import Foundation
import WebImageCore

/// What `Scripts/bench cache` measures of the disk cache: `CacheBench WORK FOLDER COUNT`.
///
/// `fill` stores COUNT entries of 20 kB, `fill-small` of 100 bytes; `hit` reads them all; `miss` looks as often for what
/// is not there; `store` stores them anew in an empty folder; `sweep` walks over them; `open` makes a cache and reads one
/// entry. Prints microseconds of processor time for each entry (`open`: for all), and after `sweep` the bytes by which it
/// raised the peak of memory.
@main enum CacheBench {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let count = Int(arguments[3]) else {
            fatalError("usage: CacheBench WORK FOLDER COUNT")
        }
        let keys = (0..<count).map { CacheKey("https://bench.example/pictures/\($0).jpg") }
        let cache = DiskCache(folder: arguments[2])
        switch arguments[1] {
        case "fill": try store(keys, 20_000, cache)
        case "fill-small": try store(keys, 100, cache)
        case "hit":
            let order = keys.shuffled()
            try measure(count) { for key in order { guard try cache.data(for: key) != nil else { fatalError() } } }
        case "miss":
            let missing = (0..<count).map { CacheKey("https://bench.example/missing/\($0).jpg") }
            for key in missing.prefix(100) { _ = cache.contains(key) }
            measure(count) { for key in missing where cache.contains(key) { fatalError() } }
        case "store": try measure(count) { try store(keys, 20_000, cache) }
        case "sweep":
            let before = memory("VmRSS:")
            measure(count) { cache.removeExpired() }
            print("memory", memory("VmHWM:") - before)
        case "open":
            try measure(1) {
                guard try DiskCache(folder: cache.folder).data(for: keys[count / 2]) != nil else { fatalError() }
            }
        default: fatalError("unknown work \(arguments[1])")
        }
    }

    private static func store(_ keys: [CacheKey], _ byteCount: Int, _ cache: DiskCache) throws {
        let data = Data(repeating: 7, count: byteCount)
        for key in keys { try cache.store(data, for: key, metadata: DiskMetadata(url: key.text)) }
    }

    private static func measure(_ count: Int, _ work: () throws -> Void) rethrows {
        let start = microseconds()
        try work()
        print((microseconds() - start) / Double(count))
    }

    /// Of this process alone: others may use the machine.
    private static func microseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }

    private static func memory(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        let kilobytes = line?.split(whereSeparator: { $0.isWhitespace }).dropFirst().first.flatMap { Int($0) } ?? 0
        return kilobytes * 1024
    }
}
