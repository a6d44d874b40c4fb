import WebImageFoundation
import WebImagePixels

/// A picture on its way, and what is known of where it came from.
struct SourceImage: Sendable {
    var image: DecodedImage
    /// The file that it was decoded from; `nil` for one that was in memory or was transformed.
    var data: Data?
    var response: HTTPResponse?
    var downloadMetrics: DownloadMetrics?
    var source: LoadSource
    var timings = LoadTimings()
    /// Whether it is one that the load's transformer leaves as it is.
    var isUntransformed = false
    /// What is known of it beyond where it is from.
    var freshness: LoadResult.Freshness?
    /// Its way to the disk; copies, and so all who share the picture, have one.
    var writes = SharedWrites()

    /// Those of pictures that are in memory already: nobody writes them.
    static let noWrites = SharedWrites()

    /// What it is filed under.
    func key(in plan: LoadPlan) -> CacheKey { isUntransformed ? plan.decodedKey : plan.key }
}

extension LoadResult {
    init(
        _ found: SourceImage, from plan: LoadPlan, start: ContinuousClock.Instant? = nil, storeError: ImageError? = nil
    ) {
        var timings = found.timings
        timings.total = start?.duration(to: .now) ?? .zero
        self.init(
            image: found.image, data: found.key(in: plan) == plan.originalKey ? found.data : nil,
            source: found.source, url: plan.url,
            freshness: found.freshness ?? (found.source == .network ? .loaded : .cached),
            timings: timings, downloadMetrics: found.downloadMetrics, storeError: storeError)
    }
}

extension DecodedImage {
    /// This picture as `options` would have decoded it, as far as pixels that are decoded tell.
    ///
    /// - Throws: What the coder says of a picture that was decoded lazily.
    func thumbnail(_ options: DecodeOptions) throws(ImageError) -> DecodedImage {
        let region = try options.region(of: pixelSize)
        let target = options.targetSize(for: pixelSize)
        let still = options.firstFrameOnly ? poster : self
        // Never larger than the region: one of the picture's size is all of it.
        guard target != pixelSize else { return try options.usesLazyDecoding ? still : still.decoded() }
        let pixels = try still.decoded().pixels
        guard let smaller = pixels.cropped(to: region)?.resized(to: target, filter: options.resamplingFilter) else {
            throw ImageError(.transformFailed, .decode, "\(pixelSize) cannot be resized to \(target)")
        }
        var attributes = still.attributes
        attributes.isThumbnail = true
        return DecodedImage(pixels: smaller, attributes: attributes)
    }
}
