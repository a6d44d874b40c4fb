import Foundation
import Synchronization
import Testing
import WebImagePixels
import WebImageTesting

@testable import WebImageCore

/// Two loads of one URL that begin together, of which the second makes a choice more.
@Suite("Which choices keep loads from sharing", .timeLimit(.minutes(10)))
struct ChoiceSharingTests {
    private let harness = ManagerHarness()

    /// A choice, by the name of its option or key.
    struct Choice: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let options: LoadOptions
        let change: @Sendable (inout LoadContext) -> Void

        init(
            _ name: String, _ options: LoadOptions = [],
            _ change: @escaping @Sendable (inout LoadContext) -> Void = { _ in }
        ) {
            (testDescription, self.options, self.change) = (name, options, change)
        }
    }

    // Known by what they are, not by what they do.
    private static let requestModifier = RequestModifier { $0 }
    private static let responseModifier = ResponseModifier { $0 }
    private static let decryptor = Decryptor { data, _ in data }

    static let ofTheWire = [
        Choice("allowInvalidSSLCertificates", .allowInvalidSSLCertificates), Choice("handleCookies", .handleCookies),
        Choice("fromLoaderOnly", .fromLoaderOnly), Choice("progressiveLoad", .progressiveLoad),
        Choice("headers") { $0.headers["X-Kind"] = "other" },
        Choice("requestModifier") { $0.requestModifier = requestModifier },
        Choice("responseModifier") { $0.responseModifier = responseModifier },
        Choice("decryptor") { $0.decryptor = decryptor },
    ]

    private func load(_ options: LoadOptions, _ change: (inout LoadContext) -> Void) -> Recorder {
        let recorder = Recorder()
        harness.manager.load(
            harness.request(options, change), progress: recorder.report, completion: recorder.complete)
        return recorder
    }

    /// Returns once both hear of what the loader brings.
    private func waitForBoth(_ recorders: [Recorder]) async {
        while recorders.contains(where: { $0.progress.isEmpty }), !Task.isCancelled {
            harness.loader.progress(harness.url, LoadProgress(receivedByteCount: 1, expectedByteCount: nil))
            await Task.yield()
        }
    }

    @Test("What goes over the wire, or what becomes of it there: each calls the loader", arguments: ofTheWire)
    func calls(_ choice: Choice) async {
        harness.scriptHeldNetwork()
        let recorders = [load([]) { _ in }, load(choice.options, choice.change)]
        await waitForBoth(recorders)
        #expect(harness.loader.requestCount(for: harness.url) == 2)
        let same = load(choice.options, choice.change)
        await waitForBoth([same])
        #expect(harness.loader.requestCount(for: harness.url) == 2)
        harness.manager.cancelAll()
    }

    static let ofTheDecode = [
        Choice("preloadAllFrames", .preloadAllFrames), Choice("matchAnimatedImageClass", .matchAnimatedImageClass),
        Choice("transformAnimatedImage", .transformAnimatedImage),
        Choice("transformVectorImage", .transformVectorImage), Choice("avoidDecodeImage", .avoidDecodeImage),
        Choice("decodeFirstFrameOnly", .decodeFirstFrameOnly), Choice("scaleDownLargeImages", .scaleDownLargeImages),
        Choice("animatedImageClass") { $0.animatedImageClass = OwnAnimation.self },
        Choice("scaleFactor") { $0.scaleFactor = 2 }, Choice("typeHint") { $0.typeHint = .format(.svg) },
        Choice("thumbnailPixelSize") { $0.thumbnailPixelSize = ImageSize(9, 9) },
        Choice("scaleDownByteLimit") { $0.scaleDownByteLimit = 400 },
        Choice("decodeLimits") { $0.decodeLimits.maxPixelCount = 1 << 20 },
        Choice("imageCoder") {
            $0.imageCoder = FilmCoder(image: DecodedImage(pixels: PixelBuffer(size: .init(3, 3))!))
        },
    ]

    @Test("How the bytes are decoded: one call of the loader, a decode for each", arguments: ofTheDecode)
    func decodes(_ choice: Choice) async {
        harness.scriptHeldNetwork()
        let recorders = [load([]) { _ in }, load(choice.options, choice.change)]
        await waitForBoth(recorders)
        harness.loader.finish(harness.url, .success(ManagerHarness.bytes))
        for recorder in recorders { await recorder.ended.wait() }
        #expect(recorders.allSatisfy { $0.result != nil })
        #expect(harness.loader.requestCount(for: harness.url) == 1)
        let isOwnCoder = recorders[1].result?.image.pixelSize == PixelSize(3, 3)
        #expect(harness.coder.decodes.count + (isOwnCoder ? 1 : 0) == 2)
    }

    static let ofTheCaller = [
        Choice("nothing"), Choice("retryFailed", .retryFailed), Choice("lowPriority", .lowPriority),
        Choice("highPriority", .highPriority), Choice("waitStoreCache", .waitStoreCache),
        Choice("delayPlaceholder", .delayPlaceholder), Choice("queryMemoryData", .queryMemoryData),
        Choice("storeCacheType") { $0.storeCacheType = .memory },
        Choice("callbackQueue") { $0.callbackQueue = .global },
        Choice("cacheSerializer") { $0.cacheSerializer = CacheSerializer { _, _, _ in nil } },
        Choice("encodeOptions") { $0.encodeOptions.quality = 0.5 },
    ]

    @Test("What is the caller's own affair: one call, one decode", arguments: ofTheCaller)
    func shares(_ choice: Choice) async {
        harness.scriptHeldNetwork()
        let recorders = [load([]) { _ in }, load(choice.options, choice.change)]
        await waitForBoth(recorders)
        harness.loader.finish(harness.url, .success(ManagerHarness.bytes))
        for recorder in recorders { await recorder.ended.wait() }
        #expect(recorders.allSatisfy { $0.result?.image === harness.image })
        #expect(harness.loader.requestCount(for: harness.url) == 1 && harness.coder.decodes.count == 1)
    }

    @Test("Loads with coders of their own share no decode, though these are of one kind")
    func ownCoders() async {
        harness.scriptHeldNetwork()
        let images = (3...4).map { DecodedImage(pixels: PixelBuffer(size: PixelSize($0, $0))!) }
        let recorders = images.map { image in load([]) { $0.imageCoder = FilmCoder(image: image) } }
        await waitForBoth(recorders)
        harness.loader.finish(harness.url, .success(ManagerHarness.bytes))
        for recorder in recorders { await recorder.ended.wait() }
        #expect(recorders.map { $0.result?.image.pixelSize.width } == [3, 4])
        #expect(harness.loader.requestCount(for: harness.url) == 1 && harness.coder.decodes.isEmpty)
    }

    @Test("A coder of the load's own: it writes what is stored too, and bytes that it cannot read stay on disk")
    func ownCoder() async throws {
        harness.scriptNetwork()
        let coder = FakeCoder()
        coder.script(ManagerHarness.bytes, .failure(ImageError(.badImageData, .decode, "not for this one")))
        harness.cache.disk[harness.key] = CachedData(data: ManagerHarness.bytes)
        _ = try? await harness.manager.image(for: harness.request(.fromCacheOnly) { $0.imageCoder = coder })
        #expect(harness.cache.disk[harness.key] != nil)

        coder.script(ManagerHarness.bytes, .success(harness.image))
        _ = try await harness.manager.image(
            for: harness.request(.waitStoreCache) { context in
                context.imageCoder = coder
                context.transformer = CountingTransformer()
            })
        #expect(coder.encodes == [.png] && harness.coder.encodes.isEmpty && harness.coder.decodes.isEmpty)
    }

    @Test("encodeOptions reach the coder that writes a variant")
    func encodeOptions() async throws {
        harness.scriptNetwork()
        let coder = NotingCoder(image: harness.image)
        _ = try await harness.manager.image(
            for: harness.request(.waitStoreCache) { context in
                context.imageCoder = coder
                context.transformer = CountingTransformer()
                context.encodeOptions.quality = 0.25
            })
        #expect(coder.qualities.withLock { $0 } == [0.25])
    }

    @Test("refreshCached means nothing where only a cache, or only the loader, may be asked")
    func refreshContradictions() async throws {
        harness.scriptNetwork()
        harness.cache.storeInMemory(harness.image, for: harness.key)
        let cached = try await harness.manager.image(for: harness.request([.refreshCached, .fromCacheOnly]))
        #expect(cached.source == .memory && harness.loader.requests.isEmpty)
        let recorder = load([.refreshCached, .fromLoaderOnly]) { _ in }
        await recorder.ended.wait()
        #expect(recorder.result?.freshness == .loaded && recorder.progress.allSatisfy { $0.staleResult == nil })
        #expect(harness.loader.requests.first?.context.loaderCachedImage == nil)
        _ = try await harness.manager.image(for: harness.request(.refreshCached))
        #expect(harness.loader.requests.last?.context.loaderCachedImage === harness.image)
    }
}
