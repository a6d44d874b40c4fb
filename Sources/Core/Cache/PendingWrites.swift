/// What was asked of the disk and is not done yet, so that a read need not wait to see it. A value, held under a lock.
struct PendingWrites {
    /// What will have become of an entry.
    enum Change {
        /// It has these bytes.
        case stored(CachedData)
        /// It is gone.
        case removed
        /// It has, if it is there, these metadata.
        case metadata(DiskMetadata)
        /// It has bytes that are still being made: only the queue of the key can tell.
        case unknown
    }

    private var changes: [CacheKey: (change: Change, ticket: UInt64)] = [:]
    private var lastTicket: UInt64 = 0
    /// How many calls that empty the whole disk are not done yet.
    private var clearCount = 0

    /// What a read of the key must see; `nil`: what the disk has.
    func change(of key: CacheKey) -> Change? {
        changes[key]?.change ?? (clearCount > 0 ? .removed : nil)
    }

    /// Notes a change that has been asked for; the ticket ends it.
    mutating func begin(_ change: Change, of key: CacheKey) -> UInt64 {
        lastTicket += 1
        changes[key] = (Self.sum(self.change(of: key), change), lastTicket)
        return lastTicket
    }

    /// Forgets a change that is on disk now, unless another has come since.
    mutating func end(_ ticket: UInt64, of key: CacheKey) {
        if changes[key]?.ticket == ticket { changes[key] = nil }
    }

    mutating func beginClear() {
        changes.removeAll()
        clearCount += 1
    }

    mutating func endClear() {
        clearCount -= 1
    }

    private static func sum(_ former: Change?, _ change: Change) -> Change {
        guard case .metadata(let metadata) = change, let former else { return change }
        switch former {
        case .stored(var entry):
            entry.metadata = metadata
            return .stored(entry)
        case .removed, .unknown: return former
        case .metadata: return change
        }
    }
}
