/// How far a load has come.
public struct LoadProgress: Sendable, Hashable {
    /// Bytes of the body that arrived.
    public var receivedByteCount: Int
    /// Bytes of the whole body; `nil` when the server did not say.
    public var expectedByteCount: Int?
    /// The bytes themselves, where the loader lets them be read before the end; not compared, and not told to callers
    /// of a manager.
    public var body: ArrivingBody?
    /// What can be shown of the picture so far, when there is more of it than was told before, for a load with
    /// `progressiveLoad`; not compared.
    public internal(set) var partialImage: DecodedImage?
    /// The cached picture, while the server is asked whether it is still good, for a load with
    /// `LoadOptions.refreshCached`; told once, before any byte; not compared.
    public internal(set) var staleResult: LoadResult?

    /// How far a load has come.
    public init(receivedByteCount: Int, expectedByteCount: Int?, body: ArrivingBody? = nil) {
        self.receivedByteCount = receivedByteCount
        self.expectedByteCount = expectedByteCount
        self.body = body
    }

    /// The same news, with the pictures of older ones that were not delivered where these have none.
    func following(_ older: LoadProgress?) -> LoadProgress {
        var news = self
        news.partialImage = partialImage ?? older?.partialImage
        news.staleResult = staleResult ?? older?.staleResult
        return news
    }

    /// Whether both counts are equal.
    public static func == (first: LoadProgress, second: LoadProgress) -> Bool {
        first.receivedByteCount == second.receivedByteCount && first.expectedByteCount == second.expectedByteCount
    }

    /// Feeds both counts.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(receivedByteCount)
        hasher.combine(expectedByteCount)
    }
}
