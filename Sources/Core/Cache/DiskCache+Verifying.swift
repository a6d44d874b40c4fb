import WebImageFoundation

/// What a check of a disk cache found.
public struct DiskVerification: Sendable, Hashable {
    /// How many entries were read and compared with their digests.
    public var entryCount = 0
    /// How many bytes they have.
    public var byteCount = 0
    /// What was wrong, in no order.
    public var faults: [Fault] = []

    /// A file that is not as the cache left it.
    public struct Fault: Sendable, Hashable {
        /// Where it is, or was.
        public var path: String
        /// The text of its key, where that can be told.
        public var key: String?
        /// What is wrong.
        public var kind: Kind
        /// Whether it has been removed.
        public var isRemoved: Bool
    }

    /// What can be wrong with a file.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The bytes are not those that were stored: cut, or changed.
        case damaged
        /// There are no readable metadata, so that no key finds the bytes.
        case withoutMetadata
        /// The metadata are those of another key, as after a renaming.
        case wrongName
        /// A process died before it had put the file in its place, more than 20 minutes ago.
        case forgotten
        /// The system cannot read it.
        case unreadable
    }
}

extension DiskCache {
    /// Reads every entry and compares it with its digest.
    ///
    /// May run beside all else; entries that others store or remove meanwhile are not taken for faults. Takes memory
    /// for one entry at a time.
    ///
    /// - Parameter removesFaults: Whether what is wrong is removed, so that it is fetched anew. Default `true`.
    public func verify(removesFaults: Bool = true) -> DiskVerification {
        var result = DiskVerification()
        var names: [(String, DiskDigest)] = []
        visitBodies { name, digest, _ in names.append((name, digest)) }
        for (name, digest) in names {
            guard let (fault, byteCount) = checkPatiently(name, digest) else { continue }
            result.entryCount += 1
            result.byteCount += byteCount
            guard var fault else { continue }
            fault.isRemoved = removesFaults && (try? FileSystem.remove(fault.path)) != nil
            result.faults.append(fault)
        }
        for path in forgottenPaths() {
            let isRemoved = removesFaults && (try? FileSystem.remove(path)) != nil
            result.faults.append(.init(path: path, key: nil, kind: .forgotten, isRemoved: isRemoved))
        }
        return result
    }

    /// The same as `check`; metadata that seem to be missing are looked for again while nobody can be about to put
    /// them in place.
    private func checkPatiently(_ name: String, _ digest: DiskDigest) -> (DiskVerification.Fault?, byteCount: Int)? {
        let found = check(name, digest)
        guard found?.0?.kind == .withoutMetadata else { return found }
        guard let lock = try? FolderLock(folder, .exclusive, .long) else { return nil }
        let foundAlone = check(name, digest)
        _ = consume lock
        return foundAlone
    }

    /// What is wrong with a body, and how many bytes it has; `nil` when it went meanwhile.
    private func check(_ name: String, _ digest: DiskDigest) -> (DiskVerification.Fault?, byteCount: Int)? {
        var fault = DiskVerification.Fault(path: path(name), key: nil, kind: .unreadable, isRemoved: false)
        do throws(SystemError) {
            let file = try FileDescriptor(path(name), .read)
            let status = try file.status()
            guard status.isRegularFile else { return nil }
            let found = try record(digest, file, status)
            fault.key = found?.record.key
            guard let kind = try kind(of: found, name, file, status) else { return (nil, status.byteCount) }
            fault.kind = kind
            // What was replaced or removed since it was opened is no fault.
            let current = try? FileSystem.status(path(name))
            guard current?.fileNumber == status.fileNumber, current?.changed == status.changed else { return nil }
            return (fault, status.byteCount)
        } catch {
            return error == .noSuchFile || error == .symbolicLink ? nil : (fault, 0)
        }
    }

    private func kind(
        of found: (record: DiskRecord, body: Data?)?, _ name: String, _ file: borrowing FileDescriptor,
        _ status: FileStatus
    ) throws(SystemError) -> DiskVerification.Kind? {
        guard let found else { return .withoutMetadata }
        guard DiskDigest(Digest.md5.words(found.record.key)) == DiskFileKind.classify(name)?.digest else {
            return .wrongName
        }
        guard found.body == nil else { return nil }
        guard found.record.byteCount == status.byteCount, let body = try file.read(count: status.byteCount),
            found.record.digest.isDigest(of: body)
        else { return .damaged }
        return nil
    }

    /// Temporary files and sidecars that nobody can be working on any more.
    private func forgottenPaths() -> [String] {
        var paths: [String] = []
        var sidecars: [DiskSidecar] = []
        let now = wallClock.now
        unsafe DirectoryStream.visit(folder) { name, stream in
            guard let (kind, digest) = unsafe DiskFileKind.classify(name), kind != .body,
                let status = try? unsafe stream.status(name), status.isRegularFile, status.isForgotten(at: now)
            else { return }
            if case .sidecar(let body) = kind {
                sidecars.append(DiskSidecar(digest: digest, body: body, status: status, isOld: true))
            } else {
                paths.append(path(unsafe String(decoding: name, as: UTF8.self)))
            }
        }
        return paths + forgotten(sidecars, removed: []).map { path($0.name) }
    }
}
