import WebImageFoundation

extension DiskCache {
    func data(at address: DiskAddress) throws(ImageError) -> CachedData? {
        guard filter.mayContain(address.digest) else { return nil }
        do throws(SystemError) {
            let entry = try entry(at: address)
            warnings.forget(.reading)
            return entry
        } catch {
            try refused(address, error)
            return nil
        }
    }

    /// The record of an entry whose bytes look whole from outside.
    func record(at address: DiskAddress) throws(ImageError) -> DiskRecord? {
        guard filter.mayContain(address.digest) else { return nil }
        do throws(SystemError) {
            let file = try openFolder.file(address.fileName)
            let status = try file.status()
            warnings.forget(.reading)
            guard status.isRegularFile, let record = try record(address.digest, file, status)?.record,
                address.key.hasText(record.key), record.byteCount == status.byteCount
            else { return nil }
            return record
        } catch {
            try refused(address, error)
            return nil
        }
    }

    private func entry(at address: DiskAddress) throws(SystemError) -> CachedData? {
        let file = try openFolder.file(address.fileName)
        let status = try file.status()
        guard status.isRegularFile else { return nil }
        guard let attribute = attribute(of: address, file, status) else {
            return try dataBesideSidecar(address, file, status)
        }
        guard let record = attribute, address.key.hasText(record.key) else { return nil }
        let data = record.byteCount == status.byteCount ? try file.read(count: status.byteCount) : nil
        guard let data, !verifiesDigest || record.digest.isDigest(of: data) else {
            removeDamaged(address, status)
            return nil
        }
        noteAccess(file, status)
        return CachedData(data: data, metadata: record.metadata)
    }

    func contains(_ address: DiskAddress) -> Bool {
        (try? record(at: address)) != nil
    }

    /// The record of an open file, whatever its key, and its bytes where they had to be read for it.
    func record(
        _ digest: DiskDigest, _ file: borrowing FileDescriptor, _ status: FileStatus
    ) throws(SystemError) -> (record: DiskRecord, body: Data?)? {
        if let attribute = attribute(file, expected: nil) { return attribute.map { ($0, nil) } }
        guard let body = try bodyBesideSidecar(file, status) else { return nil }
        return sidecarRecord(digest, body).map { ($0, body) }
    }

    /// The record of an entry's open file, as below, from the copy where there is one.
    private func attribute(
        of address: DiskAddress, _ file: borrowing FileDescriptor, _ status: FileStatus
    ) -> DiskRecord?? {
        if let copy = filter.record(of: address, status) { return copy }
        return unsafe file.withExtendedAttribute(Self.attributeName) { bytes -> DiskRecord?? in
            guard let bytes = unsafe bytes else { return nil }
            guard let record = unsafe DiskRecord(bytes, expected: address.key) else { return .some(nil) }
            filter.noteRead(in: folder)
            unsafe filter.keep(bytes, of: address.digest, status, now: wallClock.now)
            return record
        }
    }

    /// The record in a file's attribute, `nil` in the inner place where it is none; `nil` where there is no attribute.
    func attribute(_ file: borrowing FileDescriptor, expected: CacheKey?) -> DiskRecord?? {
        unsafe file.withExtendedAttribute(Self.attributeName) { bytes -> DiskRecord?? in
            guard let bytes = unsafe bytes else { return nil }
            return .some(unsafe DiskRecord(bytes, expected: expected))
        }
    }

    /// Without an attribute only the bytes themselves tell which metadata are theirs.
    private func dataBesideSidecar(
        _ address: DiskAddress, _ file: borrowing FileDescriptor, _ status: FileStatus
    ) throws(SystemError) -> CachedData? {
        guard let body = try bodyBesideSidecar(file, status) else { return nil }
        guard let record = sidecarRecord(address.digest, body) else {
            // Whoever stores writes the metadata first: these bytes are not what was stored.
            if status.modified < wallClock.now.subtracting(.seconds(60)) { removeDamaged(address, status) }
            return nil
        }
        guard address.key.hasText(record.key) else { return nil }
        noteAccess(file, status)
        return CachedData(data: body, metadata: record.metadata)
    }

    private func bodyBesideSidecar(
        _ file: borrowing FileDescriptor, _ status: FileStatus
    ) throws(SystemError) -> Data? {
        guard status.byteCount <= Self.maxSidecarBodyCount else { return nil }
        return try file.read(count: status.byteCount)
    }

    /// The metadata that were stored with a body.
    private func sidecarRecord(_ digest: DiskDigest, _ body: Data) -> DiskRecord? {
        let name = DiskFileKind.sidecarName(digest, body: BodyDigest.name(of: body))
        guard let file = try? FileDescriptor(path(name), .read),
            let status = try? file.status(), status.isRegularFile,
            status.byteCount <= DiskRecord.maxEncodedCount, let data = try? file.read(count: status.byteCount),
            let record = DiskRecord(Array(data)), record.digest.isDigest(of: body)
        else { return nil }
        return record
    }

    /// A larger body without an attribute is not looked at; it would all have to be read to know whose it is.
    static let maxSidecarBodyCount = 1 << 30

    /// The next accesses are told well enough from one.
    private func noteAccess(_ file: borrowing FileDescriptor, _ status: FileStatus) {
        let now = wallClock.now
        let isRecent = status.accessed > now.subtracting(accessGranularity) && status.accessed <= now
        if isRecent { return }
        // A folder that only others may write to is read without a note.
        try? file.setTimes(accessed: now, modified: min(status.modified, now))
    }

    /// Takes a file that is not there for a miss, and tells of all else that the system refuses.
    private func refused(_ address: DiskAddress, _ error: SystemError) throws(ImageError) {
        switch error {
        case .noSuchFile: filter.noteMiss(in: folder)
        case .notDirectory, .symbolicLink: break
        default: throw warned(.reading, error, .fileNotReadable, "cannot read \(path(address.fileName)): \(error)")
        }
    }

    /// Removes an entry whose bytes are not what was stored, unless another has put a good one in its place meanwhile.
    func removeDamaged(_ address: DiskAddress, _ status: FileStatus) {
        let path = path(address.fileName)
        let current = try? FileSystem.status(path)
        guard current?.fileNumber == status.fileNumber, current?.modified == status.modified else { return }
        try? FileSystem.remove(path)
    }
}
