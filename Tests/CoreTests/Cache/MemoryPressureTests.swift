import Foundation
import Glibc
import Synchronization
import Testing
import WebImagePixels
import WebImageTesting

@testable import WebImageCore

@Suite struct MemoryPressureTests {
    @Test("CA-46 when memory is short half goes, when it is very short all; what is in use is found again")
    func CA_46_whatGoes() throws {
        let (folder, pressure) = (try CacheTestFolder(), FakeMemoryPressure())
        var configuration = ImageCacheConfiguration()
        configuration.memoryPressureSource = pressure
        let cache = ImageCache(directory: folder.url, configuration: configuration, coder: CodersManager())
        let shown = cacheTestImage()
        cache.storeInMemory(shown, for: CacheKey("shown"))
        for index in 0..<9 { cache.storeInMemory(cacheTestImage(), for: CacheKey("\(index)")) }
        pressure.report(.low)
        #expect(cache.memory.count == 5 && cache.memoryCost == 5 * 64)
        pressure.report(.critical)
        #expect(cache.memory.count == 0 && cache.memoryCost == 0)
        #expect(cache.imageFromMemory(for: CacheKey("shown")) === shown)
        #expect((0..<9).allSatisfy { cache.imageFromMemory(for: CacheKey("\($0)")) == nil })
    }

    @Test("a cache listens while it lives, and not at all when it is told so")
    func listening() throws {
        let (folder, pressure) = (try CacheTestFolder(), FakeMemoryPressure())
        var configuration = ImageCacheConfiguration()
        #expect(configuration.memoryPressureSource is SystemMemoryPressure)
        configuration.memoryPressureSource = pressure
        do {
            let cache = ImageCache(directory: folder.url, configuration: configuration, coder: CodersManager())
            #expect(pressure.listenerCount == 1)
            cache.clearMemory()
        }
        #expect(pressure.listenerCount == 0)
        configuration.memoryPressureSource = nil
        let deaf = ImageCache(directory: folder.url, configuration: configuration, coder: CodersManager())
        deaf.storeInMemory(cacheTestImage(), for: CacheKey("a"))
        pressure.report(.critical)
        #expect(deaf.memory.count == 1)
    }

    @Test("a memory layer of one's own loses all only when it is critical")
    func ownLayer() throws {
        let layer = PlainMemory()
        layer.relieve(.low)
        #expect(layer.clears.value == 0)
        layer.relieve(.critical)
        #expect(layer.clears.value == 1)
    }

    @Test("the same news comes once in a while, worse news at once")
    func filter() {
        var filter = MemoryPressureFilter(interval: .seconds(1))
        let start = ContinuousClock.now
        let news: [(MemoryPressureLevel, Int)] = [
            (.low, 0), (.low, 999), (.critical, 999), (.low, 1_500), (.critical, 1_998), (.critical, 1_999),
        ]
        let passed = news.map { level, time in filter.passes(level, at: start + .milliseconds(time)) }
        #expect(passed == [true, false, true, false, false, true])
    }
}

/// What the system tells, read below a folder of the test's own.
@Suite struct SystemMemoryPressureTests {
    let folder: CacheTestFolder
    let began = Gate(isOpen: true)
    let ended = Gate(isOpen: true)
    let heard = Gate(isOpen: true)
    let levels = Levels()
    let places = Levels()

    init() throws {
        folder = try CacheTestFolder()
    }

    private func write(_ path: String, _ text: String) throws {
        let file = folder.url.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// In place, as the kernel does it, and so that those who watch the file see it.
    private func rewrite(_ path: String, _ text: String) throws {
        let file = try FileHandle(forWritingTo: folder.url.appending(path: path))
        try file.write(contentsOf: Data(text.utf8))
    }

    private func read(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.url.appending(path: path)), as: UTF8.self)
    }

    private func source() -> SystemMemoryPressure {
        var watching = MemoryPressureWatching()
        watching.root = folder.path
        watching.interval = .zero
        watching.onBegin = { [began, places] count in
            places.add(count)
            Task { await began.wait() }
        }
        watching.onEnd = { [ended] in Task { await ended.wait() } }
        return SystemMemoryPressure(watching)
    }

    private func listen(_ source: SystemMemoryPressure) -> MemoryPressureSubscription {
        source.subscribe { [levels, heard] level in
            levels.add(level.rawValue)
            Task { await heard.wait() }
        }
    }

    @Test("events of a group of version 2 and of those above it")
    func version2() async throws {
        try write("proc/self/cgroup", "0::/app/web\n")
        try write("sys/fs/cgroup/app/memory.events", "low 0\nhigh 1\nmax 2\noom 0\noom_kill 0\n")
        try write("sys/fs/cgroup/app/web/memory.events", "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\n")
        let subscription = listen(source())
        await began.waitForArrivals(1)
        try #require(places.all == [1])
        try rewrite("sys/fs/cgroup/app/web/memory.events", "low 0\nhigh 7\nmax 0\noom 0\noom_kill 0\n")
        await heard.waitForArrivals(1)
        try rewrite("sys/fs/cgroup/app/memory.events", "low 0\nhigh 1\nmax 3\noom 0\noom_kill 0\n")
        await heard.waitForArrivals(2)
        #expect(levels.all == [1, 2])
        subscription.cancel()
        await ended.waitForArrivals(1)
    }

    @Test("damaged counters say nothing, and what says nothing new neither")
    func damagedEvents() async throws {
        try write("proc/self/cgroup", "0::/\nnonsense\n::::\n")
        try write("sys/fs/cgroup/memory.events", "high 1\nmax 2\n")
        let subscription = listen(source())
        await began.waitForArrivals(1)
        try rewrite("sys/fs/cgroup/memory.events", "max many\nhigh\n")
        try rewrite("sys/fs/cgroup/memory.events", "low 99999\nhigh 0\n")
        try rewrite("sys/fs/cgroup/memory.events", "high 99\nmax 2\n")
        await heard.waitForArrivals(1)
        #expect(levels.all.allSatisfy { $0 == 1 })
        subscription.cancel()
        await ended.waitForArrivals(1)
    }

    @Test("levels of a group of version 1: descriptors that the kernel counts up")
    func version1() async throws {
        try write("proc/self/cgroup", "4:cpu,memory:/docker/abc\n0::/\n")
        try write("sys/fs/cgroup/memory/memory.pressure_level", "")
        try write("sys/fs/cgroup/memory/cgroup.event_control", "")
        let subscription = listen(source())
        await began.waitForArrivals(1)
        #expect(places.all == [2])
        let lines = try read("sys/fs/cgroup/memory/cgroup.event_control").split(separator: "\n").map {
            $0.split(separator: " ")
        }
        #expect(lines.map { $0.last } == ["medium", "critical"])
        for (index, line) in lines.enumerated() {
            var one: UInt64 = 1
            #expect(Glibc.write(try #require(Int32(line[0])), &one, 8) == 8)
            await heard.waitForArrivals(index + 1)
        }
        #expect(levels.all == [1, 2])
        subscription.cancel()
        await ended.waitForArrivals(1)
    }

    @Test("triggers are set on the machine's stalls and on the groups' own")
    func stalls() async throws {
        try write("proc/self/cgroup", "0::/app\n")
        for path in ["proc/pressure/memory", "sys/fs/cgroup/app/memory.pressure"] { try write(path, "") }
        let subscription = listen(source())
        await began.waitForArrivals(1)
        #expect(places.all == [4])
        for path in ["proc/pressure/memory", "sys/fs/cgroup/app/memory.pressure"] {
            // Both wrote at the beginning of the file, which the kernel would take as two triggers.
            #expect(try read(path) == "full 200000 2000000\0")
        }
        subscription.cancel()
        await ended.waitForArrivals(1)
        #expect(levels.all.isEmpty)
    }

    @Test("where the system tells nothing no thread stays")
    func nothingToWatch() async {
        let subscription = listen(source())
        await ended.waitForArrivals(1)
        #expect(places.all == [0])
        subscription.cancel()
    }

    @Test("one thread for all who listen, gone with the last, back with the next")
    func threadComesAndGoes() async throws {
        try write("proc/self/cgroup", "0::/\n")
        try write("sys/fs/cgroup/memory.events", "high 0\n")
        let source = source()
        let (first, second) = (listen(source), listen(source))
        await began.waitForArrivals(1)
        try #require(places.all == [1])
        first.cancel()
        first.cancel()
        #expect(ended.arrivalCount == 0)
        try rewrite("sys/fs/cgroup/memory.events", "high 1\n")
        await heard.waitForArrivals(1)
        second.cancel()
        await ended.waitForArrivals(1)
        let third = listen(source)
        await began.waitForArrivals(2)
        third.cancel()
        await ended.waitForArrivals(2)
        #expect(places.all == [1, 1])
    }

    @Test("the machine's own files can be listened to, and left")
    func thisMachine() async {
        var watching = MemoryPressureWatching()
        watching.onEnd = { [ended] in Task { await ended.wait() } }
        let source = SystemMemoryPressure(watching)
        source.subscribe { _ in }.cancel()
        await ended.waitForArrivals(1)
    }

    @Test func manyComeAndGoAtOnce() throws {
        try write("proc/self/cgroup", "0::/\n")
        try write("sys/fs/cgroup/memory.events", "high 0\n")
        let source = source()
        onThreads(4) { _ in
            for _ in 0..<50 { source.subscribe { _ in }.cancel() }
        }
    }
}

/// Numbers in the order in which they were told, on any thread.
final class Levels: Sendable {
    private let state = Mutex<[Int]>([])

    var all: [Int] { state.withLock { $0 } }

    func add(_ number: Int) { state.withLock { $0.append(number) } }
}

/// A memory layer that holds nothing and counts how often it is emptied.
private final class PlainMemory: MemoryCaching {
    let clears = Counter()
    let totalCost = 0
    let count = 0

    func image(for key: CacheKey) -> DecodedImage? { nil }
    func contains(_ key: CacheKey) -> Bool { false }
    func store(_ image: DecodedImage, for key: CacheKey, cost: Int?) {}
    func remove(_ key: CacheKey) {}
    func removeAll() { clears.count() }
    func apply(_ configuration: ImageCacheConfiguration) {}
}
