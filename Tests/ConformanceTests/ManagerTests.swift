import Dispatch
import Foundation
import Testing
import WebImage
import WebImageTesting

/// What SDWebImage's manager tests assert, and the field's cases of the manager, with the real parts.
@Suite("The manager with the real parts", .timeLimit(.minutes(10)))
struct ManagerTests {
    /// A picture of 80×60 with data of its own, whatever it is given.
    private struct Replacing: ImageTransformer {
        let key = "Replacing(1)"

        func transform(_ image: DecodedImage) throws(ImageError) -> DecodedImage {
            var attributes = DecodedImage.Attributes()
            attributes.extendedData = Data("of the transformer".utf8)
            return DecodedImage(pixels: PixelBuffer(size: PixelSize(80, 60))!, attributes: attributes)
        }
    }

    @Test("MA-08 a transformed picture: marked, format and extended data of its source, encoded no larger than asked")
    func MA_08_transformed() async throws {
        let harness = try RealHarness()
        try harness.serve("base.jpg")
        var request = harness.request("/f/base.jpg")
        request.context.transformer = Replacing()
        request.context.encodeOptions.maxPixelSize = ImageSize(40, 30)
        let image = try await harness.manager.image(for: request).image
        #expect(image.pixelSize == PixelSize(80, 60) && image.attributes.isTransformed)
        #expect(image.attributes.format == .jpeg && image.attributes.extendedData == nil)
        let key = try #require(harness.manager.cacheKey(for: request))
        let stored = try #require(harness.cache.diskData(for: key)?.data)
        #expect(try CodersManager([.png, .jpeg]).decode(stored).pixelSize == PixelSize(40, 30))
    }

    @Test("MA-13b a picture scaled down and not force-decoded stands as its EXIF orientation says")
    func MA_13b_orientation() async throws {
        let harness = try RealHarness()
        try harness.serve("exif_2.jpg")
        let whole = try CodersManager([.jpeg]).decode(fixture("exif_2.jpg"))
        var request = harness.request("/f/exif_2.jpg", .scaleDownLargeImages)
        request.context.scaleDownByteLimit = whole.pixels.byteCount / 4
        request.context.forceDecodePolicy = .never
        let image = try await harness.manager.image(for: request).image
        #expect(image.pixelSize == PixelSize(whole.pixelSize.width / 2, whole.pixelSize.height / 2))
        let (small, large) = (image.pixels, whole.pixels)
        for (x, y) in [(0, 0), (small.width - 1, 0), (0, small.height - 1), (small.width - 1, small.height - 1)] {
            let scaled = try #require(small.color(x: x, y: y))
            let full = try #require(large.color(x: x * 2, y: y * 2))
            #expect(abs(Int(scaled.red) - Int(full.red)) < 40 && abs(Int(scaled.blue) - Int(full.blue)) < 40)
        }
    }

    @Test("MA-19 ten thumbnails of one URL each have their own size, and no bytes")
    func MA_19_thumbnails() async throws {
        let harness = try RealHarness()
        let results = try await withThrowingTaskGroup(of: (Int, LoadResult).self) { group in
            for side in 10..<20 {
                var request = harness.request("/img")
                request.context.thumbnailPixelSize = ImageSize(Double(side), Double(side))
                group.addTask { [request] in (side, try await harness.manager.image(for: request)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count == 10)
        for (side, result) in results {
            #expect(result.image.pixelSize == PixelSize(side, side))
            #expect(result.data == nil && result.source != .memory && result.image.attributes.isThumbnail)
        }
    }

    @Test("MA-22 a picture with a profile is decoded before the completion, its colours those of the screen")
    func MA_22_profile() async throws {
        let harness = try RealHarness()
        try harness.serve("icc_swapped.png")
        var raw = DecodeOptions()
        raw.colorConversion = .none
        let file = try #require(
            try CodersManager([.png]).decode(fixture("icc_swapped.png"), options: raw).pixels.color(x: 4, y: 4))
        let image = try await harness.load("/f/icc_swapped.png").image
        #expect(image.isDecoded)
        let shown = try #require(image.pixels.color(x: 4, y: 4))
        #expect(abs(Int(shown.red) - Int(file.green)) <= 2 && abs(Int(shown.green) - Int(file.red)) <= 2)
        #expect(shown.red != file.red)
    }

    @Test("CO-10 decoded lazily: the load returns the picture with its size and without its pixels")
    func CO_10_lazy() async throws {
        let harness = try RealHarness()
        try harness.serve("base.jpg")
        let lazy = try await harness.load("/f/base.jpg", .avoidDecodeImage).image
        #expect(!lazy.isDecoded && lazy.pixelSize == PixelSize(64, 64))
        #expect(lazy.pixels.size == PixelSize(64, 64) && lazy.isDecoded)
        let eager = try await harness.load("/f/base.jpg", [.fromLoaderOnly]).image
        #expect(eager.isDecoded)
        #expect(eager.pixels.color(x: 3, y: 3) == lazy.pixels.color(x: 3, y: 3))
    }

    private static let spellings = [
        ("/ü b.png", "/%C3%BC%20b.png"), ("/%C3%BC%20b.png", "/%C3%BC%20b.png"), ("/a%2520b.png", "/a%2520b.png"),
        ("/x%2Fy.png", "/x%2Fy.png"), ("/a+b.png", "/a+b.png"), ("/p.png?q=é&r=1|2", "/p.png?q=%C3%A9&r=1%7C2"),
        ("/p.png#frag", "/p.png"),
    ]

    @Test("B15 each spelling of a URL goes out as it should, and no two targets share an entry", arguments: spellings)
    func B15_spelling(_ spelling: String, _ target: String) async throws {
        let harness = try RealHarness()
        harness.server.script("\(target.prefix { $0 != "?" })", .picture())
        let base = harness.server.url("/").absoluteString.dropLast()
        let url = try #require(URL(string: base + spelling))
        var request = harness.request("/")
        request.url = url
        #expect(try await harness.manager.image(for: request).image.pixelSize == PixelSize(64, 64))
        #expect(harness.server.requests.map(\.target) == [target])
    }

    @Test("B15 odd URLs: one end each, and no two targets have one key")
    func B15_oddURLs() async throws {
        let harness = try RealHarness()
        let base = harness.server.url("/").absoluteString.dropLast()
        let long = "/" + String(repeating: "x", count: 5000) + ".png"
        harness.server.script(long, .picture())
        harness.server.script("/a%zz.png", .status(404))
        harness.server.script("/a%25zz.png", .status(404))
        harness.server.script("/img%20", .status(404))
        let texts = [base + long, base + "/a%zz.png", base + "/img ", "HTTP://LOCALHOST:\(harness.server.port)/img"]
        for text in texts + ["", " ", "http://", "http:///x.png", "::", "no scheme", "webp://h/a", "http://[::1"] {
            let recorder = LoadRecorder()
            var request = harness.request("/")
            request.url = URL(string: String(text))
            harness.manager.load(request, completion: recorder.record)
            await recorder.ended.wait()
            #expect(recorder.count == 1, "\(text.prefix(40))")
        }
        #expect(harness.server.requests(to: long).count == 1)
        let keys = Self.spellings.map { spelling, _ in
            harness.manager.cacheKey(for: ImageRequest(URL(string: base + spelling)))?.text
        }
        // Two spellings of one target are all that may be one.
        #expect(Set(keys).count >= Self.spellings.count - 1)
    }

    /// Sixty-four loads, each of which asks, loads, cancels and clears from inside its completion.
    @Test("B21 completions that ask the cache, load, cancel and clear: all end, on their queue")
    func B21_insideCompletions() async throws {
        let harness = try RealHarness()
        let queue = DispatchQueue(label: "completions")
        let recorders = (0..<128).map { _ in LoadRecorder() }
        for index in 0..<64 {
            var request = harness.request("/img?\(index)")
            request.context.callbackQueue = CallbackQueue(queue)
            let third = harness.manager.load(harness.request("/x.jpg?\(index)")) { _ in }
            harness.manager.load(request) { [request] result in
                dispatchPrecondition(condition: .onQueue(queue))
                let key = CacheKey(request.url!.absoluteString)
                _ = harness.cache.diskDataExists(for: key)
                _ = harness.cache.imageFromMemory(for: key)
                harness.manager.load(request) { result in
                    dispatchPrecondition(condition: .onQueue(queue))
                    recorders[64 + index].record(result)
                }
                third.cancel()
                if index == 32 { harness.cache.clearDisk {} }
                recorders[index].record(result)
            }
        }
        for recorder in recorders { await recorder.ended.wait() }
        #expect(recorders.allSatisfy { $0.count == 1 && $0.successes.count == 1 })
    }
}
