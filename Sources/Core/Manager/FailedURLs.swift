import WebImageFoundation

/// URLs that failed in a way that does not mend itself, each with the reason and for a while only. Times are durations
/// since some start.
struct FailedURLs {
    private struct Entry {
        let error: ImageError
        let expiry: Duration
    }

    let limit: Int
    let lifetime: Duration
    private var entries: [URL: Entry] = [:]

    init(limit: Int, lifetime: Duration) {
        self.limit = limit
        self.lifetime = lifetime
    }

    var isEmpty: Bool { entries.isEmpty }

    /// Why a URL is blocked at the given time, or `nil`.
    func reason(for url: URL, at now: Duration) -> ImageError? {
        guard let entry = entries[url], now < entry.expiry else { return nil }
        return entry.error
    }

    mutating func add(_ url: URL, _ error: ImageError, at now: Duration) {
        if entries.count >= limit, entries[url] == nil { makeRoom(at: now) }
        entries[url] = Entry(error: error, expiry: now + lifetime)
    }

    mutating func remove(_ url: URL) {
        // To look a URL up costs more than the rest of a load's bookkeeping.
        if !entries.isEmpty { entries[url] = nil }
    }

    mutating func removeAll() {
        entries.removeAll()
    }

    private mutating func makeRoom(at now: Duration) {
        entries = entries.filter { now < $0.value.expiry }
        guard entries.count >= limit else { return }
        // A quarter at once, so that a flood of failures does not search for the oldest each time.
        let oldestFirst = entries.sorted { $0.value.expiry < $1.value.expiry }
        for (url, _) in oldestFirst.prefix(max(1, limit / 4)) { entries[url] = nil }
    }
}
