public import WebImageFoundation

/// Switches of one query of a cache. The bits are SDWebImage's.
public struct CacheQueryOptions: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt

    /// Options by their bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// On a memory hit read the bytes on disk too.
    public static let queryMemoryData = CacheQueryOptions(rawValue: 1 << 0)
    /// With `queryMemoryData`: read them before the call returns. Blocks the caller.
    public static let queryMemoryDataSync = CacheQueryOptions(rawValue: 1 << 1)
    /// On a memory miss read and decode what is on disk before the call returns. Blocks the caller.
    public static let queryDiskDataSync = CacheQueryOptions(rawValue: 1 << 2)
    /// Decode within `scaleDownByteLimit`. What was made smaller for it is not put in memory.
    public static let scaleDownLargeImages = CacheQueryOptions(rawValue: 1 << 3)
    /// Take the first picture of an animation as a still picture. It is not put in memory.
    public static let decodeFirstFrameOnly = CacheQueryOptions(rawValue: 1 << 5)

    /// What a picture may take in memory with `scaleDownLargeImages`, in bytes: 60 MiB, as in SDWebImage.
    public static let scaleDownByteLimit = 60 << 20
}

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
