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
    public internal(set) var partialImage: DecodedImage? {
        get { pictures?.partialImage }
        set { pictures = Pictures(newValue, staleResult) }
    }
    /// The cached picture, while the server is asked whether it is still good, for a load with
    /// `LoadOptions.refreshCached`; told once, before any byte; not compared.
    public internal(set) var staleResult: LoadResult? {
        get { pictures?.staleResult }
        set { pictures = Pictures(partialImage, newValue) }
    }

    /// Apart: progress is passed on for each part of each body, and hardly ever has one.
    private var pictures: Pictures?

    private final class Pictures: Sendable {
        let partialImage: DecodedImage?
        let staleResult: LoadResult?

        init?(_ partialImage: DecodedImage?, _ staleResult: LoadResult?) {
            guard partialImage != nil || staleResult != nil else { return nil }
            self.partialImage = partialImage
            self.staleResult = staleResult
        }
    }

    /// How far a load has come.
    public init(receivedByteCount: Int, expectedByteCount: Int?, body: ArrivingBody? = nil) {
        self.receivedByteCount = receivedByteCount
        self.expectedByteCount = expectedByteCount
        self.body = body
    }

    /// The same news, with the pictures of older ones that were not delivered where these have none.
    func following(_ older: LoadProgress?) -> LoadProgress {
        guard let former = older?.pictures else { return self }
        var news = self
        news.pictures = Pictures(partialImage ?? former.partialImage, staleResult ?? former.staleResult)
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
