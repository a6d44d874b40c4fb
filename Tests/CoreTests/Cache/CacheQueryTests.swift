import Foundation
import Synchronization
import Testing
import WebImagePixels
import WebImageTesting

@testable import WebImageCore

@Suite struct CacheQueryTests {
    private let folder = try! CacheTestFolder()
    private let key = CacheKey("https://h/a.png")
    private let body = Data("body".utf8)
    private let image = cacheTestImage(8, 8)
    private let coder = FakeCoder()
    private var immediate: LoadContext { LoadContext(callbackQueue: .immediate) }

    private func cache(_ change: (inout ImageCacheConfiguration) -> Void = { _ in }) -> ImageCache {
        var configuration = ImageCacheConfiguration()
        configuration.memoryPressureSource = nil
        change(&configuration)
        coder.script(body, .success(image))
        return ImageCache(
            namespace: "test", directory: folder.url, configuration: configuration, coder: coder, clock: ManualClock())
    }

    private func animated() -> DecodedImage {
        DecodedImage(pixels: image.pixels, attributes: .init(format: .gif, frameCount: 5, loopCount: 3))
    }

    @Test("CA-14 animated picture in memory: the very same, or its first frame as a still one, both from memory")
    func CA_14_animatedInMemory() async {
        let cache = cache()
        let animated = animated()
        cache.storeInMemory(animated, for: key)
        let plain = await cache.query(key)
        #expect(plain.image === animated && plain.type == .memory && plain.data == nil)
        let still = await cache.query(key, options: .decodeFirstFrameOnly)
        #expect(still.image !== animated && still.image?.isAnimated == false && still.type == .memory)
        #expect(cache.image(for: key, options: .decodeFirstFrameOnly)?.isAnimated == false)
        #expect(cache.imageFromMemory(for: key) === animated)
    }

    @Test("Bytes that give no picture: the result says why, a limit by its name")
    func whyThereIsNone() async throws {
        let cache = cache()
        try await cache.storeData(body, for: key)
        var context = immediate
        context.imageCoder = FilmCoder(image: image)
        context.animatedImageClass = OwnAnimation.self
        let whole = await cache.query(key, options: .preloadAllFrames, context: context, from: .disk)
        #expect(whole.image?.animation is OwnAnimation && whole.error == nil)
        context.decodeLimits.maxTotalFrameByteCount = 8 * 8 * 4 * 2 - 1
        let limited = await cache.query(key, options: .preloadAllFrames, context: context, from: .disk)
        #expect(limited.image == nil && limited.data == body && limited.error?.code == .limitExceeded)
        #expect(limited.error?.message.contains("maxTotalFrameByteCount") == true)
        coder.script(body, .failure(ImageError(.badImageData, .decode, "broken")))
        #expect(await cache.query(key, from: .disk).error?.code == .badImageData)
        #expect(await cache.query("another").error == nil)
    }

    @Test("CA-15 a cancelled query calls back once, at once on the main thread, and never again")
    @MainActor func CA_15_cancel() async throws {
        let cache = cache()
        let gate = Gate()
        coder.hold(at: gate)
        try await cache.storeData(body, for: key)
        let answers = Mutex<[CacheQueryResult]>([])
        let token = try #require(cache.query(key) { answer in answers.withLock { $0.append(answer) } })
        #expect(answers.withLock { $0.isEmpty } && !token.isFinished)
        token.cancel()
        #expect(answers.withLock { $0.map(\.type) } == [.none])
        token.cancel()
        gate.open()
        let other = await cache.query(key)
        #expect(other.image === image)
        #expect(answers.withLock { $0.count } == 1 && answers.withLock { $0[0].image == nil && $0[0].data == nil })
    }

    @Test("CA-41a the cache's coder encodes on store and decodes on read; a context's own wins")
    func CA_41a_coder() async throws {
        let cache = cache()
        try await cache.store(image, for: key, context: immediate)
        #expect(coder.encodes == [.jpeg] || coder.encodes == [.png])
        cache.clearMemory()
        let found = await cache.query(key)
        #expect(found.image === image && found.type == .disk && found.data == cache.diskData(for: key)?.data)
        let own = FakeCoder()
        own.script(found.data ?? Data(), .success(animated()))
        var context = immediate
        context.imageCoder = own
        cache.clearMemory()
        #expect(await cache.query(key, context: context).image?.isAnimated == true)
    }

    @Test("CA-41b a disk layer of one's own is used: its error is what the store gets")
    func CA_41b_ownDisk() async {
        let cache = cache { $0.makeDiskCache = { folder, configuration, _ in BrokenDisk(folder, configuration) } }
        let error = await #expect(throws: ImageError.self) { try await cache.store(image, data: body, for: key) }
        #expect(error?.message == "no folder can be made")
        #expect(cache.imageFromMemory(for: key) === image && cache.totalDiskCount == 0)
    }

    @Test("CA-42a CA-42b CA-42c without a format: PNG with alpha, JPEG without; a known format is kept")
    func CA_42abc_formats() async throws {
        let cache = cache()
        var opaque = image.pixels
        opaque.alpha = .opaque
        var clear = image.pixels
        clear.alpha = .premultiplied
        try await cache.store(DecodedImage(pixels: clear), for: CacheKey("1"), context: immediate)
        try await cache.store(DecodedImage(pixels: opaque), for: CacheKey("2"), context: immediate)
        let known = DecodedImage(pixels: opaque, attributes: .init(format: .webP))
        try await cache.store(known, for: CacheKey("3"), context: immediate)
        #expect(coder.encodes == [.png, .jpeg, .webP])
    }

    @Test("CA-42d an animation that comes with its bytes is stored as they are")
    func CA_42d_ownBytes() async throws {
        let cache = cache()
        try await cache.store(animated(), data: body, for: key, context: immediate)
        #expect(cache.diskData(for: key)?.data == body && coder.encodes.isEmpty)
    }

    @Test("CA-41c matchAnimatedImageClass: a plain picture in memory is a miss, else a hit")
    func CA_41c_matchAnimatedImageClass() async throws {
        let cache = cache()
        cache.storeInMemory(image, for: key)
        var context = immediate
        context.animatedImageClass = OwnAnimation.self
        #expect(await cache.query(key, options: .matchAnimatedImageClass, context: context).image == nil)
        #expect(cache.image(for: key, options: .matchAnimatedImageClass, context: context) == nil)
        #expect(await cache.query(key, context: context).image === image)
        let playable = image.with(OwnAnimation(frames: OwnFrames(image: image), data: nil))
        cache.storeInMemory(playable, for: key)
        #expect(await cache.query(key, options: .matchAnimatedImageClass, context: context).image === playable)
    }

    @Test("CA-42c CA-42e a picture with a playable form is written as an animation: in its own format, else as GIF")
    func CA_42ce_animations() async throws {
        let cache = cache()
        let coder = FramesCoder()
        var context = immediate
        context.imageCoder = coder
        for format in [nil, .gif, .webP] as [ImageFormat?] {
            let image = DecodedImage(pixels: image.pixels, attributes: .init(format: format, frameCount: 2))
            let playable = image.with(OwnAnimation(frames: OwnFrames(image: image), data: nil))
            try await cache.store(playable, for: key, context: context)
            #expect(cache.diskData(for: key)?.data == Data("2 frames of \(format ?? .gif)".utf8))
        }
    }

    @Test("CA-42f CA-43b the memory and the disk layer that the configuration makes are used")
    func CA_42f_CA_43b_layers() async throws {
        let cache = cache {
            $0.makeMemoryCache = { _ in OwnMemory() }
            $0.makeDiskCache = { DiskCache(folder: $0 + "/own", configuration: $1, wallClock: $2) }
        }
        #expect(cache.memory is OwnMemory && cache.disk.folder == folder.path + "/test/own")
        try await cache.store(image, data: body, for: key, context: immediate)
        #expect(await cache.query(key).image === image)
        #expect(folder.names("test/own").count == 1)
    }

    @Test("CA-47 extended data: kept beside the picture, read back equal, removed by nil")
    func CA_47_extendedData() async throws {
        let cache = cache()
        var attributes = image.attributes
        attributes.extendedData = Data([1, 2])
        let extended = image.with(attributes)
        try await cache.store(extended, data: body, for: key, context: immediate)
        cache.clearMemory()
        #expect(await cache.query(key).image?.attributes.extendedData == Data([1, 2]))
        #expect(cache.diskData(for: key)?.metadata.extendedData == Data([1, 2]))
        _ = await withCheckedContinuation { done in
            cache.setMetadata(DiskMetadata(), for: key) { done.resume(returning: $0) }
        }
        cache.clearMemory()
        #expect(await cache.query(key).image?.attributes.extendedData == nil)
    }

    @Test("CA-48 a query calls back on the context's queue", .timeLimit(.minutes(20)))
    func CA_48_callbackQueue() async throws {
        let cache = cache()
        try await cache.storeData(body, for: key)
        let queue = DispatchQueue(label: "CA-48")
        let label = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: label, value: true)
        let context = LoadContext(callbackQueue: CallbackQueue(queue))
        for _ in ["disk", "memory"] {
            let isThere = await withCheckedContinuation { done in
                _ = cache.query(key, context: context) { _ in
                    done.resume(returning: DispatchQueue.getSpecific(key: label) == true)
                }
            }
            #expect(isThere)
        }
    }

    @Test func aMissIsTypeNone() async {
        let cache = cache()
        #expect(await cache.query(key).type == .none)
        for type in [CacheType.none, .memory] {
            let told = Mutex<CacheType?>(nil)
            let token = cache.query(key, context: immediate, from: type) { answer in told.withLock { $0 = answer.type }
            }
            #expect(token == nil && told.withLock { $0 } == CacheType.none)
        }
    }

    @Test func bytesThatAreNoPictureAreHandedOutAsBytes() async throws {
        let cache = cache()
        coder.script(Data("bad".utf8), .failure(ImageError(.badImageData, .decode, "bad")))
        try await cache.storeData(Data("bad".utf8), for: key)
        let found = await cache.query(key)
        #expect(found.image == nil && found.data == Data("bad".utf8) && found.type == .disk)
    }

    @Test func synchronousOptionsAnswerBeforeTheyReturn() async throws {
        let cache = cache()
        try await cache.storeData(body, for: key)
        let answers = Mutex<[CacheQueryResult]>([])
        let note = { @Sendable (answer: CacheQueryResult) in answers.withLock { $0.append(answer) } }
        #expect(cache.query(key, options: .queryDiskDataSync, context: immediate, completion: note) == nil)
        #expect(answers.withLock { $0.map(\.type) } == [.disk])
        let both: LoadOptions = [.queryMemoryData, .queryMemoryDataSync]
        #expect(cache.query(key, options: both, context: immediate, completion: note) == nil)
        #expect(answers.withLock { $0.last?.type } == .memory && answers.withLock { $0.last?.data } == body)
        let later = await cache.query(key, options: .queryMemoryData)
        #expect(later.image === image && later.data == body && later.type == .memory)
    }

    @Test func aThumbnailGoesToMemoryUnderItsOwnKey() async throws {
        let cache = cache()
        try await cache.storeData(body, for: key)
        var context = immediate
        context.thumbnailPixelSize = ImageSize(4, 4)
        let found = await cache.query(key, context: context)
        #expect(found.image?.pixelSize == PixelSize(4, 4))
        #expect(cache.imageFromMemory(for: key) == nil)
        let fragment = CacheKey.thumbnailFragment(size: ImageSize(4, 4), preservesAspectRatio: true)
        #expect(cache.imageFromMemory(for: key.appending(fragment)) === found.image)
        cache.clearMemory()
        context.storeCacheType = .disk
        _ = await cache.query(key, context: context)
        #expect(cache.memory.count == 0)
    }

    @Test func queriesForOneKeyDecodeOnce() async throws {
        let cache = cache()
        try await cache.storeData(body, for: key)
        let gate = Gate()
        coder.hold(at: gate)
        async let first = cache.query(key)
        await gate.waitForArrivals(1)
        let answers = Mutex<[DecodedImage?]>([])
        let answered = Gate()
        for _ in 0..<10 {
            cache.query(key, context: immediate) { answer in
                let count = answers.withLock { answers in
                    answers.append(answer.image)
                    return answers.count
                }
                if count == 10 { answered.open() }
            }
        }
        gate.open()
        #expect(await first.image === image)
        await answered.wait()
        #expect(answers.withLock { $0.count { $0 === image } } == 10 && coder.decodes.count == 1)
    }

    @Test func memoryMayBeSwitchedOff() async throws {
        let cache = cache { $0.cachesImagesInMemory = false }
        try await cache.store(image, data: body, for: key, context: immediate)
        #expect(cache.imageFromMemory(for: key) == nil)
        #expect(await cache.query(key).type == .disk)
        #expect(cache.memory.count == 0)
        cache.configuration.cachesImagesInMemory = true
        _ = await cache.query(key)
        #expect(cache.imageFromMemory(for: key) === image)
    }

    @Test func theAdditionalPathIsReadAndNeverWritten() async throws {
        let cache = cache()
        let bundled = folder.url.appending(path: "bundled.png")
        try body.write(to: bundled)
        cache.additionalCachePath = { [key] in $0 == key ? bundled.path : nil }
        #expect(cache.diskData(for: key)?.data == body)
        #expect(await cache.data(for: key)?.data == body)
        #expect(await cache.data(for: CacheKey("other")) == nil)
        await cache.clear()
        #expect(try Data(contentsOf: bundled) == body && cache.totalDiskCount == 0)
    }
}
