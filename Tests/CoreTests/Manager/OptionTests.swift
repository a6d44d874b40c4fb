import Foundation
import Testing
import WebImageCore
import WebImagePixels
import WebImageTesting

@Suite("Each option does what it says")
struct OptionTests {
    private let animated = DecodedImage(
        pixels: PixelBuffer(size: PixelSize(4, 4))!, attributes: .init(format: .gif, frameCount: 3))
    private let vector: DecodedImage = {
        var attributes = DecodedImage.Attributes(format: .svg)
        attributes.isVector = true
        return DecodedImage(pixels: PixelBuffer(size: PixelSize(4, 4))!, attributes: attributes)
    }()

    private func harness(_ image: DecodedImage) -> ManagerHarness {
        let harness = ManagerHarness()
        harness.scriptNetwork()
        harness.coder.script(ManagerHarness.bytes, .success(image))
        return harness
    }

    @Test("transformAnimatedImage: without it an animation stays as it is, under its own key; with it not")
    func transformAnimatedImage() async throws {
        let harness = harness(animated)
        let transformer = CountingTransformer()
        let plain = try await harness.manager.image(
            for: harness.request([.waitStoreCache]) { $0.transformer = transformer })
        #expect(plain.image === animated && transformer.count == 0)
        #expect(plain.data == ManagerHarness.bytes)
        #expect(harness.cache.memory.keys.map(\.text) == [harness.key.text])

        let recorder = Recorder()
        harness.manager.load(
            harness.request { $0.transformer = transformer }, completion: { recorder.complete($0) })
        #expect(recorder.result?.image === animated && recorder.result?.source == .memory)

        let transformed = try await harness.manager.image(
            for: harness.request([.transformAnimatedImage, .waitStoreCache]) { $0.transformer = transformer })
        #expect(transformer.count == 1 && transformed.image.attributes.isTransformed)
        #expect(transformed.image.attributes.frameCount == 3)
    }

    @Test("transformVectorImage: shapes are transformed with it and left without it")
    func transformVectorImage() async throws {
        let harness = harness(vector)
        let transformer = CountingTransformer()
        let plain = try await harness.manager.image(for: harness.request { $0.transformer = transformer })
        #expect(plain.image === vector && transformer.count == 0)
        let transformed = try await harness.manager.image(
            for: harness.request(.transformVectorImage) { $0.transformer = transformer })
        #expect(transformed.image.attributes.isTransformed && transformer.count == 1)
    }

    @Test("decodeFirstFrameOnly: the coder is told, the key differs, and a whole animation in memory gives its poster")
    func firstFrameOnly() async throws {
        let harness = harness(animated)
        _ = try await harness.manager.image(for: harness.request([.decodeFirstFrameOnly, .waitStoreCache]))
        #expect(harness.coder.decodes.map(\.firstFrameOnly) == [true])
        #expect(harness.cache.memory.keys.map(\.text) == [harness.key.appending("FirstFrame(1)").text])

        let other = self.harness(animated)
        other.cache.storeInMemory(animated, for: other.key)
        let poster = try await other.manager.image(for: other.request(.decodeFirstFrameOnly))
        #expect(poster.source == .memory && poster.image !== animated && !poster.image.isAnimated)
    }

    @Test("scaleDownLargeImages: the budget reaches the coder and the key; the context's goes before the default")
    func scaleDown() async throws {
        let harness = harness(animated)
        _ = try await harness.manager.image(for: harness.request([.scaleDownLargeImages, .waitStoreCache]))
        _ = try await harness.manager.image(
            for: harness.request([.scaleDownLargeImages, .waitStoreCache]) { $0.scaleDownByteLimit = 4_000_000 })
        #expect(harness.coder.decodes.map(\.scaleDownByteLimit) == [60 << 20, 4_000_000])
        let keys = Set(harness.cache.memory.keys.map(\.text))
        #expect(keys == [harness.key.text + "-ScaleDown(62914560)", harness.key.text + "-ScaleDown(4000000)"])
    }

    @Test("queryMemoryData: a memory hit waits for the file's bytes; without it there are none")
    func queryMemoryData() async throws {
        let harness = harness(animated)
        harness.cache.storeInMemory(harness.image, for: harness.key)
        harness.cache.disk[harness.key] = CachedData(data: ManagerHarness.bytes)
        let plain = try await harness.manager.image(for: harness.request())
        #expect(plain.data == nil)
        let result = try await harness.manager.image(for: harness.request(.queryMemoryData))
        #expect(result.image === harness.image && result.data == ManagerHarness.bytes && result.source == .memory)
    }

    @Test("queryMemoryDataSync: the bytes are there before the call returns")
    func queryMemoryDataSync() {
        let harness = harness(animated)
        harness.cache.storeInMemory(harness.image, for: harness.key)
        harness.cache.disk[harness.key] = CachedData(data: ManagerHarness.bytes)
        let recorder = Recorder()
        harness.manager.load(harness.request(.queryMemoryDataSync), completion: { recorder.complete($0) })
        #expect(recorder.result?.data == ManagerHarness.bytes)
    }

    @Test("queryDiskDataSync: a picture on disk is delivered before the call returns, and is in memory then")
    func queryDiskDataSync() {
        let harness = harness(animated)
        harness.cache.disk[harness.key] = CachedData(data: ManagerHarness.bytes)
        let recorder = Recorder()
        harness.manager.load(harness.request(.queryDiskDataSync), completion: { recorder.complete($0) })
        #expect(recorder.result?.image === animated && recorder.result?.source == .disk)
        #expect(harness.cache.memory[harness.key] === animated)
    }

    @Test("avoidDecodeImage and the policy never: the pixels wait until they are asked for; always wins over the flag")
    func avoidDecodeImage() async throws {
        let harness = harness(animated)
        _ = try await harness.manager.image(for: harness.request([.avoidDecodeImage, .fromLoaderOnly]))
        _ = try await harness.manager.image(for: harness.request(.fromLoaderOnly) { $0.forceDecodePolicy = .never })
        _ = try await harness.manager.image(
            for: harness.request([.avoidDecodeImage, .fromLoaderOnly]) { $0.forceDecodePolicy = .always })
        _ = try await harness.manager.image(for: harness.request(.fromLoaderOnly))
        #expect(harness.coder.decodes.map(\.usesLazyDecoding) == [true, true, false, false])
    }
}
