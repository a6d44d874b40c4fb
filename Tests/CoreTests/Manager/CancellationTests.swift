import Foundation
import Synchronization
import Testing
import WebImagePixels
import WebImageTesting

@testable import WebImageCore

@Suite("What ends is over: nothing more is asked, nothing is kept", .timeLimit(.minutes(20)))
struct CancellationTests {
    /// Answers as often as it is told to, whatever the contract says.
    private final class UnrulyLoader: ImageLoader {
        let answerCount: Int
        let asked = Gate()
        private let completions = Mutex<[@Sendable (Result<LoadedData, ImageError>) -> Void]>([])

        init(answerCount: Int) { self.answerCount = answerCount }

        func canLoad(_ url: URL) -> Bool { true }
        func shouldBlockFailedURL(_ url: URL, error: ImageError) -> Bool { true }
        func load(
            _ request: ImageRequest, progress: @escaping @Sendable (LoadProgress) -> Void,
            completion: @escaping @Sendable (Result<LoadedData, ImageError>) -> Void
        ) -> any ImageOperation {
            for _ in 0..<answerCount { completion(.success(LoadedData(data: ManagerHarness.bytes))) }
            completions.withLock { $0.append(completion) }
            Task { await asked.wait() }
            return CurrentOperation()
        }
    }

    private func manager(_ harness: ManagerHarness, _ loader: any ImageLoader) -> ImageManager {
        ImageManager(cache: harness.cache, loader: loader, coder: harness.coder)
    }

    @Test("The half that looks on disk is there while it does, and cancelling it cancels the load")
    func cacheHalf() async throws {
        let harness = ManagerHarness()
        let cache = GatedCache(holding: harness.key)
        let recorder = Recorder()
        let operation = harness.manager.load(
            harness.request { $0.imageCache = cache }, completion: recorder.complete)
        await cache.gate.waitForArrivals(1)
        #expect(operation.loaderOperation == nil)
        try #require(operation.cacheOperation).cancel()
        cache.gate.open()
        await recorder.ended.wait()
        #expect(recorder.error?.isCancelled == true && recorder.completions.count == 1)
        #expect(operation.cacheOperation == nil && harness.loader.requests.isEmpty)
    }

    @Test("The half that gets the original is there until the end, and cancelling it cancels the load")
    func loaderHalf() async throws {
        let harness = ManagerHarness()
        harness.scriptHeldNetwork()
        let recorder = Recorder()
        let operation = harness.manager.load(harness.request(), completion: recorder.complete)
        await harness.loader.waitForRequest(for: harness.url)
        #expect(operation.cacheOperation == nil)
        try #require(operation.loaderOperation).cancel()
        await recorder.ended.wait()
        #expect(recorder.error?.isCancelled == true && recorder.completions.count == 1)
        while harness.loader.cancelCount(of: harness.url) == 0, !Task.isCancelled { await Task.yield() }
        #expect(operation.loaderOperation == nil)
    }

    @Test("A loader that answers twice is heard once")
    func answersTwice() async throws {
        let harness = ManagerHarness()
        harness.cache.scriptAllMissing()
        let manager = manager(harness, UnrulyLoader(answerCount: 2))
        #expect(try await manager.image(for: harness.request()).image === harness.image)
        #expect(try await manager.data(for: harness.request([.fromLoaderOnly])).data == ManagerHarness.bytes)
    }

    @Test("A loader that never answers keeps nothing alive once cancelled, and the URL is not blocked")
    func neverAnswers() async throws {
        let harness = ManagerHarness()
        harness.cache.scriptAllMissing()
        let loader = UnrulyLoader(answerCount: 0)
        weak var released: ImageManager?
        do {
            let manager = manager(harness, loader)
            released = manager
            let recorder = Recorder()
            let operation = manager.load(harness.request(), completion: recorder.complete)
            await loader.asked.waitForArrivals(1)
            operation.cancel()
            #expect(recorder.error?.code == .cancelled)
            while manager.isRunning || manager.sources.count > 0, !Task.isCancelled { await Task.yield() }
            let plan = try LoadPlan(harness.request(), manager: manager, manager.diagnostics.trace(nil))
            #expect(throws: Never.self) { try manager.checkNotFailed(plan.request, plan.url) }
        }
        while released != nil, !Task.isCancelled { await Task.yield() }
        loader.asked.open()
    }

    @Test("Cancelled while the disk is read: the loader is not asked")
    func duringLookUp() async {
        let harness = ManagerHarness()
        let cache = GatedCache(holding: harness.key)
        let loader = FakeLoader()
        loader.script(harness.url, .held)
        weak var released: ImageManager?
        do {
            let manager = ImageManager(cache: cache, loader: loader, coder: harness.coder)
            released = manager
            // A thumbnail looks for the original inside the shared work.
            let request = harness.request { $0.thumbnailPixelSize = ImageSize(50, 50) }
            let operation = manager.load(request) { _ in }
            await cache.gate.waitForArrivals(1)
            operation.cancel()
            cache.gate.open()
        }
        while released != nil, !Task.isCancelled { await Task.yield() }
        #expect(loader.requests.isEmpty)
    }

    @Test("A load that is over does not keep its picture, whoever keeps the load")
    func pictureIsFreed() async throws {
        let harness = ManagerHarness()
        weak var picture: DecodedImage?
        let operation: LoadOperation
        do {
            let image = DecodedImage(pixels: try #require(PixelBuffer(size: PixelSize(4, 4))))
            picture = image
            harness.cache.storeInMemory(image, for: harness.key)
            operation = harness.manager.load(harness.request()) { _ in }
        }
        await harness.cache.clear(.memory)
        #expect(picture == nil)
        operation.cancel()
    }

    @Test("A load of bytes counts as running, and cancelAll ends it")
    func cancelAllBytes() async {
        let harness = ManagerHarness()
        harness.scriptHeldNetwork()
        let task = Task { try await harness.manager.data(for: harness.request()) }
        await harness.loader.waitForRequest(for: harness.url)
        #expect(harness.manager.isRunning)
        harness.manager.cancelAll()
        await #expect { try await task.value } throws: { ($0 as? ImageError)?.code == .cancelled }
        #expect(!harness.manager.isRunning && harness.loader.cancelCount(of: harness.url) == 1)
    }

    @Test("Bytes: a task cancelled while the disk is read ends with cancelled, and the loader is not asked")
    func cancelledBytes() async {
        let harness = ManagerHarness()
        for isThere in [true, false] {
            let cache = GatedCache(holding: harness.key)
            if isThere { cache.inner.disk[harness.key] = CachedData(data: ManagerHarness.bytes) }
            let task = Task { try await harness.manager.data(for: harness.request { $0.imageCache = cache }) }
            await cache.gate.waitForArrivals(1)
            task.cancel()
            cache.gate.open()
            await #expect { try await task.value } throws: { ($0 as? ImageError)?.code == .cancelled }
        }
        #expect(harness.loader.requests.isEmpty)
    }

    @Test("Bytes on disk that only the coders at hand cannot read stay there")
    func foreignFormat() async {
        let harness = ManagerHarness()
        let tiff = Data([0x49, 0x49, 0x2A, 0, 8, 0, 0, 0])
        harness.cache.disk[harness.key] = CachedData(data: tiff)
        let manager = ImageManager(cache: harness.cache, loader: harness.loader, coder: CodersManager())
        await #expect { try await manager.image(for: harness.request()) } throws: {
            ($0 as? ImageError)?.code == .unknownFormat
        }
        #expect(harness.cache.disk[harness.key]?.data == tiff)
    }
}
