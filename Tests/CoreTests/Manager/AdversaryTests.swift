import Foundation
import Synchronization
import Testing
import WebImageCore
import WebImagePixels
import WebImageTesting

/// Parts of the user's own that call back into the manager, or cancel, from inside.
@Suite("Whatever calls back from inside, a load ends once", .timeLimit(.minutes(10)))
struct AdversaryTests {
    /// Where a load is cancelled from.
    enum Place: CaseIterable {
        case filter, processor, observer, transformer, serializer, delegate, interceptor, progress
    }

    /// Calls the load's cancel and loads something else, wherever it is put; once.
    private final class Meddler: ImageManagerDelegate, LoadInterceptor, ImageTransformer {
        let key = "Meddling(1)"
        private let manager = Mutex<ImageManager?>(nil)
        private let operation = Mutex<LoadOperation?>(nil)
        let begun = Gate()
        let other = Recorder()
        private let isDone = Mutex(false)

        func set(_ manager: ImageManager) { self.manager.withLock { $0 = manager } }
        func set(_ operation: LoadOperation) {
            self.operation.withLock { $0 = operation }
            begun.open()
        }

        /// On a thread of its own stages it waits until the load is known; where the load is not begun yet there is
        /// nothing to cancel.
        func meddle(waits: Bool = true) {
            guard
                !isDone.withLock({ done in
                    defer { done = true }
                    return done
                })
            else { return }
            if waits { begun.waitBlocking() }
            let manager = manager.withLock { $0 }
            var request = ImageRequest(URL(string: "https://h/other.png"), options: .fromCacheOnly)
            request.context.callbackQueue = .immediate
            if let manager { manager.load(request, completion: other.complete) }
            _ = manager?.isRunning
            _ = manager?.metrics
            manager?.removeAllFailedURLs()
            operation.withLock { $0 }?.cancel()
        }

        func transform(_ image: DecodedImage) throws(ImageError) -> DecodedImage {
            meddle()
            return image
        }
        func imageManager(_ manager: ImageManager, shouldLoad url: URL) -> Bool {
            meddle()
            return true
        }
        func intercept(_ chain: LoadChain) async throws(ImageError) -> LoadResult {
            meddle()
            return try await chain.proceed()
        }
    }

    @Test("Cancel and load again from each place of one's own code", arguments: Place.allCases)
    func cancelsFromInside(_ place: Place) async {
        let meddler = Meddler()
        var configuration = ImageManager.Configuration()
        switch place {
        case .processor:
            configuration.optionsProcessor = OptionsProcessor { _, _, _ in
                meddler.meddle(waits: false)
                return nil
            }
        case .observer:
            configuration.observers = [
                LoadObserver { if case .stageBegan(.decode) = $0.kind { meddler.meddle() } }
            ]
        case .interceptor: configuration.interceptors = [meddler]
        default: break
        }
        let harness = ManagerHarness(configuration: configuration)
        meddler.set(harness.manager)
        harness.scriptHeldNetwork()
        if place == .delegate { harness.manager.delegate = meddler }
        let request = harness.request([.waitStoreCache]) { context in
            if place == .filter {
                context.cacheKeyFilter = CacheKeyFilter { url in
                    meddler.meddle(waits: false)
                    return url.absoluteString
                }
            }
            if place == .transformer { context.transformer = meddler }
            if place == .serializer {
                context.cacheSerializer = CacheSerializer { _, _, _ in
                    meddler.meddle()
                    return nil
                }
            }
        }
        let recorder = Recorder()
        let operation = harness.manager.load(
            request,
            progress: { news in
                recorder.report(news)
                if place == .progress { meddler.meddle() }
            }, completion: recorder.complete)
        meddler.set(operation)
        // Whoever comes before the download ends needs none; it is answered as often as it takes.
        while recorder.completions.isEmpty, !Task.isCancelled {
            harness.loader.progress(harness.url, LoadProgress(receivedByteCount: 1, expectedByteCount: 2))
            harness.loader.finish(harness.url, .success(ManagerHarness.bytes))
            await Task.yield()
        }
        await meddler.other.ended.wait()
        while harness.manager.isRunning, !Task.isCancelled { await Task.yield() }
        #expect(recorder.completions.count == 1 && recorder.progressAfterEnd == 0)
        #expect(meddler.other.error?.code == .notInCache)
        let isBegunBefore = place == .filter || place == .processor
        #expect(isBegunBefore ? recorder.result != nil : recorder.error?.isCancelled == true)
    }

    @Test("What a progress closure holds may cancel the load when it goes")
    func closureGoes() async {
        final class Holder: Sendable {
            let operation = Mutex<LoadOperation?>(nil)
            deinit { operation.withLock { $0 }?.cancel() }
        }
        let harness = ManagerHarness()
        harness.scriptHeldNetwork()
        let recorder = Recorder()
        weak var released: Holder?
        do {
            let holder = Holder()
            released = holder
            let operation = harness.manager.load(
                harness.request(), progress: { _ in holder.operation.withLock { _ = $0 } },
                completion: recorder.complete)
            holder.operation.withLock { $0 = operation }
        }
        await harness.loader.waitForRequest(for: harness.url)
        harness.loader.finish(harness.url, .success(ManagerHarness.bytes))
        await recorder.ended.wait()
        while released != nil, !Task.isCancelled { await Task.yield() }
        #expect(recorder.completions.count == 1 && recorder.result != nil)
    }

    @Test("Five thousand loads cancelled at once: one end each, and nothing is left under way")
    func manyAtOnce() async {
        let harness = ManagerHarness()
        harness.scriptHeldNetwork()
        let recorders = (0..<5000).map { _ in Recorder() }
        for (index, recorder) in recorders.enumerated() {
            var request = harness.request()
            request.url = URL(string: "https://h/\(index % 1000).png")
            harness.loader.script(request.url!, .held)
            harness.manager.load(request, progress: recorder.report, completion: recorder.complete)
        }
        harness.manager.cancelAll()
        #expect(recorders.allSatisfy { $0.completions.count == 1 && $0.error?.isCancelled == true })
        while harness.manager.isRunning, !Task.isCancelled { await Task.yield() }
        #expect(recorders.allSatisfy { $0.completions.count == 1 && $0.progressAfterEnd == 0 })
    }

    @Test("An options processor keeps the request's other sources")
    func processorKeepsSources() async throws {
        var configuration = ImageManager.Configuration()
        configuration.optionsProcessor = OptionsProcessor { .init(options: $1, context: $2) }
        let harness = ManagerHarness(configuration: configuration)
        harness.scriptNetwork()
        let broken = URL(string: "https://h/broken.png")!
        harness.loader.script(broken, .failure(ImageError(.cannotConnect, .load, "nobody there")))
        var request = harness.request()
        request.url = broken
        request.alternatives = [harness.url]
        #expect(try await harness.manager.image(for: request).url == harness.url)
    }

    @Test("Contradictory options: the winner is the documented one")
    func contradictions() async throws {
        #expect(LoadOptions([.lowPriority, .highPriority]).priority == .high)
        let harness = ManagerHarness()
        harness.scriptNetwork()
        harness.cache.storeInMemory(harness.image, for: harness.key)
        // Neither a cache nor a loader may be asked.
        await #expect {
            try await harness.manager.image(for: harness.request([.fromCacheOnly, .fromLoaderOnly]))
        } throws: {
            ($0 as? ImageError)?.code == .notInCache
        }
        #expect(harness.loader.requests.isEmpty && harness.cache.diskQueries.isEmpty)
        // The loader alone, though the disk might be read at once.
        harness.cache.disk[harness.key] = CachedData(data: ManagerHarness.bytes)
        let loaded = try await harness.manager.image(for: harness.request([.fromLoaderOnly, .queryDiskDataSync]))
        #expect(loaded.source == .network)
        // The bytes of a memory hit at once, where both ways are asked for.
        let recorder = Recorder()
        harness.manager.load(
            harness.request([.queryMemoryData, .queryMemoryDataSync]), completion: recorder.complete)
        #expect(recorder.result?.data == ManagerHarness.bytes)
    }

    @Test("A byte budget goes before a thumbnail size, and one frame before a playable form")
    func decodeContradictions() async throws {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        let budget = try await harness.manager.image(
            for: harness.request { context in
                context.thumbnailPixelSize = ImageSize(50, 50)
                context.scaleDownByteLimit = 20 * 20 * 4
            })
        #expect(budget.image.pixelSize == PixelSize(20, 20))
        let animated = DecodedImage(
            pixels: PixelBuffer(size: PixelSize(4, 4))!, attributes: .init(format: .gif, frameCount: 3))
        harness.coder.script(ManagerHarness.bytes, .success(animated))
        let frame = try await harness.manager.image(
            for: harness.request([.decodeFirstFrameOnly, .matchAnimatedImageClass, .preloadAllFrames, .fromLoaderOnly]))
        #expect(frame.image.animation == nil)
    }
}
