import Foundation
import Synchronization
import Testing
import WebImage
import WebImageTesting

@Suite("What the guides show does what they say")
struct GuideTests {
    private let harness: RealHarness

    init() throws { harness = try RealHarness() }

    private func manager(_ loader: any ImageLoader, _ interceptors: [any LoadInterceptor] = []) -> ImageManager {
        var configuration = ImageManager.Configuration()
        configuration.interceptors = interceptors
        return ImageManager(cache: harness.cache, loader: loader, configuration: configuration)
    }

    private let file = Data("TINY".utf8) + Data([2, 3, 0, 50, 100, 150, 200, 250])

    @Test("Extending: the coder decodes, also smaller, and takes any bytes")
    func coder() throws {
        let coders = CodersManager([TinyGreyCoder()])
        let image = try coders.decode(file)
        #expect(image.pixelSize == PixelSize(2, 3))
        #expect(image.color(at: PixelPoint(x: 1, y: 2)) == PixelColor(250, 250, 250))
        let part = try coders.decode(file, options: DecodeOptions(thumbnailPixelSize: ImageSize(1, 1)))
        #expect(part.pixelSize == PixelSize(1, 1))
        for damaged in [file.prefix(5), file.prefix(11), Data("TINY".utf8) + Data([0, 9])] {
            #expect(throws: ImageError.self) { try coders.decode(damaged) }
        }
        #expect(throws: ImageError.self) {
            var options = DecodeOptions()
            options.limits.maxPixelCount = 5
            return try coders.decode(file, options: options)
        }
    }

    @Test("Extending: a request's own closure is called once for one id, and what it throws is told")
    func requestClosure() async throws {
        struct Broken: Error {}
        let (png, manager) = (try fixture("adam7_9x1.png"), manager(LoadersManager()))
        let request = ImageRequest(id: "cover/1", options: .waitStoreCache) { () async throws -> Data in png }
        let other = ImageRequest(id: "cover/1") { () async throws -> Data in throw Broken() }
        #expect(try await manager.image(for: request).source == .network)
        #expect(try await manager.image(for: other).source == .memory)
        let failing = ImageRequest(id: "cover/2") { () async throws -> Data in throw Broken() }
        do {
            _ = try await manager.image(for: failing)
            Issue.record("the load succeeded")
        } catch {
            #expect(error.code == .loaderFailed && error.underlying is Broken)
        }
    }

    @Test("Extending: a closure loader brings its schemes and no others, and what it throws is told")
    func closureLoader() async throws {
        struct Broken: Error {}
        let png = try fixture("adam7_9x1.png")
        let loader = ClosureLoader(schemes: ["album"]) { request in
            guard request.url?.path == "/good" else { throw Broken() }
            return LoadedData(data: png)
        }
        let manager = manager(LoadersManager([loader]))
        let result = try await manager.image(from: URL(string: "ALBUM:/good"), options: .waitStoreCache)
        #expect(result.source == .network)
        #expect(try await manager.image(from: URL(string: "ALBUM:/good")).source == .memory)
        #expect(
            await code { () async throws(ImageError) in
                try await manager.image(from: URL(string: "other:/good"))
            } == .noLoader)
        // Nothing is blocked: the second failure is the closure's too.
        for _ in 0..<2 {
            do {
                _ = try await manager.image(from: URL(string: "album:/bad"))
                Issue.record("the load succeeded")
            } catch {
                #expect(error.code == .loaderFailed)
                #expect(error.underlying is Broken)
            }
        }
    }

    @Test("Extending: a cancelled load cancels the closure's task, and ends as cancelled whatever that throws")
    func cancelledClosure() async throws {
        struct Broken: Error {}
        let (began, ended) = (Gate(), Gate())
        let loader = ClosureLoader(schemes: ["album"]) { _ in
            began.open()
            await withTaskCancellationHandler {
                await ended.wait()
            } onCancel: {
                ended.open()
            }
            throw Broken()
        }
        let stopped = Gate()
        let operation = loader.load(ImageRequest(URL(string: "album:/1"))) { _ in
        } completion: { result in
            if case .failure(let error) = result { #expect(error.isCancelled) } else { Issue.record("it succeeded") }
            stopped.open()
        }
        await began.wait()
        operation.cancel()
        await stopped.wait()
    }

    @Test("Extending: an interceptor loads from another place when the first fails")
    func interceptor() async throws {
        let png = try fixture("adam7_9x1.png")
        let loader = ClosureLoader(schemes: ["https"]) { request in
            guard request.url?.host() == "mirror.example.org" else {
                throw ImageError(.cannotConnect, .load, "nobody answers")
            }
            return LoadedData(data: png)
        }
        let picture = try await manager(loader, [Mirror()]).image(from: URL(string: "https://example.org/a.png"))
        #expect(picture.url.absoluteString == "https://mirror.example.org/a.png")
    }

    @Test("Animations: a source of one's own becomes GIF, APNG and WebP", arguments: [ImageFormat.gif, .png, .webP])
    func slides(_ format: ImageFormat) throws {
        let pictures = [red, PixelColor(0, 0, 255)].map { color in
            PixelBuffer(size: PixelSize(8, 8))!.filled(color)
        }
        var options = EncodeOptions()
        options.loopCount = 3
        let file = try CodersManager.shared.encode(Slides(pictures: pictures), to: format, options: options)
        let frames = try CodersManager.shared.frames(of: file)
        #expect(frames.frameCount == 2)
        #expect(frames.loopCount == 3)
        #expect(frames.durations == [.seconds(2), .seconds(2)])
    }

    @Test("Processing: the size of a picture far away takes its first bytes; what is no picture has none")
    func farAway() async throws {
        let picture = Distant(file: try fixture("base.jpg"))
        #expect(try await pictureSize(of: picture) == CodersManager.shared.probe(picture.file).size)
        #expect(picture.mostWanted.withLock { $0 } < picture.file.count)
        #expect(try await pictureSize(of: Distant(file: Data(repeating: 7, count: 5000))) == nil)
    }

    @Test("Transforming: a transformer of one's own darkens, and names what it does in the key")
    func dimming() throws {
        let white = try #require(PixelBuffer(size: PixelSize(2, 2))).filled(.white)
        let dimmed = try Dimming(amount: 0.5).apply(to: white)
        #expect(try #require(dimmed.color(at: PixelPoint(x: 0, y: 0))).red < 140)
        #expect(Dimming(amount: 0.5).key == "Dimming(0.5,1)")
    }
}

private final class Distant: PictureSource {
    let file: Data
    let mostWanted = Mutex(0)

    init(file: Data) { self.file = file }

    func firstBytes(_ count: Int) async throws -> Data {
        mostWanted.withLock { $0 = max($0, count) }
        return file.prefix(count)
    }
}

extension PixelBuffer {
    fileprivate func filled(_ color: PixelColor) -> DecodedImage {
        var pixels = self
        pixels.withUnsafeMutableBytes { bytes in
            for (index, value) in [color.red, color.green, color.blue, color.alpha].enumerated() {
                for offset in stride(from: index, to: bytes.count, by: 4) { bytes[offset] = value }
            }
        }
        return DecodedImage(pixels: pixels)
    }
}
