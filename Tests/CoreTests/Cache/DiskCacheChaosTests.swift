import Foundation
import Testing
import WebImageTesting

@testable import WebImageCore

/// Four processes do random things to one folder, and are killed at random instructions.
///
/// For `WEBIMAGE_CHAOS_SECONDS`, by default 10 and in `.ci/run` 60, and for ten kills at least; `WEBIMAGE_CHAOS_SEED`
/// makes a run of the same choices.
@Suite struct DiskCacheChaosTests {
    private let folder = try! CacheTestFolder()

    private static func setting(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test("chaos: whatever dies when, every entry is whole, sizes are right after a sweep, and nothing is left over")
    func chaos() throws {
        let seed = Self.setting("WEBIMAGE_CHAOS_SEED") ?? .random(in: 0 ... .max)
        print("chaos: WEBIMAGE_CHAOS_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        let path = folder.path + "/entries"
        var workers = try (0..<4).map { _ in try ChaosWorker(path, generator.next()) }
        let end = ContinuousClock.now + .seconds(Int64(clamping: Self.setting("WEBIMAGE_CHAOS_SECONDS") ?? 10))
        var (killCount, stepCount) = (0, 0)
        while killCount < 10 || ContinuousClock.now < end {
            let index = Int.random(in: 0..<4, using: &generator)
            let count = Int.random(in: 1...50, using: &generator)
            try #require(workers[index].waitForSteps(count), "\(workers[index].complaint()) (seed \(seed))")
            stepCount += workers[index].kill()
            killCount += 1
            workers[index] = try ChaosWorker(path, generator.next())
        }
        for worker in workers {
            #expect(worker.waitForSteps(1), "\(worker.complaint()) (seed \(seed))")
            stepCount += worker.kill()
        }
        print("chaos: \(killCount) processes were killed, after \(stepCount) operations together")
        try check(path, seed)
    }

    private func check(_ path: String, _ seed: UInt64) throws {
        let clock = CacheTestWallClock()
        // As long after as everything may take to be gone.
        clock.advance(by: .seconds(3500))
        let cache = DiskCache(folder: path, configuration: ImageCacheConfiguration(), wallClock: clock)
        let faults = cache.verify(removesFaults: false).faults.filter { $0.kind != .forgotten }
        #expect(faults.isEmpty, "seed \(seed)")
        cache.removeExpired()
        #expect(cache.verify().faults.isEmpty, "seed \(seed)")
        #expect(!folder.names("entries").contains { $0.hasPrefix(".tmp-") })
        let sizes = try folder.names("entries").filter { !$0.hasPrefix(".") }.map { name in
            try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.size] as? Int ?? 0
        }
        #expect(cache.totalSize == sizes.reduce(0, +) && cache.totalCount == sizes.count)
        // After a sweep the filter knows all that is there.
        for key in cache.entries().compactMap(\.key) { #expect(cache.contains(CacheKey(key)), "\(key) seed \(seed)") }
    }
}

/// A process of `CacheWorker`.
private final class ChaosWorker {
    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()
    private var stepCount = 0

    init(_ folder: String, _ seed: UInt64) throws {
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "CacheWorker")
        process.arguments = [folder, String(seed)]
        process.standardOutput = output
        process.standardError = errors
        try process.run()
    }

    /// Whether it did so many things more; `false` when it ended by itself.
    func waitForSteps(_ count: Int) -> Bool {
        var missing = count
        while missing > 0 {
            guard let bytes = try? output.fileHandleForReading.read(upToCount: missing), !bytes.isEmpty else {
                return false
            }
            missing -= bytes.count
            stepCount += bytes.count
        }
        return true
    }

    /// What it had to say when it ended by itself.
    func complaint() -> String {
        let text = (try? errors.fileHandleForReading.readToEnd()).flatMap { $0 }
        return String(decoding: text ?? Data(), as: UTF8.self)
    }

    /// Ends it, and tells how many things it did.
    func kill() -> Int {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        let rest = (try? output.fileHandleForReading.readToEnd()).flatMap { $0 }
        return stepCount + (rest?.count ?? 0)
    }
}
