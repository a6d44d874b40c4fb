import WebImageFoundation

extension DiskCache {
    /// Removes the entries that are too old, and if those left are too large together, the oldest of them.
    ///
    /// Ages and sizes are those of `configuration`. What processes that died have left is removed after an hour.
    /// Files that are not this cache's stay. Entries that others store meanwhile are safe.
    public func removeExpired() {
        let files = listing()
        let limits = configuration
        removeForgotten(files)
        let entries = files.filter { $0.kind == .body }
        removeOversize(removeAged(entries, limits), limits)
    }

    /// Removes all entries and whatever belongs to them; the folder and files of others stay.
    ///
    /// Goes through all of them before it throws the first error.
    public func removeAll() throws(ImageError) {
        try removeAll { _ in true }
    }

    func remove(_ address: DiskAddress) throws(ImageError) {
        try remove([address.fileName, DiskFileKind.sidecarName(address.digest)])
    }

    /// Removes all files of the keys with a digest that is asked for.
    func removeAll(where isRemoved: (Substring) -> Bool) throws(ImageError) {
        let names = (try? FileSystem.names(in: folder)) ?? []
        try remove(names.filter { DiskFileKind.classify($0).map { isRemoved($0.digest) } ?? false })
    }

    private func remove(_ names: [String]) throws(ImageError) {
        var failure: ImageError?
        for name in names {
            do throws(SystemError) {
                try FileSystem.remove(path(name))
            } catch {
                guard error != .noSuchFile, error != .notDirectory else { continue }
                failure =
                    failure
                    ?? ImageError(.storeFailed, .cache, "cannot remove \(path(name)): \(error)", underlying: error)
            }
        }
        if let failure { throw failure }
    }
}

extension DiskCache {
    /// Removes what is over the age, and says what is left.
    private func removeAged(_ files: [DiskFile], _ limits: ImageCacheConfiguration) -> [DiskFile] {
        guard limits.maxDiskAge >= .zero else { return files }
        let end = wallClock.now.subtracting(limits.maxDiskAge)
        return files.filter { file in
            guard file.date(limits.expiry) <= end else { return true }
            removeUnchanged(file)
            return false
        }
    }

    private func removeOversize(_ files: [DiskFile], _ limits: ImageCacheConfiguration) {
        var size = files.reduce(0) { $0 + $1.status.byteCount }
        guard limits.maxDiskSize > 0, size > limits.maxDiskSize else { return }
        for file in files.sorted(by: { $0.date(limits.expiry) < $1.date(limits.expiry) }) {
            if size <= limits.maxDiskSize / 2 { return }
            removeUnchanged(file)
            size -= file.status.byteCount
        }
    }

    /// Removes an entry unless it was read or stored since it was listed.
    private func removeUnchanged(_ file: DiskFile) {
        guard let status = try? FileSystem.status(path(file.name)), status == file.status else { return }
        try? remove([file.name, DiskFileKind.sidecarName(file.digest)])
    }

    /// Removes temporary files, and sidecars without a body, that nobody can be working on any more.
    private func removeForgotten(_ files: [DiskFile]) {
        let end = wallClock.now.subtracting(.seconds(60 * 60))
        let bodies = Set(files.lazy.filter { $0.kind == .body }.map(\.digest))
        for file in files where file.status.modified < end {
            let isForgotten = file.kind == .temporary || (file.kind == .sidecar && !bodies.contains(file.digest))
            if isForgotten { try? remove([file.name]) }
        }
    }
}
