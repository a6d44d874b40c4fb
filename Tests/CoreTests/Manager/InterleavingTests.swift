import Foundation
import Testing
import WebImagePixels
import WebImageTesting

@testable import WebImageCore

/// Random steps over fake stages: begin, join, cancel, hurry, answer, fail, forget. The steps are the same for the same
/// seed; which thread comes first is the machine's affair.
///
/// `WEBIMAGE_PROPERTY_STEPS` sets how many steps, 100,000 of which take about a minute in debug, and
/// `WEBIMAGE_PROPERTY_SEED` the first seed.
@Suite("Random interleavings keep the contracts", .timeLimit(.minutes(30)))
struct InterleavingTests {
    private static let stepCount =
        ProcessInfo.processInfo.environment["WEBIMAGE_PROPERTY_STEPS"].flatMap { Int($0) } ?? 6000
    private static let seed =
        ProcessInfo.processInfo.environment["WEBIMAGE_PROPERTY_SEED"].flatMap { UInt64($0) } ?? 1

    private let cache = FakeCache()
    private let coder = InterleavedCoder()
    private let transport = InterleavedTransport()
    private let manager: ImageManager

    init() {
        cache.scriptAllMissing()
        var configuration = DownloaderConfiguration.patient
        configuration.maxConcurrentDownloads = 64
        configuration.maxConcurrentDownloadsPerHost = 64
        let downloader = ImageDownloader(transport: transport, configuration: configuration)
        manager = ImageManager(cache: cache, loader: downloader, coder: coder)
    }

    @Test(
        "One end for each load, memory hits at once, one download at a time of what is equal",
        arguments: [seed, seed &+ 1])
    func contracts(_ seed: UInt64) async {
        var random = SeededGenerator(seed: seed)
        var live: [InterleavedLoad] = []
        for step in 0..<Self.stepCount / 2 {
            await take(step, &random, &live)
            let ended = live.filter(\.hasEnded)
            #expect(ended.allSatisfy { $0.keepsContract })
            live.removeAll { $0.hasEnded }
        }
        let last = live
        while !last.allSatisfy(\.hasEnded), !Task.isCancelled {
            for exchange in transport.live { exchange.end(nil) }
            await Task.yield()
        }
        #expect(last.allSatisfy { $0.keepsContract })
        while !transport.overtaken.allSatisfy(\.isCancelled), !Task.isCancelled { await Task.yield() }
        #expect(transport.overtaken.allSatisfy { $0.isCancelled })
        while manager.isRunning || manager.sources.count > 0, !Task.isCancelled { await Task.yield() }
    }

    private func take(_ step: Int, _ random: inout SeededGenerator, _ live: inout [InterleavedLoad]) async {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<8: live.append(begin(request(&random)))
        case 8..<11: live.randomElement(using: &random)?.cancel()
        case 11..<14: transport.live.randomElement(using: &random)?.end(nil)
        case 14: transport.live.randomElement(using: &random)?.end(ImageError(.connectionLost, .load, "lost"))
        case 15: live.randomElement(using: &random)?.operation?.priority = .high
        case 16: await cache.clear(.memory)
        case 17: await cache.clear(.all)
        case 18: step.isMultiple(of: 50) ? manager.cancelAll() : manager.removeAllFailedURLs()
        default: for _ in 0..<Int.random(in: 1..<8, using: &random) { await Task.yield() }
        }
    }

    private func request(_ random: inout SeededGenerator) -> ImageRequest {
        let names = ["a", "b", "c", "d", "broken"]
        let flags: [LoadOptions] = [[], [], [], .fromLoaderOnly, .fromCacheOnly, .waitStoreCache, .highPriority]
        let name = names.randomElement(using: &random)!
        var request = ImageRequest(
            URL(string: "https://h/\(name)"), options: flags.randomElement(using: &random)!)
        request.context.callbackQueue = .immediate
        if Bool.random(using: &random) { request.context.thumbnailPixelSize = ImageSize(2, 2) }
        if Bool.random(using: &random) { request.context.transformer = CountingTransformer() }
        if Int.random(in: 0..<4, using: &random) == 0 { request.context.headers = ["X-Kind": "other"] }
        return request
    }

    /// Begins a load, and sees to it that what is in memory is there at once.
    private func begin(_ request: ImageRequest) -> InterleavedLoad {
        let key = manager.cacheKey(for: request)
        let image = key.flatMap { cache.imageFromMemory(for: $0) }
        let load = InterleavedLoad()
        load.start(request, manager)
        // Another load may have it forgotten meanwhile.
        let isInMemory = image != nil && key.flatMap { cache.imageFromMemory(for: $0) } === image
        if isInMemory, !request.options.contains(.fromLoaderOnly) { #expect(load.hasEnded) }
        return load
    }

    @Test("Loads of one file, together and late: one download, and one decode for those that wait together")
    func sharing() async {
        var random = SeededGenerator(seed: Self.seed &+ 2)
        for burst in 0..<max(20, Self.stepCount / 100) {
            let url = URL(string: "https://h/burst\(burst)")!
            var loads: [InterleavedLoad] = []
            let count = Int.random(in: 2...6, using: &random)
            for _ in 0..<count {
                loads.append(begin(transformed(url, &random)))
                if Bool.random(using: &random) { await Task.yield() }
            }
            while manager.sources.waiterCounts != [count] || transport.live.isEmpty, !Task.isCancelled {
                await Task.yield()
            }
            transport.live.first?.end(nil)
            let hasLate = Bool.random(using: &random)
            if hasLate { await beginLate(url, &random, &loads) }
            // A second download would never be answered.
            while !loads.allSatisfy(\.hasEnded), transport.startCount(of: url) == 1, !Task.isCancelled {
                await Task.yield()
            }
            #expect(transport.startCount(of: url) == 1)
            #expect(loads.allSatisfy { $0.keepsContract })
            #expect(hasLate || coder.decodeCount(of: Data(url.absoluteString.utf8)) == 1)
        }
    }

    private func transformed(_ url: URL, _ random: inout SeededGenerator) -> ImageRequest {
        var request = ImageRequest(url)
        request.context.callbackQueue = .immediate
        let last = CountingTransformer("Last(\(Int.random(in: 0..<3, using: &random)))")
        request.context.transformer = PipelineTransformer([CountingTransformer(), last])
        return request
    }

    /// Begins loads while the file is decoded, transformed and written, some of them of another size.
    private func beginLate(_ url: URL, _ random: inout SeededGenerator, _ loads: inout [InterleavedLoad]) async {
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            var request = transformed(url, &random)
            if Bool.random(using: &random) { request.context.thumbnailPixelSize = ImageSize(2, 2) }
            loads.append(begin(request))
            for _ in 0..<Int.random(in: 0..<4, using: &random) { await Task.yield() }
        }
    }
}
