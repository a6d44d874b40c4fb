import Foundation
import Synchronization
import Testing
import WebImageCore
import WebImagePixels
import WebImageTesting

@Suite("Around the path: interceptors, delegate, mappers, sources, closures")
struct InterceptorTests {
    private struct Interceptor: LoadInterceptor {
        let body: @Sendable (LoadChain) async throws(ImageError) -> LoadResult

        func intercept(_ chain: LoadChain) async throws(ImageError) -> LoadResult { try await body(chain) }
    }

    private func harness(_ interceptors: [any LoadInterceptor]) -> ManagerHarness {
        var configuration = ImageManager.Configuration()
        configuration.interceptors = interceptors
        let harness = ManagerHarness(configuration: configuration)
        harness.scriptNetwork()
        return harness
    }

    @Test("The first stands outermost, and each may change the request")
    func order() async throws {
        let lines = Mutex<[String]>([])
        let outer = Interceptor { chain async throws(ImageError) in
            lines.withLock { $0.append("outer") }
            var request = chain.request
            request.options.insert(.decodeFirstFrameOnly)
            return try await chain.proceed(with: request)
        }
        let inner = Interceptor { chain async throws(ImageError) in
            lines.withLock { $0.append("inner \(chain.request.options.contains(.decodeFirstFrameOnly))") }
            return try await chain.proceed()
        }
        let harness = harness([outer, inner])
        _ = try await harness.manager.image(for: harness.request())
        #expect(lines.withLock { $0 } == ["outer", "inner true"])
        #expect(harness.coder.decodes.map(\.firstFrameOnly) == [true])
    }

    @Test("One that answers itself: nothing else is asked")
    func shortCircuit() async throws {
        let failing = Interceptor { _ async throws(ImageError) in throw ImageError(.notInCache, .request, "closed") }
        let harness = harness([failing])
        await #expect { try await harness.manager.image(for: harness.request()) } throws: {
            ($0 as? ImageError)?.code == .notInCache
        }
        #expect(harness.loader.requests.isEmpty && harness.cache.diskQueries.isEmpty)
    }

    @Test("One that tries again: the loader is asked twice, the caller is told once")
    func retry() async throws {
        let again = Interceptor { chain async throws(ImageError) in
            do throws(ImageError) { return try await chain.proceed() } catch { return try await chain.proceed() }
        }
        let harness = harness([again])
        let url = URL(string: "https://h/flaky.png")!
        harness.loader.script(url, .failure(ImageError(.timedOut, .load, "late")), .data(ManagerHarness.bytes))
        let recorder = Recorder()
        var request = ImageRequest(url)
        request.context.callbackQueue = .immediate
        harness.manager.load(request, completion: { recorder.complete($0) })
        await recorder.ended.wait()
        #expect(recorder.completions.count == 1 && recorder.result != nil)
        #expect(harness.loader.requestCount(for: url) == 2)
    }

    @Test("A load that is cancelled cancels the interceptor's task, and ends once")
    func cancel() async {
        let waits = Interceptor { chain async throws(ImageError) in try await chain.proceed() }
        let harness = harness([waits])
        let url = URL(string: "https://h/held.png")!
        harness.loader.script(url, .held)
        let recorder = Recorder()
        var request = ImageRequest(url)
        request.context.callbackQueue = .immediate
        let operation = harness.manager.load(request, completion: { recorder.complete($0) })
        await harness.loader.waitForRequest(for: url)
        operation.cancel()
        #expect(recorder.error?.isCancelled == true)
        while harness.loader.cancelCount(of: url) == 0, !Task.isCancelled { await Task.yield() }
        #expect(recorder.completions.count == 1)
    }

    private final class Delegate: ImageManagerDelegate {
        func imageManager(_ manager: ImageManager, shouldLoad url: URL) -> Bool { url.path != "/no.png" }

        func imageManager(_ manager: ImageManager, shouldBlock url: URL, error: ImageError) -> Bool? {
            url.path == "/blocked.png" ? true : nil
        }
    }

    @Test("The delegate says what may be loaded and what is blocked; it is held weakly")
    func delegate() async {
        let harness = harness([])
        var delegate: Delegate? = Delegate()
        harness.manager.delegate = delegate
        let urls = ["no", "blocked", "other"].map { URL(string: "https://h/\($0).png")! }
        for url in urls {
            let failure = ImageError(.timedOut, .load, "late")
            harness.loader.script(url, .failure(failure), .failure(failure))
        }
        var codes: [[Int]] = []
        for url in urls {
            var found: [Int] = []
            for _ in 0..<2 {
                do throws(ImageError) {
                    _ = try await harness.manager.image(from: url)
                } catch {
                    found.append(error.code.rawValue)
                }
            }
            codes.append(found)
        }
        #expect(codes == [[3005, 3005], [3102, 1003], [3102, 3102]])
        #expect(harness.loader.requestCount(for: urls[0]) == 0)
        delegate = nil
        #expect(harness.manager.delegate == nil)
    }

    @Test("A model's picture is loaded by naming the model; the last mapper that knows it decides")
    func mappers() async throws {
        struct Product: Sendable { let name: String }
        var configuration = ImageManager.Configuration()
        configuration.mappers = [
            ImageMapper { (product: Product) in ImageRequest(URL(string: "https://h/\(product.name).png")) },
            ImageMapper { (text: String) in ImageRequest(URL(string: text)) },
        ]
        let harness = ManagerHarness(configuration: configuration)
        harness.scriptNetwork()
        let result = try await harness.manager.image(for: Product(name: "a"))
        #expect(result.url == harness.url)
        await #expect { try await harness.manager.image(for: 5) } throws: {
            ($0 as? ImageError)?.code == .invalidURL
        }
    }

    @Test("Sources in order until one brings a picture; all failures are reported")
    func alternatives() async throws {
        let harness = harness([])
        let broken = URL(string: "https://h/broken.png")!
        let failure = ImageError(.cannotConnect, .load, "nobody there")
        harness.loader.script(broken, .failure(failure), .failure(failure))
        var request = ImageRequest(broken)
        request.alternatives = [harness.url]
        let result = try await harness.manager.image(for: request)
        #expect(result.image === harness.image && result.url == harness.url)

        request.alternatives = [broken]
        do throws(ImageError) {
            _ = try await harness.manager.image(for: request)
            Issue.record("there is no picture")
        } catch {
            #expect(error.failures.map(\.code) == [.cannotConnect, .cannotConnect] && error.code == .cannotConnect)
        }
    }

    @Test("On a constrained network the small source is loaded, elsewhere the usual one")
    func lowData() async throws {
        let isConstrained = Mutex(true)
        var configuration = ImageManager.Configuration()
        configuration.isNetworkConstrained = { isConstrained.withLock { $0 } }
        let harness = ManagerHarness(configuration: configuration)
        harness.scriptNetwork()
        let small = URL(string: "https://h/small.png")!
        harness.loader.script(small, .data(ManagerHarness.bytes))
        var request = harness.request()
        request.lowDataURL = small
        #expect(try await harness.manager.image(for: request).url == small)
        isConstrained.withLock { $0 = false }
        #expect(try await harness.manager.image(for: request).url == harness.url)
    }

    @Test("Default options of the manager hold for every load")
    func defaultOptions() async throws {
        var configuration = ImageManager.Configuration()
        configuration.defaultOptions = .decodeFirstFrameOnly
        let harness = ManagerHarness(configuration: configuration)
        harness.scriptNetwork()
        _ = try await harness.manager.image(for: harness.request())
        #expect(harness.coder.decodes.map(\.firstFrameOnly) == [true])
    }

    @Test("A file that a closure brings is cached, decoded and transformed; loads of one id share it")
    func dataClosure() async throws {
        let harness = harness([])
        let calls = Mutex(0)
        func request() -> ImageRequest {
            var request = ImageRequest(id: "avatar/7", options: .waitStoreCache) { () async throws -> Data in
                calls.withLock { $0 += 1 }
                return ManagerHarness.bytes
            }
            request.context.transformer = CountingTransformer()
            return request
        }
        let results = try await [harness.manager.image(for: request()), harness.manager.image(for: request())]
        #expect(calls.withLock { $0 } == 1 && results.map(\.source) == [.network, .memory])
        #expect(harness.cache.disk[CacheKey("avatar/7")]?.data == ManagerHarness.bytes)
    }

    @Test("A picture that a closure makes is kept encoded; what it throws is one error")
    func imageClosure() async throws {
        struct Broken: Error {}
        let harness = harness([])
        let drawn = DecodedImage(pixels: PixelBuffer(size: PixelSize(3, 3))!)
        let request = ImageRequest(id: "drawn", options: .waitStoreCache) { () async throws -> DecodedImage in drawn }
        let result = try await harness.manager.image(for: request)
        #expect(result.image === drawn && harness.coder.decodes.isEmpty)
        #expect(harness.cache.disk[CacheKey("drawn")]?.data == Data("png 3×3".utf8))
        let failing = ImageRequest(id: "no") { () async throws -> Data in throw Broken() }
        await #expect { try await harness.manager.image(for: failing) } throws: {
            ($0 as? ImageError)?.code == .loaderFailed && ($0 as? ImageError)?.underlying is Broken
        }
    }
}
