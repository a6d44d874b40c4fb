public import WebImageFoundation

/// Where a picture came from.
public enum LoadSource: String, Sendable, Hashable, CaseIterable {
    /// From the memory cache, at once.
    case memory
    /// From the disk cache; for a thumbnail or a transformed picture perhaps from its original there.
    case disk
    /// Through the loader: from the network, or from the file or data that the URL names.
    case network
}

/// What a load brought.
public struct LoadResult: Sendable {
    /// The picture: decoded, upright, transformed.
    public let image: DecodedImage
    /// The bytes that it was decoded from, where it is the whole untransformed picture and did not come from memory.
    public let data: Data?
    /// Where it came from.
    public let source: LoadSource
    /// The URL that was asked for.
    public let url: URL
    /// Whether the server has had a say in it.
    public let freshness: Freshness
    /// How long each stage took.
    public var timings: LoadTimings { course?.timings ?? LoadTimings() }
    /// How the download went, exchange by exchange; `nil` where there was none, or the loader does not measure.
    public var downloadMetrics: DownloadMetrics? { course?.downloadMetrics }
    /// What the caches could not write; only a load with `waitStoreCache` waits to learn of it.
    public var storeError: ImageError? { course?.storeError }
    /// How the load went; `nil` for one that was answered at once.
    let course: LoadCourse?

    /// A result that an interceptor brings by itself.
    ///
    /// - Parameters:
    ///   - image: The picture, as the load is to deliver it: it is neither transformed nor stored.
    ///   - source: Where it came from; one from the network is `loaded`, others are `cached`.
    ///   - url: The URL that was asked for.
    ///   - data: The file, where the picture is the whole of one.
    public init(_ image: DecodedImage, from source: LoadSource, url: URL, data: Data? = nil) {
        self.init(
            image: image, data: data, source: source, url: url, freshness: source == .network ? .loaded : .cached,
            course: nil)
    }

    init(image: DecodedImage, data: Data?, source: LoadSource, url: URL, freshness: Freshness, course: LoadCourse?) {
        self.image = image
        self.data = data
        self.source = source
        self.url = url
        self.freshness = freshness
        self.course = course
    }

    /// Whether the server has had a say in a result.
    public enum Freshness: Sendable, Hashable, CaseIterable {
        /// It was just loaded.
        case loaded
        /// It is from a cache, and good by the load's cache policy, so that nobody was asked.
        case cached
        /// It is from a cache, and the server has just said that it is unchanged.
        case revalidated
        /// It is from a cache, and perhaps out of date.
        case stale
    }
}

extension LoadResult: CustomStringConvertible, CustomDebugStringConvertible {
    /// Size, source and URL, without its credentials.
    public var description: String { "\(image.pixelSize) from \(source), \(url.withoutCredentials)" }
    /// As `description`.
    public var debugDescription: String { description }
}

/// How a load went that was not answered at once. Out of the way, so that results are small: most are answered so.
final class LoadCourse: Sendable {
    let timings: LoadTimings
    let downloadMetrics: DownloadMetrics?
    let storeError: ImageError?

    init(_ timings: LoadTimings, _ downloadMetrics: DownloadMetrics?, _ storeError: ImageError?) {
        self.timings = timings
        self.downloadMetrics = downloadMetrics
        self.storeError = storeError
    }
}

/// How long the stages of a load took. A stage that was skipped is missing; shared work counts for each who waited.
public struct LoadTimings: Sendable, Hashable {
    /// The time spent in each stage.
    public var durations: [LoadStage: Duration] {
        var durations: [LoadStage: Duration] = [:]
        for (place, stage) in LoadStage.allCases.enumerated() where nanoseconds[place] >= 0 {
            durations[stage] = .nanoseconds(nanoseconds[place])
        }
        return durations
    }

    /// In the order of the stages; −1 for one that was skipped.
    private var nanoseconds = StageCounts()

    /// From the call to the end of the path.
    public var total: Duration { .nanoseconds(totalNanoseconds) }
    var totalNanoseconds: Int64 = 0

    mutating func add(nanoseconds: Int64, to stage: LoadStage) {
        add(nanoseconds, stage.place)
    }

    mutating func add(_ other: LoadTimings) {
        for place in LoadStage.allCases.indices where other.nanoseconds[place] >= 0 {
            add(other.nanoseconds[place], place)
        }
    }

    private mutating func add(_ count: Int64, _ place: Int) {
        nanoseconds[place] = max(0, nanoseconds[place]) &+ max(0, count)
    }
}

/// A count for each stage, inline. Not a SIMD vector: that would align every result of a load to 64 bytes, and a task's
/// memory is only aligned to 16.
private struct StageCounts: Sendable, Hashable {
    private var request: Int64 = -1
    private var cache: Int64 = -1
    private var load: Int64 = -1
    private var decode: Int64 = -1
    private var transform: Int64 = -1
    private var store: Int64 = -1
    private var view: Int64 = -1

    subscript(place: Int) -> Int64 {
        get {
            switch place {
            case 0: request
            case 1: cache
            case 2: load
            case 3: decode
            case 4: transform
            case 5: store
            default: view
            }
        }
        set {
            switch place {
            case 0: request = newValue
            case 1: cache = newValue
            case 2: load = newValue
            case 3: decode = newValue
            case 4: transform = newValue
            case 5: store = newValue
            default: view = newValue
            }
        }
    }
}

/// What happens to a load, in order; the last event ends the stream.
public enum LoadEvent: Sendable {
    /// More bytes arrived.
    case progress(LoadProgress)
    /// The cached picture, while the server is asked whether it is still good, for a load with `refreshCached`; at most
    /// once, before all else.
    case stale(LoadResult)
    /// More of the picture can be shown, for a load with `progressiveLoad`; one may be left out for a later one.
    case partial(DecodedImage)
    /// The picture is there. Terminal.
    case finished(LoadResult)
    /// There will be no picture. Terminal.
    case failed(ImageError)
    /// The caller cancelled. Terminal.
    case cancelled
}
