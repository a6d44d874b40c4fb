/// What will have become of an entry on disk, so that a read need not wait to see it.
enum DiskChange: Sendable {
    /// It has these bytes.
    case stored(CachedData)
    /// It is gone.
    case removed
    /// It has, if it is there, these metadata.
    case metadata(DiskMetadata)
    /// Only the disk can tell, once it is done.
    case unknown

    /// The sum of this and what was asked for before it.
    func after(_ former: DiskChange?) -> DiskChange {
        guard case .metadata(let metadata) = self else { return self }
        switch former {
        case .stored(var entry):
            entry.metadata = metadata
            return .stored(entry)
        case .removed: return .removed
        case .metadata, .unknown, nil: return .unknown
        }
    }
}
