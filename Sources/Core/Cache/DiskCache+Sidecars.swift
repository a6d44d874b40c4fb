import WebImageFoundation

/// A file of metadata, as a walk over the folder found it.
struct DiskSidecar {
    var digest: DiskDigest
    /// What `BodyDigest` names the body that it belongs to.
    var body: UInt64
    var status: FileStatus
    /// Whether nobody can be about to put its body in place.
    var isOld: Bool

    var name: String { DiskFileKind.sidecarName(digest, body: body) }
}

extension DiskCache {
    /// Removes the sidecars that belong to no body: at once where the body was just removed, else when they are old.
    func removeForgotten(_ sidecars: [DiskSidecar], removed: Set<DiskDigest>) {
        guard !sidecars.isEmpty, let lock = try? FolderLock(folder, .exclusive, .short) else { return }
        for sidecar in forgotten(sidecars, removed: removed) {
            let status = try? FileSystem.status(path(sidecar.name))
            // Another may have stored the same bytes again meanwhile.
            guard status?.fileNumber == sidecar.status.fileNumber, status?.modified == sidecar.status.modified else {
                continue
            }
            try? FileSystem.remove(path(sidecar.name))
        }
        _ = consume lock
    }

    func forgotten(_ sidecars: [DiskSidecar], removed: Set<DiskDigest>) -> [DiskSidecar] {
        guard !sidecars.isEmpty else { return [] }
        let bodies = bodyNames(of: Set(sidecars.map(\.digest)))
        return sidecars.filter { sidecar in
            guard let name = bodies[sidecar.digest] else { return sidecar.isOld || removed.contains(sidecar.digest) }
            // Beside a body with an attribute, or of other bytes.
            return sidecar.isOld && !belongs(sidecar, to: name)
        }
    }

    private func belongs(_ sidecar: DiskSidecar, to name: String) -> Bool {
        guard let file = try? FileDescriptor(path(name), .read), let status = try? file.status() else { return false }
        guard file.extendedAttribute(Self.attributeName) == nil else { return false }
        guard status.byteCount <= Self.maxSidecarBodyCount, let body = try? file.read(count: status.byteCount) else {
            return true
        }
        return BodyDigest.name(of: body) == sidecar.body
    }

    /// The names of the bodies of keys.
    func bodyNames(of digests: Set<DiskDigest>) -> [DiskDigest: String] {
        var names: [DiskDigest: String] = [:]
        unsafe DirectoryStream.visit(folder) { name, _ in
            guard let (kind, digest) = unsafe DiskFileKind.classify(name), kind == .body, digests.contains(digest)
            else { return }
            names[digest] = unsafe String(decoding: name, as: UTF8.self)
        }
        return names
    }
}
