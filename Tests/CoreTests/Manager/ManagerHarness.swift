import Foundation
import Synchronization
import WebImageCore
import WebImagePixels
import WebImageTesting

/// A manager of fakes, and pictures for it.
final class ManagerHarness: Sendable {
    let cache = FakeCache()
    let loader = FakeLoader()
    let coder = FakeCoder()
    let manager: ImageManager

    static let bytes = Data("a picture".utf8)
    let url = URL(string: "https://h/a.png")!
    let image: DecodedImage

    init(configuration: ImageManager.Configuration = .init(), size: PixelSize = PixelSize(102, 102)) {
        manager = ImageManager(cache: cache, loader: loader, coder: coder, configuration: configuration)
        image = DecodedImage(pixels: PixelBuffer(size: size)!, attributes: .init(format: .png))
        coder.script(Self.bytes, .success(image))
    }

    var key: CacheKey { CacheKey(url.absoluteString) }

    /// The URL's bytes come from the loader at once, and no cache has them.
    func scriptNetwork() {
        cache.scriptAllMissing()
        loader.script(url, .data(Self.bytes))
    }

    /// The URL's bytes come from the loader when the test says so, and no cache has them.
    func scriptHeldNetwork() {
        cache.scriptAllMissing()
        loader.script(url, .held)
    }

    func request(_ options: LoadOptions = [], _ change: (inout LoadContext) -> Void = { _ in }) -> ImageRequest {
        var request = ImageRequest(url, options: options)
        request.context.callbackQueue = .immediate
        change(&request.context)
        return request
    }
}

/// What a load's closures were told, in order, and a way to wait for its end.
final class Recorder: Sendable {
    private struct State {
        var completions: [Result<LoadResult, ImageError>] = []
        var progress: [LoadProgress] = []
        var progressAfterEnd = 0
    }

    private let state = Mutex(State())
    let ended = Gate()

    var completions: [Result<LoadResult, ImageError>] { state.withLock { $0.completions } }
    var progress: [LoadProgress] { state.withLock { $0.progress } }
    var progressAfterEnd: Int { state.withLock { $0.progressAfterEnd } }
    var error: ImageError? {
        guard case .failure(let error) = completions.first else { return nil }
        return error
    }
    var result: LoadResult? { try? completions.first?.get() }

    @Sendable func complete(_ result: Result<LoadResult, ImageError>) {
        state.withLock { $0.completions.append(result) }
        ended.open()
    }

    @Sendable func report(_ progress: LoadProgress) {
        state.withLock { state in
            state.progress.append(progress)
            if !state.completions.isEmpty { state.progressAfterEnd += 1 }
        }
    }
}

/// A transformer that counts, and paints every picture one size.
final class CountingTransformer: ImageTransformer {
    private let runs = Mutex(0)
    let key: String
    let size: PixelSize
    let failure: ImageError?

    init(_ key: String = "Counting(1)", size: PixelSize = PixelSize(10, 10), failure: ImageError? = nil) {
        self.key = key
        self.size = size
        self.failure = failure
    }

    var count: Int { runs.withLock { $0 } }

    func transform(_ image: DecodedImage) throws(ImageError) -> DecodedImage {
        runs.withLock { $0 += 1 }
        if let failure { throw failure }
        return image.transformed(to: PixelBuffer(size: size)!)
    }
}

/// A transformer that waits, on its thread, until its gate is open.
final class HeldTransformer: ImageTransformer {
    let gate = Gate()
    let key = "Held(1)"

    func transform(_ image: DecodedImage) throws(ImageError) -> DecodedImage {
        gate.waitBlocking()
        return image.transformed(to: PixelBuffer(size: PixelSize(10, 10))!)
    }
}
