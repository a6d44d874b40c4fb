public import WebImageFoundation

/// What a cache has under a key.
public struct CacheQueryResult: Sendable {
    /// The picture; `nil` when it was not found, or its bytes do not give it: see `error`.
    public let image: DecodedImage?
    /// The bytes on disk, where they were read.
    public let data: Data?
    /// The layer that answered; `.none` when neither has it.
    public let type: CacheType
    /// Why bytes on disk gave no picture: what the coder said, or the limit that they are over.
    public let error: ImageError?

    init(image: DecodedImage?, data: Data?, type: CacheType, error: ImageError? = nil) {
        self.image = image
        self.data = data
        self.type = type
        self.error = error
    }

    /// Nothing was found.
    static let missing = CacheQueryResult(image: nil, data: nil, type: .none)
}
