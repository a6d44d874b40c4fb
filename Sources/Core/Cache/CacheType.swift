/// Which layers of a cache a call is about, or which of them answered.
public enum CacheType: Sendable, Hashable, CaseIterable {
    /// No layer; as an answer: not found.
    case none
    /// The files: encoded bytes, kept over restarts.
    case disk
    /// The decoded pictures that this process holds.
    case memory
    /// Memory and disk.
    case all

    /// Whether memory is one of the layers.
    public var includesMemory: Bool { self == .memory || self == .all }
    /// Whether the disk is one of the layers.
    public var includesDisk: Bool { self == .disk || self == .all }
}
