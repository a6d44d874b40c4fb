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
    func chaos() async throws {
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
            guard await workers[index].waitForSteps(count) else {
                Issue.record("\(await workers[index].complaint()) (seed \(seed))")
                return
            }
            stepCount += try await workers[index].kill()
            killCount += 1
            workers[index] = try ChaosWorker(path, generator.next())
        }
        for worker in workers {
            if await !worker.waitForSteps(1) { Issue.record("\(await worker.complaint()) (seed \(seed))") }
            stepCount += try await worker.kill()
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
    private let process: ChildProcess
    private let output = try! ChildPipe()
    private let errors = try! ChildPipe()
    /// How many things it was waited for so far.
    private var stepCount = 0

    init(_ folder: String, _ seed: UInt64) throws {
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "CacheWorker")
        process = try ChildProcess(
            program.path(percentEncoded: false), [folder, String(seed)],
            streams: .init(output: output.writing, errors: errors.writing))
        output.closeWriting()
        errors.closeWriting()
    }

    /// Returns once it did so many things more, with `true`, or ended by itself.
    func waitForSteps(_ count: Int) async -> Bool {
        stepCount += count
        return await output.wait { [stepCount] in $0.count >= stepCount }
    }

    /// What it had to say when it ended by itself.
    func complaint() async -> String {
        _ = await errors.wait { _ in false }
        return errors.text
    }

    /// Ends it, and tells how many things it did.
    func kill() async throws -> Int {
        process.send(SIGKILL)
        try await process.end()
        _ = await output.wait { _ in false }
        return output.count
    }
}
