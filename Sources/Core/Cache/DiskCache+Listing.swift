import WebImageFoundation

/// An entry of a disk cache, as a listing shows it.
public struct DiskCacheEntry: Sendable, Hashable {
    /// The text of the key; `nil` where the file has no readable metadata, so that no key finds it.
    public var key: String?
    /// The path of the file that holds the bytes.
    public var path: String
    /// How many bytes there are, metadata left out.
    public var byteCount: Int
    /// When the entry was last stored.
    public var modified: WallTime
    /// When the entry was last read or stored.
    public var accessed: WallTime
    /// What is kept beside the bytes.
    public var metadata: DiskMetadata?
    /// Whether sweeps leave it alone.
    public var isPinned: Bool
}

extension DiskCache {
    /// All entries, the last read first. Opens each file.
    public func entries() -> [DiskCacheEntry] {
        let pinned = pinnedDigests()
        var entries: [DiskCacheEntry] = []
        visitBodies { name, digest, status in
            entries.append(entry(name, digest, status, isPinned: pinned.contains(digest)))
        }
        return entries.sorted { $0.accessed > $1.accessed }
    }

    /// How many bytes all entries have together, metadata left out. Looks at each file.
    public var totalSize: Int {
        var size = 0
        visitBodies { _, _, status in size += status.byteCount }
        return size
    }

    /// How many entries there are. Reads the folder.
    public var totalCount: Int {
        var count = 0
        try? unsafe DirectoryStream.visitFiles(folder) { name, _ in
            if unsafe DiskFileKind.classify(name)?.kind == .body { count += 1 }
        }
        return count
    }

    private func entry(_ name: String, _ digest: DiskDigest, _ status: FileStatus, isPinned: Bool) -> DiskCacheEntry {
        let file = try? FileDescriptor(path(name), .read)
        var record: DiskRecord?
        if let file { record = try? self.record(digest, file, status)?.record }
        return DiskCacheEntry(
            key: record?.key, path: path(name), byteCount: status.byteCount, modified: status.modified,
            accessed: status.accessed, metadata: record?.metadata, isPinned: isPinned)
    }

    /// All files that hold bytes of entries; none where the folder is missing or may not be read.
    func visitBodies(_ body: (_ name: String, DiskDigest, FileStatus) -> Void) {
        unsafe DirectoryStream.visit(folder) { name, stream in
            guard let (kind, digest) = unsafe DiskFileKind.classify(name), kind == .body,
                let status = try? unsafe stream.status(name), status.isRegularFile
            else { return }
            unsafe body(String(decoding: name, as: UTF8.self), digest, status)
        }
    }
}
