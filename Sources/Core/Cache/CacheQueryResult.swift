public import WebImageFoundation

/// What a cache has under a key.
public struct CacheQueryResult: Sendable {
    /// The picture; `nil` when it was not found, or its bytes could not be decoded.
    public let image: DecodedImage?
    /// The bytes on disk, where they were read.
    public let data: Data?
    /// The layer that answered; `.none` when neither has it.
    public let type: CacheType

    /// Nothing was found.
    static let missing = CacheQueryResult(image: nil, data: nil, type: .none)
}
