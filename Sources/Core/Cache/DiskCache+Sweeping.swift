import WebImageFoundation

extension DiskCache {
    /// Removes the entries that are too old, and if those left are too large together, the oldest of them.
    ///
    /// Ages and sizes are those of `configuration`; pinned entries stay and do not count. What processes that died have
    /// left is removed after 20 minutes. Files that are not this cache's stay. Entries that others read or store
    /// meanwhile are safe, and nothing waits for a sweep. Takes about 16 bytes of memory for each entry.
    public func removeExpired() {
        let sweep = DiskSweep(self)
        sweep.run()
    }
}

/// One walk over a folder, or two where it is too large.
private final class DiskSweep {
    private let cache: DiskCache
    private let limits: ImageCacheConfiguration
    private let now: WallTime
    private let pinned: Set<DiskDigest>

    private var entryCount = 0
    /// Of the entries that stay and are not pinned.
    private var byteCount = 0
    /// What is needed of each to find the oldest.
    private var ages: [(date: Int64, byteCount: Int)] = []
    private var removed: Set<DiskDigest> = []
    private var sidecars: [DiskSidecar] = []

    init(_ cache: DiskCache) {
        self.cache = cache
        limits = cache.configuration
        now = cache.wallClock.now
        pinned = cache.pinnedDigests()
    }

    func run() {
        unsafe DirectoryStream.visit(cache.folder) { name, stream in unsafe survey(name, stream) }
        if limits.maxDiskSize > 0, byteCount > limits.maxDiskSize { removeOldest() }
        cache.removeForgotten(sidecars, removed: removed)
        cache.filter.endSweep(of: cache.folder, entryCount: entryCount - removed.count)
    }

    private func survey(_ name: UnsafeRawBufferPointer, _ stream: borrowing DirectoryStream) {
        guard let (kind, digest) = unsafe DiskFileKind.classify(name), var status = try? unsafe stream.status(name),
            status.isRegularFile
        else { return }
        unsafe putRight(name, &status)
        switch kind {
        case .temporary:
            if status.isForgotten(at: now) { try? unsafe stream.remove(name) }
        case .sidecar(let body):
            sidecars.append(DiskSidecar(digest: digest, body: body, status: status, isOld: status.isForgotten(at: now)))
        case .body:
            cache.filter.noteFound(digest)
            entryCount += 1
            unsafe surveyEntry(name, digest, status, stream)
        }
    }

    private func surveyEntry(
        _ name: UnsafeRawBufferPointer, _ digest: DiskDigest, _ status: FileStatus,
        _ stream: borrowing DirectoryStream
    ) {
        guard !pinned.contains(digest) else { return }
        let date = min(status.date(limits.expiry), now)
        if limits.maxDiskAge >= .zero, date <= now.subtracting(limits.maxDiskAge) {
            unsafe remove(name, digest, stream)
            return
        }
        byteCount += status.byteCount
        if limits.maxDiskSize > 0 { ages.append((date.total, status.byteCount)) }
    }

    /// Finds the date up to which entries must go, and walks again to remove them.
    private func removeOldest() {
        ages.sort { $0.date < $1.date }
        var rest = byteCount
        var end = ages.startIndex
        while end < ages.endIndex, rest > limits.maxDiskSize / 2 {
            rest -= ages[end].byteCount
            end += 1
        }
        let date = ages[end - 1].date
        // Of those of this very date only so many.
        var excess = ages[..<end].reduce(0) { $0 + ($1.date == date ? $1.byteCount : 0) }
        ages = []
        unsafe DirectoryStream.visit(cache.folder) { name, stream in
            guard let (kind, digest) = unsafe DiskFileKind.classify(name), kind == .body, !pinned.contains(digest),
                let status = try? unsafe stream.status(name), status.isRegularFile
            else { return }
            let age = min(status.date(limits.expiry), now).total
            guard age < date || (age == date && excess > 0) else { return }
            if age == date { excess -= max(status.byteCount, 1) }
            unsafe remove(name, digest, stream)
        }
    }

    private func remove(
        _ name: UnsafeRawBufferPointer, _ digest: DiskDigest, _ stream: borrowing DirectoryStream
    ) {
        guard (try? unsafe stream.remove(name)) != nil else { return }
        removed.insert(digest)
    }

    /// A date of the future, from before the clock was set back, would keep a file for ever.
    private func putRight(_ name: UnsafeRawBufferPointer, _ status: inout FileStatus) {
        let latest = now.subtracting(.seconds(-60))
        guard status.accessed > latest || status.modified > latest else { return }
        status.accessed = min(status.accessed, now)
        status.modified = min(status.modified, now)
        let path = unsafe cache.path(String(decoding: name, as: UTF8.self))
        try? FileSystem.setTimes(path, accessed: status.accessed, modified: status.modified)
    }
}

extension FileStatus {
    /// The date that an age is counted from.
    fileprivate func date(_ expiry: ImageCacheConfiguration.Expiry) -> WallTime {
        switch expiry {
        case .accessDate: max(accessed, modified)
        case .modificationDate: modified
        case .creationDate: created
        case .changeDate: changed
        }
    }

    /// Whether nobody can be working on it any more: whoever stores has all the bytes at hand. With the sweep's own
    /// interval, nothing of the kind gets an hour old.
    func isForgotten(at now: WallTime) -> Bool {
        modified < now.subtracting(.seconds(20 * 60))
    }
}

extension WallTime {
    /// Nanoseconds since 1970; the first or last that can be told.
    fileprivate var total: Int64 {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, overflowAgain) = product.addingReportingOverflow(Int64(nanoseconds))
        return overflowAgain ? .max : sum
    }
}
