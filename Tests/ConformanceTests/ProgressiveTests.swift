import Foundation
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
