import Dispatch
import Foundation
import Synchronization
import Testing
import WebImageCore
import WebImageTesting

@Suite("Pictures loaded in advance")
struct PrefetcherTests {
    /// A prefetcher over fakes, whose closures come on the thread where things happen.
    private struct Bench {
        let harness = ManagerHarness()
        let prefetcher: ImagePrefetcher

        init(_ change: (inout ImagePrefetcher.Configuration) -> Void = { _ in }) {
            var configuration = ImagePrefetcher.Configuration()
            configuration.context.callbackQueue = .immediate
            change(&configuration)
            prefetcher = ImagePrefetcher(manager: harness.manager, configuration: configuration)
            harness.cache.scriptAllMissing()
        }

        func urls(_ count: Int, _ answer: FakeLoader.Answer) -> [URL] {
            (0..<count).map { number in
                let url = URL(string: "https://h/\(number).png")!
                harness.loader.script(url, answer)
                return url
            }
        }
    }

    /// What a list's closures and a delegate were told.
    private final class Log: ImagePrefetcherDelegate {
        private let lines = Mutex<[String]>([])
        let ended = Gate()

        var all: [String] { lines.withLock { $0 } }

        func add(_ line: String) { lines.withLock { $0.append(line) } }

        func complete(_ finished: Int, _ skipped: Int) {
            add("completed \(finished) \(skipped)")
            ended.open()
        }

        func imagePrefetcher(
            _ prefetcher: ImagePrefetcher, didPrefetch url: URL, finishedCount: Int, totalCount: Int
        ) {
            add("delegate \(finishedCount)/\(totalCount)")
        }

        func imagePrefetcher(
            _ prefetcher: ImagePrefetcher, didFinishWithTotalCount totalCount: Int, skippedCount: Int
        ) {
            add("delegate finished \(totalCount) \(skippedCount)")
        }
    }

    @Test("PF-02 three URLs: progress counts 1, 2, 3 of 3; completed 3, skipped 0")
    func PF_02_progress() async {
        let bench = Bench()
        let log = Log()
        bench.prefetcher.prefetch(bench.urls(3, .data(ManagerHarness.bytes))) {
            log.complete($0, $1)
        } progress: {
            log.add("\($0)/\($1)")
        }
        await log.ended.wait()
        #expect(log.all == ["1/3", "2/3", "3/3", "completed 3 0"])
        #expect(bench.harness.cache.memory.count == 3)
    }

    @Test("PF-03 an empty list is done at once, with nothing")
    func PF_03_empty() {
        let bench = Bench()
        let log = Log()
        let token = bench.prefetcher.prefetch([], completion: { log.complete($0, $1) })
        #expect(token == nil && log.all == ["completed 0 0"])
    }

    private actor Listener {
        private(set) var counts: [Int] = []

        func hear(_ finished: Int, _ skipped: Int) { counts = [finished, skipped] }
    }

    @Test("A list is told on its callback queue, an empty one too", arguments: [0, 2])
    func onActor(_ count: Int) async {
        let listener = Listener()
        let ended = Gate()
        let bench = Bench { $0.context.callbackQueue = .actor(listener) }
        bench.prefetcher.prefetch(bench.urls(count, .data(ManagerHarness.bytes))) { finished, skipped in
            listener.assumeIsolated { $0.hear(finished, skipped) }
            ended.open()
        }
        await ended.wait()
        #expect(await listener.counts == [count, 0])
    }

    @Test("Cancelled from inside the delegate or the last progress closure: no closure comes after that")
    func cancelFromInside() async {
        final class Canceller: ImagePrefetcherDelegate {
            let isOn = Mutex(true)

            func imagePrefetcher(
                _ prefetcher: ImagePrefetcher, didPrefetch url: URL, finishedCount: Int, totalCount: Int
            ) {
                if isOn.withLock({ $0 }) { prefetcher.cancelPrefetching() }
            }
        }
        let bench = Bench()
        let log = Log()
        let canceller = Canceller()
        bench.prefetcher.delegate = canceller
        let urls = bench.urls(2, .data(ManagerHarness.bytes))
        bench.prefetcher.prefetch(urls, completion: { log.complete($0, $1) }, progress: { log.add("\($0)/\($1)") })
        while bench.prefetcher.runningTokenCount > 0 || bench.harness.manager.isRunning, !Task.isCancelled {
            await Task.yield()
        }
        #expect(log.all.isEmpty)

        canceller.isOn.withLock { $0 = false }
        let token = Mutex<PrefetchToken?>(nil)
        let last = Gate()
        // Nothing begins before the token is known.
        bench.prefetcher.isPaused = true
        let list = bench.prefetcher.prefetch(urls, completion: { log.complete($0, $1) }) { finished, total in
            log.add("\(finished)/\(total)")
            guard finished == total else { return }
            token.withLock { $0 }?.cancel()
            last.open()
        }
        token.withLock { $0 = list }
        bench.prefetcher.isPaused = false
        await last.wait()
        while bench.harness.manager.isRunning, !Task.isCancelled { await Task.yield() }
        #expect(log.all == ["1/2", "2/2"])
    }

    @Test("A URL that stands in a list twice counts twice, and is loaded once")
    func duplicates() async {
        let bench = Bench()
        let log = Log()
        let urls = bench.urls(1, .data(ManagerHarness.bytes))
        bench.prefetcher.prefetch(urls + urls + urls) {
            log.complete($0, $1)
        } progress: {
            log.add("\($0)/\($1)")
        }
        await log.ended.wait()
        #expect(log.all == ["1/3", "2/3", "3/3", "completed 3 0"])
        #expect(bench.harness.loader.requestCount(for: urls[0]) == 1)
    }

    @Test("PF-04 two lists from two queues both complete with their own counts")
    func PF_04_twoLists() async {
        let bench = Bench()
        let logs = [Log(), Log()]
        let urls = bench.urls(20, .data(ManagerHarness.bytes))
        for (index, log) in logs.enumerated() {
            DispatchQueue.global().async {
                bench.prefetcher.prefetch(Array(urls.prefix(5 + index * 10))) { log.complete($0, $1) }
            }
        }
        for log in logs { await log.ended.wait() }
        #expect(logs.map(\.all) == [["completed 5 0"], ["completed 15 0"]])
        #expect(bench.prefetcher.runningTokenCount == 0)
    }

    @Test("PF-05 twenty URLs: the delegate is told first, and its counts are the block's")
    func PF_05_delegate() async {
        let bench = Bench()
        let log = Log()
        bench.prefetcher.delegate = log
        bench.prefetcher.prefetch(bench.urls(20, .data(ManagerHarness.bytes))) {
            log.complete($0, $1)
        } progress: {
            log.add("\($0)/\($1)")
        }
        await log.ended.wait()
        let expected =
            (1...20).flatMap { ["delegate \($0)/20", "\($0)/20"] } + ["delegate finished 20 0", "completed 20 0"]
        #expect(log.all == expected)
    }

    @Test("PF-06 a token is known while it runs and gone after cancel; its closures stay silent, its loads end")
    func PF_06_cancel() async {
        let bench = Bench()
        let log = Log()
        let urls = bench.urls(3, .held)
        let token = bench.prefetcher.prefetch(urls) { log.complete($0, $1) }
        await bench.harness.loader.waitForRequest(for: urls[0])
        #expect(bench.prefetcher.runningTokenCount == 1 && token?.urls == urls)
        token?.cancel()
        token?.cancel()
        #expect(bench.prefetcher.runningTokenCount == 0)
        while bench.harness.manager.isRunning, !Task.isCancelled { await Task.yield() }
        #expect(log.all.isEmpty && bench.harness.loader.cancelCount(of: urls[0]) == 1)
    }

    @Test("PF-07 all loads cancelled from outside: the list completes with all skipped")
    func PF_07_cancelledLoads() async {
        let bench = Bench()
        let log = Log()
        let urls = bench.urls(3, .held)
        bench.prefetcher.prefetch(urls) { log.complete($0, $1) }
        for url in urls { await bench.harness.loader.waitForRequest(for: url) }
        bench.harness.manager.cancelAll()
        await log.ended.wait()
        #expect(log.all == ["completed 3 3"])
    }

    @Test("At most three at once, behind what is asked for; more when told so")
    func concurrency() async {
        let bench = Bench()
        let urls = bench.urls(8, .held)
        bench.prefetcher.prefetch(urls)
        for url in urls.prefix(3) { await bench.harness.loader.waitForRequest(for: url) }
        #expect(Set(bench.harness.loader.requests.compactMap(\.url)) == Set(urls.prefix(3)))
        #expect(bench.harness.loader.priorities(of: urls[0]) == [.low])
        bench.prefetcher.configuration.maxConcurrentPrefetchCount = 5
        for url in urls.prefix(5) { await bench.harness.loader.waitForRequest(for: url) }
        #expect(bench.harness.loader.requests.count == 5)
        bench.prefetcher.cancelPrefetching()
    }

    @Test("Paused it begins nothing; afterwards it goes on")
    func pause() async {
        let bench = Bench()
        let log = Log()
        bench.prefetcher.isPaused = true
        bench.prefetcher.prefetch(bench.urls(2, .data(ManagerHarness.bytes))) { log.complete($0, $1) }
        #expect(!bench.harness.manager.isRunning && bench.harness.loader.requests.isEmpty)
        bench.prefetcher.isPaused = false
        await log.ended.wait()
        #expect(log.all == ["completed 2 0"])
    }

    @Test("A real load of the same URL shares the download and hurries it; a new priority reaches what runs")
    func priorities() async {
        let bench = Bench()
        let urls = bench.urls(2, .held)
        bench.prefetcher.prefetch(urls)
        for url in urls { await bench.harness.loader.waitForRequest(for: url) }
        let recorder = Recorder()
        var request = ImageRequest(urls[0], options: .highPriority)
        request.context.callbackQueue = .immediate
        bench.harness.manager.load(request, completion: { recorder.complete($0) })
        while bench.harness.loader.priorities(of: urls[0]).last != .high, !Task.isCancelled { await Task.yield() }
        #expect(bench.harness.loader.requestCount(for: urls[0]) == 1)
        bench.prefetcher.priority = .normal
        while bench.harness.loader.priorities(of: urls[1]).last != .normal, !Task.isCancelled { await Task.yield() }
        bench.prefetcher.cancelPrefetching()
        bench.harness.loader.finish(urls[0], .success(ManagerHarness.bytes))
        await recorder.ended.wait()
        #expect(recorder.result != nil)
    }

    @Test("To disk alone: nothing is decoded, and what is there already is not asked for")
    func diskOnly() async {
        let bench = Bench { $0.destination = .disk }
        let log = Log()
        let bytes = TestPictures.red
        let urls = bench.urls(2, .data(bytes))
        bench.harness.cache.disk[CacheKey(urls[1].absoluteString)] = CachedData(data: bytes)
        bench.prefetcher.prefetch(urls) { log.complete($0, $1) }
        await log.ended.wait()
        #expect(log.all == ["completed 2 0"])
        #expect(bench.harness.coder.decodes.isEmpty && bench.harness.cache.memory.isEmpty)
        #expect(bench.harness.loader.requests.compactMap(\.url) == [urls[0]])
        #expect(bench.harness.cache.disk[CacheKey(urls[0].absoluteString)]?.data == bytes)
    }

    @Test("To disk alone: what is there already is asked for where the options say so")
    func diskAsksAgain() async {
        for options in [LoadOptions.refreshCached, .fromLoaderOnly] {
            let bench = Bench { $0.destination = .disk }
            let log = Log()
            let (old, new) = (TestPictures.red, TestPictures.red + Data([0]))
            let urls = bench.urls(1, .data(new))
            let key = CacheKey(urls[0].absoluteString)
            bench.harness.cache.disk[key] = CachedData(data: old)
            bench.prefetcher.prefetch(urls, options: options) { log.complete($0, $1) }
            await log.ended.wait()
            #expect(log.all == ["completed 1 0"] && bench.harness.loader.requests.count == 1)
        }
    }

    @Test("Ten thousand pictures in memory do not grow the stack")
    func manyInMemory() async {
        let bench = Bench()
        let log = Log()
        let urls = (0..<10_000).map { URL(string: "https://h/\($0).png")! }
        for url in urls { bench.harness.cache.storeInMemory(bench.harness.image, for: CacheKey(url.absoluteString)) }
        bench.prefetcher.prefetch(urls) { log.complete($0, $1) }
        await log.ended.wait()
        #expect(log.all.count == 1 && log.all.first == "completed 10000 0")
    }
}
