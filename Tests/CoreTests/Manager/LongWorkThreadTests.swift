import Foundation
import Synchronization
import Testing
import WebImagePixels
import WebImageTesting

@testable import WebImageCore

@Suite("Long work and the threads of Swift's cooperative pool", .timeLimit(.minutes(20)))
struct LongWorkThreadTests {
    private static let coreCount = ProcessInfo.processInfo.activeProcessorCount

    @Test(
        "Tasks of every priority go on while all of a queue's threads are busy",
        arguments: [TaskPriority.high, .medium])
    func poolGoesOn(_ priority: TaskPriority) async throws {
        let queue = StageQueue(.decode, limit: Self.coreCount)
        let arrivals = Gate()
        arrivals.open()
        let flag = Flag()
        let busy = (0..<Self.coreCount).map { _ in
            Task {
                // A processor that is busy, not one that waits: for a thread that waits the system has another one.
                try await queue.run(for: CurrentOperation(), stage: .decode) {
                    arrivals.waitBlocking()
                    let start = Moment.now
                    while !flag.isSet.load(ordering: .relaxed), start.elapsed < 60_000_000_000 {}
                    return .success(flag.isSet.load(ordering: .relaxed))
                }
            }
        }
        await arrivals.waitForArrivals(Self.coreCount)
        await Task(priority: priority) { flag.isSet.store(true, ordering: .relaxed) }.value
        for task in busy { #expect(try await task.value) }
    }

    @Test("No decode is on a thread of a task, however short the file", arguments: [100, 100_000])
    func notInTasks(_ byteCount: Int) async throws {
        let coder = StuckCoder()
        var configuration = ImageManager.Configuration()
        configuration.maxConcurrentDecodes = 2 * Self.coreCount
        let (cache, loader) = (FakeCache(), FakeLoader())
        cache.scriptAllMissing()
        let manager = ImageManager(cache: cache, loader: loader, coder: coder, configuration: configuration)
        let loads = (0..<configuration.maxConcurrentDecodes).map { number in
            let url = URL(string: "https://h/\(number).png")!
            loader.script(url, .data(Data(repeating: 7, count: byteCount)))
            return Task { try await manager.image(from: url) }
        }
        await coder.gate.waitForArrivals(loads.count)
        #expect(coder.taskCount == 0)
        coder.gate.open()
        for load in loads { #expect(try await load.value.source == .network) }
    }
}

private final class Flag: Sendable {
    let isSet = Atomic(false)
}

/// A coder that is never done, until the gate is open, and counts how many threads of tasks it is called on.
private final class StuckCoder: ImageCoder {
    let gate = Gate()
    private let tasks = Atomic(0)

    var taskCount: Int { tasks.load(ordering: .relaxed) }

    func canDecode(_ data: Data) -> Bool { true }
    func probe(_ data: Data) throws(ImageError) -> ImageProbe { ImageProbe(format: .png, size: PixelSize(1, 1)) }
    func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        if withUnsafeCurrentTask(body: { $0 != nil }) { tasks.wrappingAdd(1, ordering: .relaxed) }
        gate.waitBlocking()
        return DecodedImage(pixels: PixelBuffer(size: PixelSize(1, 1))!, attributes: .init(format: .png))
    }
}
