import Foundation
import Synchronization
import Testing
import WebImagePixels
import WebImageTesting

@testable import WebImageCore

@Suite("Pictures that show while their bytes arrive", .timeLimit(.minutes(5)))
struct ProgressiveLoadTests {
    let coder = CountingCoder()
    let transport = HandTransport()
    let cache = FakeCache()
    let manager: ImageManager
    let url = URL(string: "https://h/a")!

    init() {
        cache.scriptAllMissing()
        let downloader = ImageDownloader(transport: transport, configuration: .patient)
        manager = ImageManager(cache: cache, loader: downloader, coder: coder)
    }

    private func request(_ options: LoadOptions = .progressiveLoad) -> ImageRequest {
        var request = ImageRequest(url, options: options.union(.fromLoaderOnly))
        request.context.callbackQueue = .immediate
        return request
    }

    /// Waits for the next exchange after starting a load.
    private func started(_ start: () -> Void) async -> HandTransport.Exchange {
        let begun = Gate()
        transport.onNextStart = { begun.open() }
        start()
        await begun.wait()
        return transport.exchanges[transport.exchanges.count - 1]
    }

    @Test("Partial pictures come before the end, marked; the result is not marked, and only it is stored")
    func partial() async throws {
        let log = PartialLog()
        let exchange = await started { manager.load(request(), progress: log.progress, completion: log.completion) }
        exchange.head(byteCount: 30)
        for count in 1...3 {
            exchange.send(Data(count: 10))
            if count < 3 { await log.waitForPartial(count) }
        }
        exchange.end()
        await log.ended.wait()
        #expect(log.partialSizes.prefix(2) == [10, 20])
        #expect(log.areAllMarked && log.partialAfterEnd == 0)
        let result = try #require(log.result)
        #expect(!result.image.attributes.isIncremental && result.image.pixelSize == PixelSize(30, 1))
        #expect(cache.imageFromMemory(for: CacheKey(url.absoluteString))?.attributes.isIncremental == false)
        #expect(coder.wholeDecodeCount == 1)
    }

    @Test("At most one decode at a time, however fast the bytes come, and none after the end")
    func oneAtATime() async {
        let gate = Gate()
        coder.holdAppends(by: gate)
        let log = PartialLog()
        let exchange = await started { manager.load(request(), progress: log.progress, completion: log.completion) }
        exchange.head(byteCount: 1000)
        for _ in 0..<100 { exchange.send(Data(count: 10)) }
        await gate.waitForArrivals(1)
        exchange.end()
        #expect(log.result == nil && coder.wholeDecodeCount == 0)
        gate.open()
        await log.ended.wait()
        #expect(coder.mostAtOnce == 1 && coder.appendCount == 1 && log.partialAfterEnd == 0)
    }

    @Test("A server is held back for a slow decoder, and let go when that has caught up or has given up")
    func holdingBack() async {
        for fails in [false, true] {
            let gate = Gate()
            coder.holdAppends(by: gate)
            coder.failAppends(fails)
            let log = PartialLog()
            let exchange = await started { manager.load(request(), progress: log.progress, completion: log.completion) }
            exchange.head(byteCount: nil)
            exchange.send(Data(count: 10))
            await gate.waitForArrivals(1)
            for _ in 0..<5 { exchange.send(Data(count: 1 << 20)) }
            #expect(exchange.pauseLog == [true])
            gate.open()
            while exchange.pauseLog.count < 2, !Task.isCancelled { await Task.yield() }
            #expect(exchange.pauseLog == [true, false])
            exchange.end()
            await log.ended.wait()
            #expect(log.result != nil && coder.largestAppend <= 1 << 20)
        }
    }

    @Test("A decoder that fails half-way shows no more; the whole file is decoded all the same")
    func failing() async {
        coder.failAppends(true)
        let log = PartialLog()
        let exchange = await started { manager.load(request(), progress: log.progress, completion: log.completion) }
        exchange.answer(body: Data(count: 30))
        await log.ended.wait()
        #expect(log.partialSizes.isEmpty && log.result?.image.pixelSize == PixelSize(30, 1))
    }

    @Test("One who comes late sees what there is; one who wants none gets none; they share the download")
    func sharing() async {
        let (first, second, plain) = (PartialLog(), PartialLog(), PartialLog())
        let exchange = await started { manager.load(request(), progress: first.progress, completion: first.completion) }
        exchange.head(byteCount: 20)
        exchange.send(Data(count: 10))
        await first.waitForPartial(1)
        manager.load(request(), progress: second.progress, completion: second.completion)
        manager.load(request([]), progress: plain.progress, completion: plain.completion)
        await second.waitForPartial(1)
        while plain.progressCount == 0, !Task.isCancelled { await Task.yield() }
        exchange.send(Data(count: 10))
        exchange.end()
        for log in [first, second, plain] { await log.ended.wait() }
        #expect(plain.partialSizes.isEmpty && second.partialSizes.first == 10)
        #expect(transport.exchanges.count == 1)
    }

    @Test("Cancelled in the middle of a partial decode: one end, and the decode is not waited for")
    func cancelled() async {
        let gate = Gate()
        coder.holdAppends(by: gate)
        let log = PartialLog()
        let operation = Mutex<LoadOperation?>(nil)
        let exchange = await started {
            let load = manager.load(request(), progress: log.progress, completion: log.completion)
            operation.withLock { $0 = load }
        }
        exchange.head(byteCount: 20)
        exchange.send(Data(count: 10))
        await gate.waitForArrivals(1)
        operation.withLock { $0 }?.cancel()
        #expect(log.ended.isOpen && log.result == nil)
        gate.open()
        exchange.end(.cancelled(.load))
        while manager.isRunning, !Task.isCancelled { await Task.yield() }
        #expect(log.partialSizes.isEmpty)
    }

    @Test("A decryptor switches it off")
    func decryptor() async {
        let log = PartialLog()
        var request = request()
        request.context.decryptor = Decryptor { data, _ in data }
        let exchange = await started { manager.load(request, progress: log.progress, completion: log.completion) }
        exchange.answer(body: Data(count: 30))
        await log.ended.wait()
        #expect(log.partialSizes.isEmpty && log.result != nil && coder.appendCount == 0)
    }
}

/// What a load's closures were told of partial pictures.
private final class PartialLog: Sendable {
    private struct State {
        var partial: [DecodedImage] = []
        var progressCount = 0
        var partialAfterEnd = 0
        var result: LoadResult?
    }

    private let state = Mutex(State())
    let ended = Gate()

    var partialSizes: [Int] { state.withLock { $0.partial.map(\.pixelSize.width) } }
    var areAllMarked: Bool { state.withLock { $0.partial.allSatisfy(\.attributes.isIncremental) } }
    var progressCount: Int { state.withLock { $0.progressCount } }
    var partialAfterEnd: Int { state.withLock { $0.partialAfterEnd } }
    var result: LoadResult? { state.withLock { $0.result } }

    @Sendable func progress(_ progress: LoadProgress) {
        state.withLock { state in
            state.progressCount += 1
            guard let picture = progress.partialImage else { return }
            state.partial.append(picture)
            if ended.isOpen { state.partialAfterEnd += 1 }
        }
    }

    @Sendable func completion(_ result: Result<LoadResult, ImageError>) {
        state.withLock { $0.result = try? result.get() }
        ended.open()
    }

    func waitForPartial(_ count: Int) async {
        while partialSizes.count < count, !Task.isCancelled { await Task.yield() }
    }
}

/// Makes of so many bytes a picture of that width.
final class CountingCoder: ProgressiveImageCoder {
    private struct State {
        var gate: Gate?
        var fails = false
        var atOnce = 0
        var mostAtOnce = 0
        var appendCount = 0
        var largestAppend = 0
        var wholeDecodeCount = 0
    }

    private let state = Mutex(State())

    var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }
    var appendCount: Int { state.withLock { $0.appendCount } }
    var largestAppend: Int { state.withLock { $0.largestAppend } }
    var wholeDecodeCount: Int { state.withLock { $0.wholeDecodeCount } }
    func holdAppends(by gate: Gate) { state.withLock { $0.gate = gate } }
    func failAppends(_ fails: Bool) { state.withLock { $0.fails = fails } }

    func canDecode(_ data: Data) -> Bool { true }
    func probe(_ data: Data) throws(ImageError) -> ImageProbe { throw .cancelled(.decode) }

    func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        state.withLock { state in
            state.wholeDecodeCount += 1
            state.mostAtOnce = max(state.mostAtOnce, state.atOnce + 1)
        }
        return picture(of: data.count)
    }

    func canEncode(to format: ImageFormat) -> Bool { false }

    func incrementalDecoder(options: DecodeOptions) -> any IncrementalDecoder { CountingDecoder(self) }

    fileprivate func append(_ count: Int) throws(ImageError) {
        let (gate, fails) = state.withLock { state in
            state.appendCount += 1
            state.largestAppend = max(state.largestAppend, count)
            state.atOnce += 1
            state.mostAtOnce = max(state.mostAtOnce, state.atOnce)
            return (state.gate, state.fails)
        }
        gate?.waitBlocking()
        state.withLock { $0.atOnce -= 1 }
        if fails { throw ImageError(.badImageData, .decode, "half a picture is none") }
    }

    fileprivate func picture(of count: Int) -> DecodedImage {
        DecodedImage(pixels: PixelBuffer(size: PixelSize(min(count, 1000), 1))!)
    }
}

private final class CountingDecoder: IncrementalDecoder {
    private let coder: CountingCoder
    private let counts = Mutex((taken: 0, shown: 0))

    init(_ coder: CountingCoder) { self.coder = coder }

    func append(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        try coder.append(bytes.count)
        let count = bytes.count
        counts.withLock { $0.taken += count }
    }

    func partialImage() throws(ImageError) -> DecodedImage? {
        let count: Int? = counts.withLock { counts in
            guard counts.taken > counts.shown else { return nil }
            counts.shown = counts.taken
            return counts.taken
        }
        return count.map { coder.picture(of: $0) }
    }

    func finish() throws(ImageError) -> DecodedImage { coder.picture(of: counts.withLock { $0.taken }) }
}
