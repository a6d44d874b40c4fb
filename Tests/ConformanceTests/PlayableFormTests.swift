import Foundation
import Synchronization
import Testing
import WebImageAllFormats
import WebImageTesting

/// A playable form that counts how often all of its frames were decoded in advance.
private final class Film: AnimatedImageRepresentation {
    private let frames: any FrameSource
    private let preloads = Atomic(0)
    let file: Data?

    init(frames: any FrameSource, data: Data?) {
        self.frames = frames
        file = data
    }

    func preloadAllFrames() throws(ImageError) {
        preloads.add(1, ordering: .relaxed)
        for index in 0..<frameCount { _ = try frame(at: index) }
    }

    var preloadCount: Int { preloads.load(ordering: .relaxed) }
    var memoryCost: Int { 1000 }
    var frameCount: Int { frames.frameCount }
    var loopCount: Int { frames.loopCount }
    var durations: [Duration] { frames.durations }
    func frame(at index: Int) throws(ImageError) -> DecodedImage { try frames.frame(at: index) }
}

@Suite("The playable form of a load: animatedImageClass and the flags about it")
struct PlayableFormTests {
    private let harness: RealHarness

    init() throws {
        harness = try RealHarness()
        for name in ["gif_loop2.gif", "base.jpg"] { try harness.serve(name) }
    }

    private func load(
        _ name: String, _ options: LoadOptions = [], with manager: ImageManager? = nil,
        _ change: (inout LoadContext) -> Void = { _ in }
    ) async throws -> LoadResult {
        var request = harness.request("/f/\(name)", options)
        request.context.animatedImageClass = Film.self
        change(&request.context)
        return try await (manager ?? harness.manager).image(for: request)
    }

    private static func colors(_ image: DecodedImage) -> [PixelColor] {
        let size = image.pixelSize
        return (0..<size.width * size.height).compactMap {
            image.pixels.color(x: $0 % size.width, y: $0 / size.width)
        }
    }

    @Test("It comes from network, memory and disk, with the file's frames; without the key there is none")
    func sources() async throws {
        let data = try fixture("gif_loop2.gif")
        let frames = try CodersManager([.gif]).frames(of: data, options: DecodeOptions())
        let managers = [harness.manager, harness.manager, harness.restarted()]
        for (manager, source) in zip(managers, [LoadSource.network, .memory, .disk]) {
            let result = try await load("gif_loop2.gif", with: manager)
            let film = try #require(result.image.animation as? Film)
            #expect(result.source == source && film.file == data && film.preloadCount == 0)
            #expect(film.frameCount == frames.frameCount && film.durations == frames.durations)
            let last = frames.frameCount - 1
            #expect(try Self.colors(film.frame(at: last)) == Self.colors(frames.frame(at: last)))
            #expect(result.image.memoryCost == result.image.pixels.byteCount + 1000)
        }
        let still = try await load("gif_loop2.gif", with: harness.restarted()) { $0.animatedImageClass = nil }
        #expect(still.image.animation == nil && still.image.isAnimated)
        #expect(try await load("gif_loop2.gif", .decodeFirstFrameOnly).image.animation == nil)
        // A still picture is a film of one frame.
        #expect((try await load("base.jpg").image.animation as? Film)?.frameCount == 1)
    }

    @Test("preloadAllFrames decodes them before the completion, whatever the source; a damaged one is an error")
    func preloadAllFrames() async throws {
        for manager in [harness.manager, harness.restarted()] {
            let result = try await load("gif_loop2.gif", .preloadAllFrames, with: manager)
            #expect((result.image.animation as? Film)?.preloadCount == 1)
        }
        harness.server.script("/cut.gif", .body(try fixture("gif_loop2.gif").dropLast(4)))
        var request = harness.request("/cut.gif", .preloadAllFrames)
        request.context.animatedImageClass = Film.self
        await #expect { try await harness.manager.image(for: request) } throws: {
            ($0 as? ImageError)?.code == .badImageData
        }
    }

    @Test("B34 frames that are too large together are not kept: from the network an error, from a cache a miss")
    func B34_totalFrameBytes() async throws {
        let data = try fixture("gif_loop2.gif")
        let probe = try CodersManager([.gif]).probe(data)
        let total = probe.size.width * probe.size.height * 4 * probe.frameCount
        func load(_ limit: Int, _ options: LoadOptions) async throws -> LoadResult {
            try await self.load("gif_loop2.gif", options, with: harness.restarted()) {
                $0.decodeLimits.maxTotalFrameByteCount = limit
            }
        }
        #expect((try await load(total, .preloadAllFrames).image.animation as? Film)?.preloadCount == 1)
        await #expect { try await load(total - 1, [.preloadAllFrames, .fromLoaderOnly]) } throws: {
            let error = $0 as? ImageError
            return error?.code == .limitExceeded && error?.message.contains("maxTotalFrameByteCount") == true
        }
        await #expect { try await load(total - 1, [.preloadAllFrames, .fromCacheOnly]) } throws: { $0 is ImageError }
        #expect(try await load(total - 1, []).image.animation is Film)
    }

    @Test("matchAnimatedImageClass takes nothing else: from the network an error, from a cache a miss")
    func matchAnimatedImageClass() async throws {
        harness.server.script(
            "/a.svg", .body(Data("<svg xmlns='http://www.w3.org/2000/svg' width='4' height='2'/>".utf8)))
        let coder = CodersManager([.svg, .gif])
        func load(_ path: String, _ options: LoadOptions) async throws -> LoadResult {
            var request = harness.request(path, options)
            request.context.animatedImageClass = Film.self
            request.context.imageCoder = coder
            return try await harness.manager.image(for: request)
        }
        #expect(try await load("/f/gif_loop2.gif", .matchAnimatedImageClass).image.animation is Film)
        // Shapes have no frames.
        #expect(try await load("/a.svg", []).image.animation == nil)
        for (options, code) in [
            (LoadOptions.matchAnimatedImageClass, ImageError.Code.badImageData),
            ([.matchAnimatedImageClass, .fromCacheOnly], .notInCache),
        ] {
            await #expect { try await load("/a.svg", options) } throws: { ($0 as? ImageError)?.code == code }
        }
        // Nothing is wrong with the file: it is still on disk, and its URL is not blocked.
        #expect(harness.cache.diskData(for: CacheKey(harness.server.url("/a.svg").absoluteString)) != nil)
        #expect(harness.manager.failure(of: harness.server.url("/a.svg")) == nil)
        #expect(try await load("/a.svg", [.matchAnimatedImageClass, .decodeFirstFrameOnly]).image.animation == nil)
    }

    @Test("A transformed animation plays transformed; it is of no file then, and of the one on disk after a restart")
    func transformed() async throws {
        for manager in [harness.manager, harness.restarted()] {
            let result = try await load("gif_loop2.gif", .transformAnimatedImage, with: manager) {
                $0.transformer = .resizing(to: ImageSize(5, 3))
            }
            let film = try #require(result.image.animation as? Film)
            #expect(film.frameCount == result.image.attributes.frameCount && film.frameCount > 1)
            #expect(try film.frame(at: 1).pixelSize == PixelSize(5, 3))
        }
    }
}
