import Foundation
import Synchronization
import Testing
import WebImage
import WebImageTesting

@Suite("Progressive loading through real parts", .timeLimit(.minutes(10)))
struct ProgressiveTests {
    /// The events of a load. How many partial pictures come is for the coders, and the clock, to say.
    private func events(
        _ harness: RealHarness, _ data: Data, context: LoadContext = LoadContext()
    ) async throws -> (partial: [DecodedImage], result: LoadResult) {
        harness.server.script("/p", .body(data).held(by: Gate(isOpen: true), after: data.count / 2))
        var request = harness.request("/p", .progressiveLoad)
        request.context = context
        var partial: [DecodedImage] = []
        for await event in harness.manager.events(for: request) {
            if case .partial(let picture) = event { partial.append(picture) }
            if case .finished(let result) = event { return (partial, result) }
            if case .failed(let error) = event { throw error }
        }
        throw ImageError.cancelled(.load)
    }

    @Test("DL-09 a progressive JPEG may show before its end, then comes whole")
    func DL_09_jpeg() async throws {
        let harness = try RealHarness()
        let data = try fixture("progressive.jpg")
        let (partial, result) = try await events(harness, data)
        #expect(partial.allSatisfy { $0.attributes.isIncremental })
        #expect(partial.allSatisfy { $0.pixelSize == result.image.pixelSize })
        #expect(!result.image.attributes.isIncremental && result.data == data)
        // What was shown on the way is in no cache.
        harness.cache.clearMemory()
        let again = try await harness.load("/p")
        #expect(again.source == .disk && !again.image.attributes.isIncremental && again.data == data)
    }

    @Test("DL-18 a GIF that may show on the way ends with picture and bytes")
    func DL_18_gif() async throws {
        let data = try fixture("gif_delays.gif")
        let (partial, result) = try await events(RealHarness(), data)
        #expect(partial.allSatisfy { $0.attributes.isIncremental } && result.data == data && result.image.isAnimated)
    }

    @Test("DL-19 an APNG that may show on the way ends with picture and bytes")
    func DL_19_apng() async throws {
        let data = try fixture("apng_hidden.png")
        let (partial, result) = try await events(RealHarness(), data)
        #expect(partial.allSatisfy { $0.attributes.isIncremental } && result.data == data && result.image.isAnimated)
    }

    @Test("DL-28 all partial pictures of one animated download come from one decoder")
    func DL_28_oneDecoder() async throws {
        let harness = try RealHarness()
        let data = try fixture("gif_delays.gif")
        let gate = Gate()
        defer { gate.open() }
        harness.server.script("/p", .body(data).held(by: gate, after: data.count - 4))
        let coder = WatchedCoder(.gif)
        let manager = ImageManager(cache: harness.cache, loader: harness.downloader, coder: CodersManager([coder]))
        var partialCount = 0
        for await event in manager.events(for: harness.request("/p", .progressiveLoad)) {
            if case .failed(let error) = event { throw error }
            guard case .partial = event else { continue }
            partialCount += 1
            gate.open()
        }
        #expect(partialCount > 0)
        // One decoder, which saw each byte once and in order.
        #expect(coder.decoders.withLock { $0.count } == 1)
        let seen = coder.decoders.withLock { $0.first?.bytes.withLock { $0 } } ?? Data()
        #expect(seen.count >= data.count - 4 && seen == data.prefix(seen.count))
    }

    @Test("MA-13a within a byte budget, or as a thumbnail, partial pictures have the result's size")
    func MA_13a_budget() async throws {
        var budget = LoadContext()
        budget.scaleDownByteLimit = 32 * 32 * 4
        let thumbnail = LoadContext(thumbnailPixelSize: ImageSize(32, 32))
        for context in [budget, thumbnail] {
            let (partial, result) = try await events(RealHarness(), TestPictures.red, context: context)
            #expect(result.image.pixelSize == PixelSize(32, 32) && !result.image.attributes.isIncremental)
            #expect(partial.allSatisfy { $0.pixelSize == PixelSize(32, 32) && $0.attributes.isIncremental })
        }
    }

    @Test("A transformed load shows transformed partial pictures")
    func transformed() async throws {
        var context = LoadContext(transformer: .resizing(to: ImageSize(16, 8), mode: .fill))
        context.callbackQueue = .immediate
        let (partial, result) = try await events(RealHarness(), TestPictures.red, context: context)
        #expect(result.image.pixelSize == PixelSize(16, 8) && !result.image.attributes.isIncremental)
        #expect(partial.allSatisfy { $0.pixelSize == PixelSize(16, 8) && $0.attributes.isIncremental })
    }
}

/// Another coder, and the decoders it was asked for.
private final class WatchedCoder<Inner: ProgressiveImageCoder>: ProgressiveImageCoder {
    private let inner: Inner
    let decoders = Mutex<[WatchedDecoder]>([])

    init(_ inner: Inner) {
        self.inner = inner
    }

    func canDecode(_ data: Data) -> Bool { inner.canDecode(data) }

    func probe(_ data: Data) throws(ImageError) -> ImageProbe { try inner.probe(data) }

    func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage { try inner.decode(data, options: options, monitor: monitor) }

    func incrementalDecoder(options: DecodeOptions) -> any IncrementalDecoder {
        let decoder = WatchedDecoder(inner.incrementalDecoder(options: options))
        decoders.withLock { $0.append(decoder) }
        return decoder
    }
}

private final class WatchedDecoder: IncrementalDecoder {
    private let inner: any IncrementalDecoder
    let bytes = Mutex(Data())

    init(_ inner: any IncrementalDecoder) {
        self.inner = inner
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        self.bytes.withLock { $0.append(contentsOf: bytes) }
        try inner.append(bytes)
    }

    func partialImage() throws(ImageError) -> DecodedImage? { try inner.partialImage() }

    func finish() throws(ImageError) -> DecodedImage { try inner.finish() }
}
