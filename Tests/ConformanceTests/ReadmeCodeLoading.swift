import Foundation
import WebImage

// The code of the article Loading.md, so that it compiles. `Scripts/check` compares them.

private func show(_ image: DecodedImage) {}
private func isOnMobileNetwork() -> Bool { false }

func loadingARequest(mirror: URL) async throws {
    var request = ImageRequest("https://example.org/my photos/1.jpg")  // the blank is percent-encoded
    request.options = [.retryFailed, .highPriority]
    request.context.thumbnailPixelSize = ImageSize(400, 400)
    request.context.headers["Accept-Language"] = "de"
    request.alternatives = [mirror]  // where to look, in order, when the URL brings no picture

    let result = try await ImageManager.shared.image(for: request)
    print(result.image.pixelSize, result.source, result.timings.total)
}

func loadingConfiguration() {
    var configuration = ImageManager.Configuration()
    configuration.defaultOptions = .scaleDownLargeImages
    configuration.isNetworkConstrained = { isOnMobileNetwork() }  // then `ImageRequest.lowDataURL` is loaded first
    let manager = ImageManager(configuration: configuration)
    print(manager)
}

func loadingErrors(request: ImageRequest) async {
    do {
        show(try await ImageManager.shared.image(for: request).image)
    } catch {
        switch error.code {
        case .cancelled: break  // nobody waits for it any more
        case .invalidDownloadStatusCode: print("the server said", error.statusCode ?? 0)
        case .cannotFindHost, .cannotConnect, .timedOut: print("no network, or no server")
        case .badImageData, .unknownFormat: print("that is no picture")
        default: print(error)
        }
    }
}

func loadingEvents(request: ImageRequest) async {
    for await event in ImageManager.shared.events(for: request) {
        switch event {
        case .progress(let progress): print(progress.receivedByteCount, "of", progress.expectedByteCount ?? 0)
        case .stale(let result): show(result.image)  // with refreshCached: what a cache has, while the server is asked
        case .partial(let image): show(image)  // with progressiveLoad: what can be shown so far
        case .finished(let result): show(result.image)
        case .failed(let error): print(error)
        case .cancelled: break
        }
    }
}

func loadingByHand(request: ImageRequest) {
    let operation = ImageManager.shared.load(request) { result in
        if case .success(let loaded) = result { show(loaded.image) }
    }
    operation.priority = .low  // it scrolled away
    operation.priority = .high  // and back
    operation.cancel()  // the completion gets the error `cancelled`
}

func loadingPlaceholders(picture: DecodedImage) {
    let hash = BlurHash(of: picture.pixels).text  // on the server: about 30 characters
    let thumbHash = Data(ThumbHash(of: picture.pixels).bytes)  // at most 25 bytes, with proportions and alpha

    let placeholder = ImagePlaceholder.firstOf([
        .cached(CacheKey("https://example.org/small.jpg")),  // another picture of the subject, if memory has it
        .thumbHash(thumbHash),
        .blurHash(hash),
    ])
    if let impression = placeholder.image(from: ImageCache.shared) { show(impression) }  // at once; reads no file
}

func loadingPartially(url: URL) {
    let operation = ImageManager.shared.load(ImageRequest(url, options: .progressiveLoad)) { progress in
        if let partial = progress.partialImage { show(partial) }
    } completion: { result in
        if case .success(let loaded) = result { show(loaded.image) }
    }
    print(operation)
}

func prefetching(urls: [URL]) {
    var configuration = ImagePrefetcher.Configuration()
    configuration.maxConcurrentPrefetchCount = 4
    configuration.destination = .disk  // bytes only, not decoded: for many pictures that few will look at
    let prefetcher = ImagePrefetcher(configuration: configuration)

    let token = prefetcher.prefetch(urls) { finishedCount, skippedCount in
        print(finishedCount, "done,", skippedCount, "of them without a picture")
    }
    prefetcher.isPaused = true  // what is under way ends, nothing new begins
    token?.cancel()  // the closures are not called any more
}
