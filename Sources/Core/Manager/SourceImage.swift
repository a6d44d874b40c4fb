import Synchronization
import WebImageFoundation
import WebImagePixels

/// A picture on its way, and what is known of where it came from.
struct SourceImage: Sendable {
    var image: DecodedImage
    let source: LoadSource
    /// Whether it is one that the load's transformer leaves as it is.
    var isUntransformed = false
    /// What is known of it beyond where it is from.
    var freshness: LoadResult.Freshness?
    /// What copies, and so all who share the picture, have in common.
    let record: SourceRecord

    /// What it is filed under.
    func key(in plan: LoadPlan) -> CacheKey { isUntransformed ? plan.decodedKey : plan.key }
}

/// How a picture came, and its way to the disk. An object, so that a picture on its way is small.
final class SourceRecord: Sendable {
    /// The file that it was decoded from; `nil` for one that was in memory or was transformed.
    let data: Data?
    /// What the server called the file.
    let contentType: String?
    let downloadMetrics: DownloadMetrics?
    let timings: LoadTimings
    /// When the server was asked for it, where one was.
    let requestedAt: ContinuousClock.Instant?
    let writes = SharedWrites()
    private let made = Mutex<SharedWork<SourceKey, SourceImage>?>(nil)

    init(
        data: Data? = nil, contentType: String? = nil, downloadMetrics: DownloadMetrics? = nil,
        timings: LoadTimings = LoadTimings(), requestedAt: ContinuousClock.Instant? = nil
    ) {
        self.data = data
        self.contentType = contentType
        self.downloadMetrics = downloadMetrics
        self.timings = timings
        self.requestedAt = requestedAt
    }

    /// What the stages of transformers made of the picture, or are making: all who have the picture share it, however
    /// late they come.
    var stages: SharedWork<SourceKey, SourceImage> {
        made.withLock { made in
            if let made { return made }
            let stages = SharedWork<SourceKey, SourceImage>(stage: .transform)
            made = stages
            return stages
        }
    }

    /// Of pictures that are in memory already: nobody writes or transforms them.
    static let inMemory = SourceRecord()
}

// The long ones are not inlined: they handle much, which would lie in the memory of every task that loads.
extension SourceImage {
    /// A picture that was decoded of what a loader brought.
    @inline(never)
    init(
        _ image: DecodedImage, of file: ArrivedFile, _ timings: LoadTimings
    ) {
        let loaded = file.loaded
        let isFile = loaded.image == nil
        let record = SourceRecord(
            data: isFile ? loaded.data : nil, contentType: isFile ? loaded.contentType : nil,
            downloadMetrics: loaded.metrics, timings: timings, requestedAt: loaded.response?.requestedAt)
        self.init(image: image.with(file.validators()), source: .network, record: record)
    }

    /// A picture that was decoded of an entry on disk.
    @inline(never)
    init(_ image: DecodedImage, of entry: CachedData, _ timings: LoadTimings) {
        self.init(
            image: image.with(entry.metadata.validators.orNone), source: .disk,
            record: SourceRecord(data: entry.data, timings: timings))
    }

    /// A picture that a memory cache has.
    init(inMemory image: DecodedImage, isUntransformed: Bool = false) {
        self.init(image: image, source: .memory, isUntransformed: isUntransformed, record: .inMemory)
    }

    /// The same with its file, which was looked up apart.
    func with(_ data: Data?) -> SourceImage {
        SourceImage(
            image: image, source: source, isUntransformed: isUntransformed, record: SourceRecord(data: data))
    }
}

extension LoadResult {
    /// A result that a memory cache has.
    init(inMemory image: DecodedImage, of url: URL) {
        self.init(image: image, data: nil, source: .memory, url: url, freshness: .cached, course: nil)
    }

    /// What a load found.
    ///
    /// - Parameter start: When it began; `nil` for one that is answered at once.
    init(
        _ found: SourceImage, from plan: LoadPlan, start: Moment? = nil, storeError: ImageError? = nil
    ) {
        let record = found.record
        var timings = record.timings
        if let start { timings.totalNanoseconds = start.elapsed }
        self.init(
            image: found.source == .memory ? plan.request.atScale(found.image) : found.image,
            data: found.key(in: plan) == plan.originalKey ? record.data : nil,
            source: found.source, url: plan.url,
            freshness: found.freshness ?? (found.source == .network ? .loaded : .cached),
            course: start.map { _ in LoadCourse(timings, record.downloadMetrics, storeError) })
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
        guard let smaller = pixels.cropped(to: region)?.resized(to: target, resampling: options.resampling) else {
            throw ImageError(.transformFailed, .decode, "\(pixelSize) cannot be resized to \(target)")
        }
        var attributes = still.attributes
        attributes.isThumbnail = true
        return DecodedImage(pixels: smaller, attributes: attributes)
    }
}
