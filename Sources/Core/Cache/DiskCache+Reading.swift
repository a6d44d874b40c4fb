import WebImageFoundation

extension DiskCache {
    /// The metadata that belong to an open file, and where they were found.
    private struct Found {
        var record: DiskRecord
        var status: FileStatus
        var isSidecar: Bool
    }

    func data(at address: DiskAddress) throws(ImageError) -> CachedData? {
        try missing(address) { () throws(SystemError) in
            let file = try FileDescriptor(path(address.fileName), .read)
            guard let found = try find(address, file) else { return nil }
            guard found.record.byteCount == found.status.byteCount,
                let data = try file.read(count: found.status.byteCount)
            else {
                found.isSidecar ? removeMismatched(address, found) : removeDamaged(address, found)
                return nil
            }
            // A sidecar and a body are put in place one after the other: only the digest shows that they belong
            // together.
            if found.isSidecar, Digest.sha256(data) != found.record.digest {
                removeMismatched(address, found)
                return nil
            }
            noteAccess(file, found.status)
            return CachedData(data: data, metadata: found.record.metadata)
        }
    }

    /// The record of an entry whose bytes look whole from outside.
    func record(at address: DiskAddress) throws(ImageError) -> DiskRecord? {
        try missing(address) { () throws(SystemError) in
            let file = try FileDescriptor(path(address.fileName), .read)
            let found = try find(address, file)
            return found?.record.byteCount == found?.status.byteCount ? found?.record : nil
        }
    }

    func contains(_ address: DiskAddress) -> Bool {
        (try? record(at: address)) != nil
    }

    /// The record of a file of the folder, whatever its key.
    func anyRecord(_ name: String, digest: Substring) -> DiskRecord? {
        guard let file = try? FileDescriptor(path(name), .read) else { return nil }
        return file.extendedAttribute(Self.attributeName).flatMap { DiskRecord($0) } ?? sidecarRecord(digest)
    }

    private func find(_ address: DiskAddress, _ file: borrowing FileDescriptor) throws(SystemError) -> Found? {
        let status = try file.status()
        guard status.isRegularFile else { return nil }
        if let attribute = file.extendedAttribute(Self.attributeName) {
            guard let record = DiskRecord(attribute), isOf(record, address) else { return nil }
            return Found(record: record, status: status, isSidecar: false)
        }
        guard let record = sidecarRecord(address.digest[...]), isOf(record, address) else { return nil }
        return Found(record: record, status: status, isSidecar: true)
    }

    /// Byte for byte, for texts that mean the same are different keys.
    private func isOf(_ record: DiskRecord, _ address: DiskAddress) -> Bool {
        address.key.hasText(record.key)
    }

    private func sidecarRecord(_ digest: Substring) -> DiskRecord? {
        guard let file = try? FileDescriptor(path(DiskFileKind.sidecarName(digest)), .read),
            let status = try? file.status(), status.isRegularFile,
            status.byteCount <= DiskRecord.maxEncodedCount, let data = try? file.read(count: status.byteCount)
        else { return nil }
        return DiskRecord(Array(data))
    }

    /// At most once a second: the next access is told well enough from it, and a write less is much for a hit.
    private func noteAccess(_ file: borrowing FileDescriptor, _ status: FileStatus) {
        let now = wallClock.now
        let isRecent = status.accessed > now.subtracting(.seconds(1)) && status.accessed <= now
        if isRecent { return }
        // A folder that only others may write to is read without a note.
        try? file.setTimes(accessed: now, modified: status.modified)
    }

    /// Takes a file that is not there for a miss, and tells of all else that the system refuses.
    private func missing<Result>(
        _ address: DiskAddress, _ body: () throws(SystemError) -> Result?
    ) throws(ImageError) -> Result? {
        do throws(SystemError) {
            return try body()
        } catch {
            switch error {
            case .noSuchFile, .notDirectory, .symbolicLink: return nil
            default:
                throw ImageError(
                    .fileNotReadable, .cache, "cannot read \(path(address.fileName)): \(error)", underlying: error)
            }
        }
    }
}

extension DiskCache {
    /// Removes an entry whose metadata are its own but whose bytes are not all there.
    private func removeDamaged(_ address: DiskAddress, _ found: Found) {
        let current = try? FileSystem.status(path(address.fileName))
        // Another may have put a good one in its place meanwhile.
        guard current?.fileNumber == found.status.fileNumber else { return }
        try? remove(address)
    }

    /// Removes a pair that does not belong together, unless somebody may just be making one of it.
    private func removeMismatched(_ address: DiskAddress, _ found: Found) {
        let recently = wallClock.now.subtracting(.seconds(60))
        guard found.status.modified < recently, found.record.storedAt < recently else { return }
        removeDamaged(address, found)
    }
}
