import Dispatch
import Foundation
import Synchronization
import Testing
import WebImagePixels
import WebImageTesting

@testable import WebImageCore

@Suite("What a cache's queries and stores take from options and context", .timeLimit(.minutes(10)))
struct CacheChoiceTests {
    private let folder = try! CacheTestFolder()
    private let key = CacheKey("https://h/a.png")
    private let body = Data("body".utf8)
    private let image = cacheTestImage(8, 8)
    private let coder = FakeCoder()
    private let cache: ImageCache

    init() {
        var configuration = ImageCacheConfiguration()
        configuration.memoryPressureSource = nil
        coder.script(body, .success(image))
        cache = ImageCache(
            namespace: "test", directory: folder.url, configuration: configuration, coder: coder, clock: ManualClock())
    }

    private func context(_ change: (inout LoadContext) -> Void = { _ in }) -> LoadContext {
        var context = LoadContext(callbackQueue: .immediate)
        change(&context)
        return context
    }

    @Test("Queries that want another form, or nothing in memory, decode for themselves", arguments: 0..<4)
    func ownDecodes(_ place: Int) async throws {
        let gate = Gate()
        coder.hold(at: gate)
        try await cache.storeData(body, for: key)
        let other = context { context in
            switch place {
            case 0: context.storeCacheType = .disk
            case 1: context.imageCoder = coder
            case 2: context.animatedImageClass = OwnAnimation.self
            default: context.decodeOptions.colorConversion = .none
            }
        }
        let answers = Mutex(0)
        let ended = Gate()
        for context in [context(), other] {
            cache.query(key, context: context, from: .disk) { _ in
                if answers.withLock({ count in
                    count += 1
                    return count == 2
                }) {
                    ended.open()
                }
            }
        }
        await gate.waitForArrivals(2)
        gate.open()
        await ended.wait()
        #expect(coder.decodes.count == 2)
    }

    @Test("queryMemoryDataSync: the bytes of a picture in memory are there before the call returns")
    func memoryDataAtOnce() async throws {
        try await cache.store(image, data: body, for: key, context: context())
        let found = Mutex<CacheQueryResult?>(nil)
        let token = cache.query(key, options: .queryMemoryDataSync, context: context()) { result in
            found.withLock { $0 = result }
        }
        #expect(token == nil && found.withLock { $0?.data } == body && found.withLock { $0?.type } == .memory)
    }

    private actor Listener {
        private(set) var errors: [ImageError?] = []

        func hear(_ error: ImageError?) { errors.append(error) }
    }

    @Test("A store calls back on the context's queue, with the disk and without", arguments: [CacheType.all, .memory])
    func storeQueue(_ type: CacheType) async {
        let listener = Listener()
        let ended = Gate()
        cache.store(image, data: body, for: key, to: type, context: context { $0.callbackQueue = .actor(listener) }) {
            error in
            listener.assumeIsolated { $0.hear(error) }
            ended.open()
        }
        await ended.wait()
        #expect(await listener.errors.count == 1)
    }

    @Test("A store encodes with the context's encode options")
    func encodeOptions() async throws {
        let animation = image.with(OwnAnimation(frames: OwnFrames(image: image), data: nil))
        let whole = context { $0.imageCoder = FramesCoder() }
        try await cache.store(animation, for: key, context: whole)
        #expect(cache.diskData(for: key)?.data == Data("2 frames of gif".utf8))
        let first = context { context in
            context.imageCoder = coder
            context.encodeOptions.firstFrameOnly = true
        }
        try await cache.store(animation, for: "first", context: first)
        #expect(coder.encodes.count == 1)
        let noted = NotingCoder(image: image)
        let noting = context { context in
            context.imageCoder = noted
            context.encodeOptions.quality = 0.25
        }
        try await cache.store(image, for: "quality", context: noting)
        #expect(noted.qualities.withLock { $0 } == [0.25])
    }
}
