import Foundation
import Synchronization
import WebImageCore
import WebImagePixels

/// What `Scripts/bench cache` measures of the memory cache. All take turns, `MemoryBench ROUNDS` of them, and the least
/// time of each counts: others may use the machine. In a turn of hits all pictures are looked up twice, and the second
/// time counts, for by then all that belongs to the one cache is as near as it gets.
///
/// - Hits of keys that are kept, against a bare `Dictionary` behind a `Mutex`, by one thread and by two.
/// - Hits of keys that are kept, as a row of a list keeps its own, against Foundation's `NSCache` with kept `NSString`s.
/// - Hits by URL: whoever shows pictures has just read URLs out of a feed, fifty at a time, and makes
///   `CacheKey(url.absoluteString)` of each, or `url.absoluteString as NSString`. What a cache that is asked so can reach
///   at most is told by a bare dictionary of the URLs' texts, which has no lock, no limit and no note of what is used.
/// - The mixed load stores each of 20,000 pictures once and looks as often for one stored before or not. Costs are the
///   bytes of pictures of 100 × 100 to 2,000 × 1,900. Without a limit, as `NSCache` comes, both hold all of them; a
///   limit of half their cost makes both evict. `NSCache` keeps a list sorted by cost, walks along it to store, and
///   evicts the cheapest.
@main enum MemoryBench {
    static let keyCount = 20_000
    static let keys = (0..<keyCount).map { CacheKey("https://bench.example/pictures/\($0 % 97)/\($0).jpg") }
    static let images = keys.map { _ in DecodedImage(pixels: PixelBuffer(size: PixelSize(1, 1))!) }
    static let urls = keys.map { URL(string: $0.text)! }
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
        var times = (one: Double.infinity, two: Double.infinity, bare: Double.infinity)
        var kept = Double.infinity
        var urls = (ours: Double.infinity, foundation: Double.infinity)
        let floor = FloorCache()
        var least = Double.infinity
        for _ in 0..<rounds {
            times.one = min(times.one, warm { time(1, ours) })
            times.bare = min(times.bare, warm { time(1, bare) })
            times.two = min(times.two, warm { time(2, ours) })
            kept = min(kept, warm { time(1, foundation) })
            urls.ours = min(urls.ours, warm { timeURLs(ours) })
            urls.foundation = min(urls.foundation, warm { timeURLs(foundation) })
            least = min(least, warm { timeURLs(floor) })
        }
        let unit = 1e9 / Double(keyCount)
        report("memory hit / bare dictionary", times.one * unit, times.bare * unit, atMost: 1.5)
        // Two threads look up twice as much: as fast as one would be half the time for each hit.
        report("two threads / one, hits in all", 2 / times.two, 1 / times.one, atLeast: 1.5)
        report("NSCache / memory hit, by kept keys", kept * unit, times.one * unit, atLeast: 6)
        report("NSCache / memory hit, by URL", urls.foundation * unit, urls.ours * unit)
        report("memory hit / bare dictionary of texts, no lock, by URL", urls.ours * unit, least * unit, atMost: 1.5)
    }

    private static func mixed(_ rounds: Int) {
        let sum = (0..<keyCount).reduce(0) { $0 + cost($1) }
        for (name, limit, goal) in [("all held", 0, 20.0), ("half held", sum / 2, nil)] {
            var (ours, foundation) = (Double.infinity, Double.infinity)
            for _ in 0..<rounds {
                ours = min(ours, timeMixed(OurCache(costLimit: limit)))
                foundation = min(foundation, timeMixed(FoundationCache(costLimit: limit)))
            }
            let unit = 1e9 / Double(keyCount * 2)
            report(
                "NSCache / memory, set and get, varied costs, \(name)", foundation * unit, ours * unit, atLeast: goal)
        }
    }

    /// The bytes of a picture.
    private static func cost(_ index: Int) -> Int {
        4 * (100 + index * 7_919 % 1_901) * (100 + index * 104_729 % 1_801)
    }

    /// The time of the second of two passes: before the first the others' turns have filled the processor's caches.
    private static func warm(_ pass: () -> Double) -> Double {
        _ = pass()
        return pass()
    }

    private static func time(_ threadCount: Int, _ cache: some BenchCache) -> Double {
        let start = ContinuousClock.now
        DispatchQueue.concurrentPerform(iterations: threadCount) { thread in
            // Each begins elsewhere, so that they do not follow one another.
            let shift = keyCount / threadCount * thread
            for place in 0..<keyCount {
                let place = place + shift
                let index = order[place >= keyCount ? place - keyCount : place]
                if !cache.has(index) { fatalError("a picture is missing") }
            }
        }
        return start.duration(to: .now) / .seconds(1)
    }

    private static func timeURLs(_ cache: some BenchCache) -> Double {
        var time = Duration.zero
        for page in stride(from: 0, to: keyCount, by: 50) {
            let urls = order[page..<page + 50].map { URL(string: keys[$0].text)! }
            let start = ContinuousClock.now
            for url in urls where !cache.has(url) { fatalError("a picture is missing") }
            time += start.duration(to: .now)
            // What they take to go is nobody's look-up.
            withExtendedLifetime(urls) {}
        }
        return time / .seconds(1)
    }

    private static func timeMixed(_ cache: some BenchCache) -> Double {
        let start = ContinuousClock.now
        var found = 0
        for index in order {
            cache.store(index, cost: cost(index))
            if cache.has(urls[(index * 31) % keyCount]) { found += 1 }
        }
        precondition(found > 0)
        return start.duration(to: .now) / .seconds(1)
    }

    private static func report(
        _ name: String, _ first: Double, _ second: Double, atMost: Double? = nil, atLeast: Double? = nil
    ) {
        let ratio = first / second
        let isWithin = atMost.map { ratio <= $0 } ?? atLeast.map { ratio >= $0 } ?? true
        let goal = atMost.map { "at most \($0)" } ?? atLeast.map { "at least \($0)" }
        let verdict = goal.map { " (\(isWithin ? "" : "NOT ")within the goal: \($0))" } ?? ""
        let numbers = first > 10 ? String(format: "%.0f ns / %.0f ns, ", first, second) : ""
        print("\(name): \(numbers)ratio \(String(format: "%.2f", ratio))\(verdict)")
    }
}

protocol BenchCache: AnyObject, Sendable {
    /// Puts the picture of a number under its URL.
    func store(_ index: Int, cost: Int)
    /// Looks for it with a key that is kept.
    func has(_ index: Int) -> Bool
    /// Looks for it with a key made for this.
    func has(_ url: URL) -> Bool
}

final class OurCache: BenchCache {
    private let cache: MemoryCache

    init(costLimit: Int = 0) {
        var configuration = ImageCacheConfiguration()
        configuration.maxMemoryCost = costLimit
        cache = MemoryCache(configuration: configuration)
    }

    func store(_ index: Int, cost: Int) {
        let key = CacheKey(MemoryBench.urls[index].absoluteString)
        cache.store(MemoryBench.images[index], for: key, cost: cost)
    }

    func has(_ index: Int) -> Bool { cache.image(for: MemoryBench.keys[index]) != nil }

    func has(_ url: URL) -> Bool { cache.image(for: CacheKey(url.absoluteString)) != nil }
}

final class BareCache: BenchCache {
    private let pictures = Mutex<[CacheKey: DecodedImage]>([:])

    func store(_ index: Int, cost: Int) {
        pictures.withLock { $0[MemoryBench.keys[index]] = MemoryBench.images[index] }
    }

    func has(_ index: Int) -> Bool { pictures.withLock { $0[MemoryBench.keys[index]] } != nil }

    func has(_ url: URL) -> Bool { pictures.withLock { $0[CacheKey(url.absoluteString)] } != nil }
}

/// A closure, for of a function whose answer is only asked whether it is there the compiler would count no reference.
final class FloorCache: BenchCache {
    private let byText: @Sendable (URL) -> DecodedImage?

    init() {
        let pairs = MemoryBench.order.map { (MemoryBench.keys[$0].text, MemoryBench.images[$0]) }
        let texts = Dictionary(uniqueKeysWithValues: pairs)
        byText = { texts[$0.absoluteString] }
    }

    func store(_ index: Int, cost: Int) { fatalError("it holds all from the beginning") }

    func has(_ index: Int) -> Bool { has(MemoryBench.urls[index]) }

    func has(_ url: URL) -> Bool { byText(url) != nil }
}

/// Unchecked: `NSCache` has a lock of its own.
final class FoundationCache: BenchCache, @unchecked Sendable {
    private let cache = NSCache<NSString, DecodedImage>()
    private let keys = MemoryBench.urls.map { $0.absoluteString as NSString }

    init(costLimit: Int = 0) {
        cache.totalCostLimit = costLimit
    }

    func store(_ index: Int, cost: Int) {
        cache.setObject(
            MemoryBench.images[index], forKey: MemoryBench.urls[index].absoluteString as NSString, cost: cost)
    }

    func has(_ index: Int) -> Bool { cache.object(forKey: keys[index]) != nil }

    func has(_ url: URL) -> Bool { cache.object(forKey: url.absoluteString as NSString) != nil }
}
