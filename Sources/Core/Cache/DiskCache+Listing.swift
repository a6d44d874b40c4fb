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
}

extension DiskCache {
    /// All entries, the last read first. Opens each file.
    public func entries() -> [DiskCacheEntry] {
        listing().filter { $0.kind == .body }.sorted { $0.status.accessed > $1.status.accessed }.map(entry)
    }

    /// How many bytes all entries have together, metadata left out. Looks at each file.
    public var totalSize: Int {
        listing().reduce(0) { $0 + ($1.kind == .body ? $1.status.byteCount : 0) }
    }

    /// How many entries there are. Reads the folder.
    public var totalCount: Int {
        let names = (try? FileSystem.names(in: folder)) ?? []
        return names.count { DiskFileKind.classify($0)?.kind == .body }
    }

    private func entry(_ file: DiskFile) -> DiskCacheEntry {
        let record = anyRecord(file.name, digest: file.digest)
        return DiskCacheEntry(
            key: record?.key, path: path(file.name), byteCount: file.status.byteCount,
            modified: file.status.modified, accessed: file.status.accessed, metadata: record?.metadata)
    }

    /// All of this cache's files; none where the folder is missing or may not be read.
    func listing() -> [DiskFile] {
        let names = (try? FileSystem.names(in: folder)) ?? []
        return names.compactMap { name in
            guard let (kind, digest) = DiskFileKind.classify(name),
                let status = try? FileSystem.status(path(name)), status.isRegularFile
            else { return nil }
            return DiskFile(name: name, kind: kind, digest: digest, status: status)
        }
    }
}

/// A file in the folder of a disk cache.
struct DiskFile {
    var name: String
    var kind: DiskFileKind
    /// The digest of the key that it belongs to.
    var digest: Substring
    var status: FileStatus

    func date(_ expiry: ImageCacheConfiguration.Expiry) -> WallTime {
        switch expiry {
        case .accessDate: max(status.accessed, status.modified)
        case .modificationDate: status.modified
        }
    }
}
