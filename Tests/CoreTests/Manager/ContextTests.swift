import Foundation
import Synchronization
import Testing
import WebImagePixels
import WebImageTesting

@testable import WebImageCore

@Suite("The context's keys")
struct ContextTests {
    @Test("MA-10 the serializer's bytes are what lies on disk")
    func MA_10_serializer() async throws {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        let seen = Mutex<[Data?]>([])
        let result = try await harness.manager.image(
            for: harness.request([.waitStoreCache]) { context in
                context.transformer = CountingTransformer()
                context.cacheSerializer = CacheSerializer { image, data, url in
                    seen.withLock { $0.append(data) }
                    return Data("\(image.pixelSize.width) \(url.lastPathComponent)".utf8)
                }
            })
        #expect(result.storeError == nil)
        #expect(seen.withLock { $0 } == [ManagerHarness.bytes, nil])
        #expect(harness.cache.disk[harness.key]?.data == Data("102 a.png".utf8))
        #expect(harness.cache.disk[harness.key.appending("Counting(1)")]?.data == Data("10 a.png".utf8))
    }

    @Test("A serializer that gives nothing leaves the bytes as they are")
    func serializerDeclines() async throws {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        _ = try await harness.manager.image(
            for: harness.request([.waitStoreCache]) { $0.cacheSerializer = CacheSerializer { _, _, _ in nil } })
        #expect(harness.cache.disk[harness.key]?.data == ManagerHarness.bytes)
    }

    @Test("A cache for originals does not take a picture that is wanted as it is: that one is found again")
    func originalsCacheOfPlainLoad() async throws {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        let originals = FakeCache()
        originals.scriptAllMissing()
        let request = harness.request([.waitStoreCache]) { $0.originalImageCache = originals }
        _ = try await harness.manager.image(for: request)
        await harness.cache.clear(.memory)
        #expect(try await harness.manager.image(for: request).source == .disk)
        #expect(try await harness.manager.data(for: request).source == .disk)
        #expect(originals.disk.isEmpty && harness.loader.requestCount(for: harness.url) == 1)
    }

    @Test("MA-11 the options processor's answer is applied; no answer leaves all as it is")
    func MA_11_processor() async throws {
        var configuration = ImageManager.Configuration()
        configuration.optionsProcessor = OptionsProcessor { url, options, context in
            guard url?.lastPathComponent == "a.png" else { return nil }
            var context = context
            context.scaleFactor = 3
            return .init(options: options.union(.decodeFirstFrameOnly), context: context)
        }
        let harness = ManagerHarness(configuration: configuration)
        harness.scriptNetwork()
        let other = URL(string: "https://h/b.png")!
        harness.loader.script(other, .data(ManagerHarness.bytes))
        _ = try await harness.manager.image(for: harness.request([.waitStoreCache]))
        _ = try await harness.manager.image(from: other)
        #expect(harness.coder.decodes.map(\.scaleFactor) == [3, 1])
        #expect(harness.coder.decodes.map(\.firstFrameOnly) == [true, false])
    }

    @Test("MA-20 decode options of the context reach the coder, and those said one by one go before them")
    func MA_20_decodeOptions() async throws {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        _ = try await harness.manager.image(
            for: harness.request { context in
                context.decodeOptions.colorConversion = .none
                context.decodeOptions.scaleFactor = 2
                context.scaleFactor = 3
                context.typeHint = .format(.svg)
            })
        let options = try #require(harness.coder.decodes.first)
        #expect(options.colorConversion == .none && options.scaleFactor == 3 && options.typeHint == .svg)
    }

    @Test("The hint is what the URL's path ends in, unless it is switched off")
    func typeHint() async throws {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        _ = try await harness.manager.image(for: harness.request(.fromLoaderOnly))
        _ = try await harness.manager.image(for: harness.request(.fromLoaderOnly) { $0.typeHint = .none })
        #expect(harness.coder.decodes.map(\.typeHint) == [.png, nil])
    }

    @Test("Keys of one's own have a default and keep what is set")
    func openKeys() {
        enum Mood: LoadContextKey {
            static let defaultValue = "calm"
        }
        var context = LoadContext()
        #expect(context[Mood.self] == "calm")
        context[Mood.self] = "glad"
        #expect(context[Mood.self] == "glad")
    }

    @Test("Loads that differ only in later transformers share the first of the chain")
    func sharedPrefix() async throws {
        let harness = ManagerHarness()
        harness.scriptHeldNetwork()
        let first = CountingTransformer("First(1)")
        let ends = [CountingTransformer("Second(1)"), CountingTransformer("Third(1)")]
        let recorders = [Recorder(), Recorder()]
        for (end, recorder) in zip(ends, recorders) {
            harness.manager.load(
                harness.request([.waitStoreCache]) { $0.transformer = PipelineTransformer([first, end]) },
                completion: { recorder.complete($0) })
        }
        await harness.loader.waitForRequest(for: harness.url)
        while harness.manager.sources.waiterCounts != [2], !Task.isCancelled { await Task.yield() }
        harness.loader.finish(harness.url, .success(ManagerHarness.bytes))
        for recorder in recorders { await recorder.ended.wait() }
        #expect(harness.coder.decodes.count == 1 && first.count == 1)
        #expect(ends.map(\.count) == [1, 1])
    }
}
