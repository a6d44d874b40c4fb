import Foundation
import WebImage

/// What `Scripts/bench manager` measures: what the path itself costs, with stages that cost nothing.
///
/// Each row is taken several times in turn with what it is compared with, and the least of each counts. Exits with 1
/// when a load makes more allocations than `mostAllocations`; times are information.
@main struct ManagerBench {
    /// Of one load through stages that make none, counted by `Benchmarks/C/allocations.c`.
    static let mostAllocations = 48.0
    private static let rounds = 9
    private static let count = 10_000
    /// As many as a page of pictures has.
    private static let flight = 32

    private let image = DecodedImage(pixels: PixelBuffer(size: PixelSize(8, 8))!, attributes: .init(format: .png))
    private let file = Data(repeating: 7, count: 1000)
    private let cache = ImageCache(directory: FileManager.default.temporaryDirectory.appending(path: "manager-bench"))
    private let coder: InstantCoder
    private let requests = (0..<count).map { index in
        var request = ImageRequest(URL(string: "https://bench.example/pictures/\(index).jpg?width=640")!)
        request.context.callbackQueue = .immediate
        return request
    }

    static func main() async {
        let bench = ManagerBench()
        await bench.run()
    }

    private init() { coder = InstantCoder(image) }

    private func run() async {
        let hits = requests.prefix(1000)
        let keys = hits.map { CacheKey($0.url!.absoluteString) }
        for key in keys { cache.storeInMemory(image, for: key) }
        let cached = ImageManager(cache: cache, loader: InstantLoader(nil), coder: coder)
        let empty = ImageManager(cache: EmptyCache(), loader: InstantLoader(file), coder: coder)
        var bare: [Double] = []
        var hit: [Double] = []
        var start: [Double] = []
        var task: [Double] = []
        var load: [Double] = []
        var taskAmongMany: [Double] = []
        var loadAmongMany: [Double] = []
        var hop: [Double] = []
        var hopAmongMany: [Double] = []
        var objects: [Double] = []
        for _ in 0..<Self.rounds {
            bare.append(bareHits(keys))
            hit.append(managerHits(hits, cached))
            start.append(starts())
            task.append(await roundTrips())
            load.append(await loads(empty))
            taskAmongMany.append(await roundTrips(atOnce: Self.flight))
            loadAmongMany.append(await loads(empty, atOnce: Self.flight))
            hop.append(await hops())
            hopAmongMany.append(await hops(atOnce: Self.flight))
            objects.append(bareObjects())
        }
        let bareHit = bare.min()!
        row("memory hit", hit.min()!, "bare MemoryCache hit", bareHit, goal: 12)
        row("start of a load that goes on", start.min()!, "bare MemoryCache hit", bareHit, goal: 80)
        row("10,000 loads one by one, each", load.min()!, "Task round trip", task.min()!, goal: 6)
        row(
            "10,000 loads, \(Self.flight) at once, each", loadAmongMany.min()!, "Task round trip likewise",
            taskAmongMany.min()!, goal: 6)
        print(
            "of that a Task, which goes to a thread that may decode and back, costs \(text(hop.min()!)) us one by one "
                + "(ratio \(text(hop.min()! / task.min()!))), \(text(hopAmongMany.min()!)) us "
                + "\(Self.flight) at once (ratio \(text(hopAmongMany.min()! / taskAmongMany.min()!)))")
        print(
            "and \(Int(Self.mostAllocations)) objects, made and let go by themselves, \(text(objects.min()!)) us "
                + "(ratio \(text(objects.min()! / task.min()!)))")
        await checkAllocations(empty)
    }

    private func bareHits(_ keys: [CacheKey]) -> Double {
        measure(CLOCK_THREAD_CPUTIME_ID, 20 * keys.count) {
            for _ in 0..<20 { for key in keys { precondition(cache.imageFromMemory(for: key) != nil) } }
        }
    }

    private func managerHits(_ hits: ArraySlice<ImageRequest>, _ manager: ImageManager) -> Double {
        measure(CLOCK_THREAD_CPUTIME_ID, 10 * hits.count) {
            for _ in 0..<10 {
                for request in hits {
                    manager.load(request) { result in
                        guard case .success = result else { fatalError("not in memory") }
                    }
                }
            }
        }
    }

    /// Of the calling thread alone.
    private func starts() -> Double {
        let manager = ImageManager(cache: EmptyCache(), loader: InstantLoader(nil), coder: coder)
        defer { manager.cancelAll() }
        return measure(CLOCK_THREAD_CPUTIME_ID, 1000) {
            for request in requests.prefix(1000) { manager.load(request) { _ in } }
        }
    }

    private func roundTrips(atOnce flight: Int = 1) async -> Double {
        await measure(Self.count) {
            await Self.inFlight(flight) { _ in await Task { await Task.yield() }.value }
        }
    }

    /// What no load can do without: a task of its own, since it goes on for others when its caller leaves, and a decode
    /// that is not on Swift's cooperative pool: see Decision 0020.
    private func hops(atOnce flight: Int = 1) async -> Double {
        let lanes = (0..<flight).map { DispatchQueue(label: "bench.decode.\($0)", qos: .userInitiated) }
        return await measure(Self.count) {
            await Self.inFlight(flight) { index in
                await Task {
                    await withCheckedContinuation { continuation in
                        lanes[index % flight].async { continuation.resume() }
                    }
                }.value
            }
        }
    }

    /// As many small objects as a load may make, and nothing done with them.
    private func bareObjects() -> Double {
        var objects: [Object?] = Array(repeating: nil, count: Int(Self.mostAllocations))
        return measure(CLOCK_THREAD_CPUTIME_ID, Self.count) {
            for number in 0..<Self.count {
                for place in objects.indices { objects[place] = Object(number) }
                for place in objects.indices { objects[place] = nil }
            }
        }
    }

    private func loads(_ manager: ImageManager, atOnce flight: Int = 1) async -> Double {
        await measure(Self.count) {
            await Self.inFlight(flight) { [requests] in
                guard (try? await manager.image(for: requests[$0])) != nil else { fatalError("not loaded") }
            }
        }
    }

    /// Does something `count` times, so many at once.
    private static func inFlight(_ flight: Int, _ work: @escaping @Sendable (Int) async -> Void) async {
        await withTaskGroup { group in
            for lane in 0..<flight {
                group.addTask {
                    for index in stride(from: lane, to: count, by: flight) { await work(index) }
                }
            }
        }
    }

    private func checkAllocations(_ manager: ImageManager) async {
        guard let counter = Allocations() else { return print("allocations: not counted without allocations.so") }
        let count = 2000
        let before = counter.count
        for request in requests.prefix(count) { _ = try? await manager.image(for: request) }
        let each = Double(counter.count - before) / Double(count)
        let isWithin = each <= Self.mostAllocations
        print(
            "allocations of one load: \(text(each)) "
                + "(\(isWithin ? "within" : "NOT within") \(text(Self.mostAllocations)))")
        if !isWithin { exit(1) }
    }

    private func row(_ name: String, _ ours: Double, _ peer: String, _ theirs: Double, goal: Double) {
        let ratio = ours / theirs
        print(
            "\(name): \(text(ours)) us, \(peer) \(text(theirs)) us, ratio \(text(ratio)) "
                + "(\(ratio <= goal ? "within" : "NOT within") \(text(goal)))")
    }

    private func text(_ value: Double) -> String { String(format: "%.3g", value) }
}

/// About as large as what a load is made of.
private final class Object {
    private let number: Int
    private let rest = (0, 0, 0, 0, 0, 0, 0, 0)

    init(_ number: Int) { self.number = number }
}

/// Microseconds for each of `count` pieces of work on the calling thread.
private func measure(_ clock: clockid_t, _ count: Int, _ work: () -> Void) -> Double {
    let start = microseconds(clock)
    work()
    return (microseconds(clock) - start) / Double(count)
}

/// Microseconds of the whole process for each of `count` pieces of work.
private func measure(_ count: Int, _ work: () async -> Void) async -> Double {
    let start = microseconds(CLOCK_PROCESS_CPUTIME_ID)
    await work()
    return (microseconds(CLOCK_PROCESS_CPUTIME_ID) - start) / Double(count)
}

private func microseconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

/// The counter that `allocations.so` puts before the system's allocator, where that was preloaded.
private struct Allocations {
    private let read: @convention(c) () -> UInt64

    init?() {
        guard let symbol = dlsym(nil, "webimage_bench_allocation_count") else { return nil }
        read = unsafeBitCast(symbol, to: (@convention(c) () -> UInt64).self)
    }

    var count: UInt64 { read() }
}
