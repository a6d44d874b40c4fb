import Foundation
import Synchronization
import WebImageCore
import WebImagePixels

/// What `Scripts/bench cache` measures of the memory cache: hits against a bare `Dictionary` behind a `Mutex`, one
/// thread and two, and against Foundation's `NSCache`, and a mixed load against `NSCache`. All take turns, `MemoryBench
/// ROUNDS` of them, and the least time of each counts: others may use the machine.
@main enum MemoryBench {
    static let keyCount = 20_000
    static let keys = (0..<keyCount).map { CacheKey("https://bench.example/pictures/\($0 % 97)/\($0).jpg") }
    static let images = keys.map { _ in DecodedImage(pixels: PixelBuffer(size: PixelSize(1, 1))!) }
    /// Looked up in no order that a processor could guess.
    static let order = (0..<keyCount).map { ($0 * 7_919) % keyCount }

    static func main() {
        let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 15
        hits(rounds)
        mixed(max(1, rounds / 5))
    }

    private static func hits(_ rounds: Int) {
        let (ours, bare, foundation) = (OurCache(), BareCache(), FoundationCache())
        for index in order {
            for cache in [ours, bare, foundation] as [any BenchCache] { cache.store(index, cost: 4) }
        }
        var times = (one: Double.infinity, two: Double.infinity, bare: Double.infinity, foundation: Double.infinity)
        for _ in 0..<rounds {
            times.one = min(times.one, time(1, ours))
            times.bare = min(times.bare, time(1, bare))
            times.two = min(times.two, time(2, ours))
            times.foundation = min(times.foundation, time(1, foundation))
        }
        let unit = 1e9 / Double(keyCount)
        report("memory hit / bare dictionary", times.one * unit, times.bare * unit, atMost: 1.5)
        // Two threads look up twice as much: as fast as one would be half the time for each hit.
        report("two threads / one, hits in all", 2 / times.two, 1 / times.one, atLeast: 1.5)
        report("NSCache / memory hit", times.foundation * unit, times.one * unit, atLeast: 6)
    }

    private static func mixed(_ rounds: Int) {
        var (ours, foundation) = (Double.infinity, Double.infinity)
        for _ in 0..<rounds {
            ours = min(ours, timeMixed(OurCache(costLimit: 40_000)))
            foundation = min(foundation, timeMixed(FoundationCache(costLimit: 40_000)))
        }
        let unit = 1e9 / Double(keyCount * 2)
        report("NSCache / memory, set and get, varied costs", foundation * unit, ours * unit, atLeast: 20)
    }

    private static func time(_ threadCount: Int, _ cache: some BenchCache) -> Double {
        let start = ContinuousClock.now
        DispatchQueue.concurrentPerform(iterations: threadCount) { thread in
            // Each begins elsewhere, so that they do not follow one another.
            let shift = keyCount / threadCount * thread
            for place in 0..<keyCount {
                let place = place + shift
                if !cache.has(order[place >= keyCount ? place - keyCount : place]) { fatalError("a picture is missing") }
            }
        }
        return start.duration(to: .now) / .seconds(1)
    }

    private static func timeMixed(_ cache: some BenchCache) -> Double {
        let start = ContinuousClock.now
        var found = 0
        for index in order {
            cache.store(index, cost: 1 + index % 16)
            if cache.has((index * 31) % keyCount) { found += 1 }
        }
        precondition(found > 0)
        return start.duration(to: .now) / .seconds(1)
    }

    private static func report(
        _ name: String, _ first: Double, _ second: Double, atMost: Double? = nil, atLeast: Double? = nil
    ) {
        let ratio = first / second
        let isWithin = atMost.map { ratio <= $0 } ?? atLeast.map { ratio >= $0 } ?? true
        let goal = atMost.map { "at most \($0)" } ?? atLeast.map { "at least \($0)" } ?? ""
        let numbers = first > 10 ? String(format: "%.0f ns / %.0f ns, ", first, second) : ""
        print("\(name): \(numbers)ratio \(String(format: "%.2f", ratio)) (\(isWithin ? "" : "NOT ")within the goal: \(goal))")
    }
}

protocol BenchCache: AnyObject, Sendable {
    func store(_ index: Int, cost: Int)
    func has(_ index: Int) -> Bool
}

final class OurCache: BenchCache {
    private let cache: MemoryCache

    init(costLimit: Int = 0) {
        var configuration = ImageCacheConfiguration()
        configuration.maxMemoryCost = costLimit
        cache = MemoryCache(configuration: configuration)
    }

    func store(_ index: Int, cost: Int) {
        cache.store(MemoryBench.images[index], for: MemoryBench.keys[index], cost: cost)
    }

    func has(_ index: Int) -> Bool { cache.image(for: MemoryBench.keys[index]) != nil }
}

final class BareCache: BenchCache {
    private let pictures = Mutex<[CacheKey: DecodedImage]>([:])

    func store(_ index: Int, cost: Int) {
        pictures.withLock { $0[MemoryBench.keys[index]] = MemoryBench.images[index] }
    }

    func has(_ index: Int) -> Bool { pictures.withLock { $0[MemoryBench.keys[index]] } != nil }
}

/// Unchecked: `NSCache` has a lock of its own.
final class FoundationCache: BenchCache, @unchecked Sendable {
    private let cache = NSCache<NSString, DecodedImage>()
    private let keys = MemoryBench.keys.map { NSString(string: $0.text) }

    init(costLimit: Int = 0) {
        cache.totalCostLimit = costLimit
    }

    func store(_ index: Int, cost: Int) {
        cache.setObject(MemoryBench.images[index], forKey: keys[index], cost: cost)
    }

    func has(_ index: Int) -> Bool { cache.object(forKey: keys[index]) != nil }
}
