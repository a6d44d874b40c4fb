import Foundation
import Synchronization
import Testing
import WebImagePixels
import WebImageTesting

@testable import WebImageCore

// One at a time: each holds a thread of those that all stages share.
@Suite("Loads that come late share what is done and in no cache yet", .serialized, .timeLimit(.minutes(20)))
struct LateSharingTests {
    private let harness: ManagerHarness
    private let held = HeldTransformer()
    private let first = CountingTransformer("First(1)")

    init() {
        var configuration = ImageManager.Configuration()
        configuration.maxConcurrentDecodes = 2
        configuration.maxConcurrentTransforms = 2
        harness = ManagerHarness(configuration: configuration)
        harness.scriptNetwork()
    }

    private func load(
        _ options: LoadOptions = [], _ change: (inout LoadContext) -> Void = { _ in }
    ) -> (operation: LoadOperation, recorder: Recorder) {
        let recorder = Recorder()
        let operation = harness.manager.load(harness.request(options, change), completion: recorder.complete)
        return (operation, recorder)
    }

    /// A load whose original is there and whose last stage waits for `held.gate`.
    private func loadUntilTransform(
        _ options: LoadOptions = [], _ change: (inout LoadContext) -> Void = { _ in }
    ) async -> (operation: LoadOperation, recorder: Recorder) {
        let load = load(options) { context in
            context.transformer = PipelineTransformer([first, held])
            change(&context)
        }
        await held.gate.waitForArrivals(1)
        return load
    }

    private func waitUntilNothingIsKept() async {
        while harness.manager.isRunning || harness.manager.sources.count > 0 || harness.manager.files.count > 0,
            !Task.isCancelled
        {
            await Task.yield()
        }
    }

    @Test("While the first is transformed, one with a later transformer shares file, decode and the stages before")
    func commonPrefix() async {
        let early = await loadUntilTransform()
        let late = load { $0.transformer = PipelineTransformer([first, CountingTransformer("Last(1)")]) }
        await late.recorder.ended.wait()
        #expect(late.recorder.result?.image.pixelSize == PixelSize(10, 10))
        #expect(late.recorder.result?.source == .network)
        #expect(harness.loader.requestCount(for: harness.url) == 1)
        #expect(harness.coder.decodes.count == 1)
        #expect(first.count == 1)
        held.gate.open()
        await early.recorder.ended.wait()
        #expect(early.recorder.completions.count == 1 && late.recorder.completions.count == 1)
        await waitUntilNothingIsKept()
    }

    @Test("Twenty late ones, of which some cancel: one download, one decode, one end each")
    func manyLate() async {
        let early = await loadUntilTransform()
        let late = (0..<20).map { index in load { $0.transformer = CountingTransformer("Last(\(index))") } }
        for index in stride(from: 0, to: 20, by: 3) { late[index].operation.cancel() }
        for load in late { await load.recorder.ended.wait() }
        held.gate.open()
        await early.recorder.ended.wait()
        #expect(late.allSatisfy { $0.recorder.completions.count == 1 })
        #expect(late[1].recorder.result != nil)
        #expect(harness.loader.requestCount(for: harness.url) == 1 && harness.coder.decodes.count == 1)
        await waitUntilNothingIsKept()
    }

    @Test("While the first is decoded, one of another size shares the file")
    func fileWhileDecoding() async {
        let gate = Gate()
        harness.coder.hold(at: gate)
        let early = load()
        await gate.waitForArrivals(1)
        let late = load { $0.thumbnailPixelSize = ImageSize(10, 10) }
        let bytes = Task { [harness] in try await harness.manager.data(for: harness.request()) }
        await gate.waitForArrivals(2)
        gate.open()
        await early.recorder.ended.wait()
        await late.recorder.ended.wait()
        #expect(late.recorder.result?.image.pixelSize == PixelSize(10, 10))
        #expect((try? await bytes.value.data) == ManagerHarness.bytes)
        #expect(harness.loader.requestCount(for: harness.url) == 1)
        #expect(harness.manager.metrics.receivedByteCount == ManagerHarness.bytes.count)
        await waitUntilNothingIsKept()
    }

    @Test("After the end, while the original is on its way to the disk, it is shared")
    func whileWritten() async {
        let cache = GatedCache(holdingWritesOf: harness.key)
        let early = load { context in
            context.transformer = first
            context.imageCache = cache
        }
        await early.recorder.ended.wait()
        await cache.gate.waitForArrivals(1)
        for (index, size) in [nil, ImageSize(20, 20)].enumerated() {
            let late = load { context in
                context.transformer = CountingTransformer("Last(\(index))")
                context.thumbnailPixelSize = size
                context.imageCache = cache
            }
            await late.recorder.ended.wait()
            #expect(late.recorder.result != nil)
        }
        #expect(harness.loader.requestCount(for: harness.url) == 1)
        cache.gate.open()
        await waitUntilNothingIsKept()
    }

    @Test("After the end, a result that goes to the disk alone is shared until it is there")
    func resultWhileWritten() async {
        let cache = GatedCache(holdingWritesOf: harness.key.appending("First(1)"))
        let change: (inout LoadContext) -> Void = { context in
            context.transformer = first
            context.imageCache = cache
            context.storeCacheType = .disk
            context.originalStoreCacheType = .none
        }
        let early = load([], change)
        await early.recorder.ended.wait()
        await cache.gate.waitForArrivals(1)
        let late = load([], change)
        await late.recorder.ended.wait()
        #expect(late.recorder.result?.image.pixelSize == PixelSize(10, 10))
        #expect(harness.loader.requestCount(for: harness.url) == 1 && first.count == 1)
        cache.gate.open()
        await waitUntilNothingIsKept()
    }

    @Test("After the end, with an original that no cache gets, the next load downloads")
    func notKept() async {
        for index in 1...5 {
            let load = load { context in
                context.transformer = CountingTransformer("Only(\(index))")
                context.originalStoreCacheType = .none
            }
            await load.recorder.ended.wait()
            #expect(harness.loader.requestCount(for: harness.url) == index)
        }
    }

    @Test("Who asks past the caches shares nothing that was there before", arguments: [true, false])
    func pastTheCaches(_ isLoaderOnly: Bool) async {
        let early = await loadUntilTransform()
        let late = load(isLoaderOnly ? .fromLoaderOnly : []) { context in
            context.transformer = first
            if !isLoaderOnly { context.originalQueryCacheType = .none }
        }
        await late.recorder.ended.wait()
        #expect(late.recorder.result != nil)
        #expect(harness.loader.requestCount(for: harness.url) == 2)
        held.gate.open()
        await early.recorder.ended.wait()
        await waitUntilNothingIsKept()
    }

    @Test("The one who did the work leaves: it stays as long as another who waited is under way")
    func leaderLeaves() async {
        harness.loader.script(harness.url, .held)
        let leader = load { $0.transformer = CountingTransformer("Leader(1)") }
        await harness.loader.waitForRequest(for: harness.url)
        let other = load { $0.transformer = held }
        // Both wait for the one original, neither for the disk.
        while harness.manager.sources.waiterCounts != [2], !Task.isCancelled { await Task.yield() }
        leader.operation.cancel()
        harness.loader.finish(harness.url, .success(ManagerHarness.bytes))
        await held.gate.waitForArrivals(1)
        let late = load { $0.transformer = first }
        let small = load { $0.thumbnailPixelSize = ImageSize(10, 10) }
        await late.recorder.ended.wait()
        await small.recorder.ended.wait()
        #expect(late.recorder.result != nil && small.recorder.result != nil && leader.recorder.error != nil)
        #expect(harness.loader.requestCount(for: harness.url) == 1)
        held.gate.open()
        await other.recorder.ended.wait()
        await waitUntilNothingIsKept()
    }

    @Test("The result comes to memory after a load has looked there and on disk: it is taken, and nothing loaded")
    func overtaken() async throws {
        let variant = harness.key.appending("First(1)")
        var configuration = ImageManager.Configuration()
        configuration.observers = [
            LoadObserver { [harness] observation in
                guard case .stageEnded(.cache, _, _) = observation.kind else { return }
                harness.cache.storeInMemory(harness.image, for: variant)
            }
        ]
        let manager = ImageManager(
            cache: harness.cache, loader: harness.loader, coder: harness.coder, configuration: configuration)
        let result = try await manager.image(for: harness.request { $0.transformer = first })
        #expect(result.image === harness.image && result.source == .memory)
        #expect(harness.loader.requestCount(for: harness.url) == 0)
    }

    @Test("It comes to memory while a load that asks the server looks for it: a picture, and no error")
    func overtakenWhileAsking() async throws {
        let variant = harness.key.appending("First(1)")
        var configuration = ImageManager.Configuration()
        configuration.observers = [
            LoadObserver { [harness] observation in
                guard case .stageEnded(.cache, _, _) = observation.kind else { return }
                harness.cache.storeInMemory(harness.image, for: variant)
            }
        ]
        let manager = ImageManager(
            cache: harness.cache, loader: harness.loader, coder: harness.coder, configuration: configuration)
        let result = try await manager.image(for: harness.request(.refreshCached) { $0.transformer = first })
        #expect(result.image.pixelSize == PixelSize(10, 10) && result.source == .network)
        #expect(harness.loader.requestCount(for: harness.url) == 1)
    }

    @Test("A failed load keeps nothing: the next one tries again")
    func failure() async {
        harness.loader.script(
            harness.url, .failure(ImageError(.connectionLost, .load, "lost")), .data(ManagerHarness.bytes))
        let failed = load { $0.transformer = first }
        await failed.recorder.ended.wait()
        #expect(failed.recorder.error?.code == .connectionLost)
        let next = load { $0.transformer = first }
        await next.recorder.ended.wait()
        #expect(next.recorder.result != nil)
        await waitUntilNothingIsKept()
    }

    @Test("A picture that no file brought is not shared with who wants another size")
    func picturesOfALoader() async {
        let sizes = Mutex<[ImageSize?]>([])
        let loader = SizedLoader { size in sizes.withLock { $0.append(size) } }
        let early = load { context in
            context.imageLoader = loader
            context.transformer = held
        }
        await held.gate.waitForArrivals(1)
        let late = load { context in
            context.imageLoader = loader
            context.thumbnailPixelSize = ImageSize(5, 5)
        }
        await late.recorder.ended.wait()
        #expect(sizes.withLock { $0 } == [nil, ImageSize(5, 5)])
        held.gate.open()
        await early.recorder.ended.wait()
    }
}

/// Makes a picture of the size that a load asks for.
private final class SizedLoader: ImageLoader {
    private let note: @Sendable (ImageSize?) -> Void

    init(_ note: @escaping @Sendable (ImageSize?) -> Void) { self.note = note }

    func canLoad(_ url: URL) -> Bool { true }

    func load(
        _ request: ImageRequest, progress: @escaping @Sendable (LoadProgress) -> Void,
        completion: @escaping @Sendable (Result<LoadedData, ImageError>) -> Void
    ) -> any ImageOperation {
        let size = request.context.thumbnailPixelSize
        note(size)
        let side = Int(size?.width ?? 50)
        let image = DecodedImage(pixels: PixelBuffer(size: PixelSize(side, side))!, attributes: .init(format: .png))
        completion(.success(LoadedData(image: image)))
        return CurrentOperation()
    }

    func shouldBlockFailedURL(_ url: URL, error: ImageError) -> Bool { false }
}
