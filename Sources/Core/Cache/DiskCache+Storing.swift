import Synchronization
import WebImageFoundation

extension DiskCache {
    func store(_ data: Data, at address: DiskAddress, metadata: DiskMetadata) throws(ImageError) {
        let now = wallClock.now
        let record = DiskRecord(
            key: address.key.text, storedAt: now, byteCount: data.count, digest: Digest.sha256(data),
            metadata: metadata)
        let encoded = try encode(record, address)
        do {
            try retryingMissingFolder { () throws(SystemError) in
                try write(data, at: address, metadata: encoded, now: now)
            }
        } catch {
            throw storeError(address, error)
        }
    }

    func setMetadata(_ metadata: DiskMetadata, at address: DiskAddress) throws(ImageError) {
        guard var record = try record(at: address) else { return }
        record.metadata = metadata
        record.storedAt = wallClock.now
        if replaceAttribute(try encode(record, address), of: record, at: address) { return }
        guard let entry = try data(at: address) else { return }
        try store(entry.data, at: address, metadata: metadata)
    }

    /// Whether the file had the metadata in its attribute, and now has the new ones there.
    private func replaceAttribute(_ encoded: [UInt8], of record: DiskRecord, at address: DiskAddress) -> Bool {
        guard let file = try? FileDescriptor(path(address.fileName), .read),
            let former = file.extendedAttribute(Self.attributeName), let status = try? file.status(),
            DiskRecord(former)?.digest == record.digest
        else { return false }
        guard (try? file.setExtendedAttribute(Self.attributeName, to: encoded)) != nil else { return false }
        try? file.setTimes(accessed: max(status.accessed, record.storedAt), modified: record.storedAt)
        return true
    }

    private func write(_ data: Data, at address: DiskAddress, metadata: [UInt8], now: WallTime) throws(SystemError) {
        try replace(address.fileName, of: address) { file throws(SystemError) in
            try file.write(data)
            if !setAttribute(metadata, file) { try writeSidecar(metadata, address) }
            // Where the system refuses, its own date of the writing does.
            try? file.setTimes(accessed: now, modified: now)
        }
    }

    /// Whether the metadata went into the file's attribute. Whatever the reason is when not, a sidecar may do.
    private func setAttribute(_ metadata: [UInt8], _ file: borrowing FileDescriptor) -> Bool {
        guard placement == .automatic else { return false }
        return (try? file.setExtendedAttribute(Self.attributeName, to: metadata)) != nil
    }

    /// The sidecar goes first: bytes without metadata would be counted, metadata without bytes are not.
    private func writeSidecar(_ metadata: [UInt8], _ address: DiskAddress) throws(SystemError) {
        try replace(DiskFileKind.sidecarName(address.digest), of: address) { file throws(SystemError) in
            try file.write(Data(metadata))
        }
    }

    /// Fills a temporary file and puts it in place of `name`; on an error no trace of it is left.
    private func replace(
        _ name: String, of address: DiskAddress, _ fill: (borrowing FileDescriptor) throws(SystemError) -> Void
    ) throws(SystemError) {
        let temporary = path(DiskFileKind.temporaryName(address.digest, unique: uniqueName()))
        let file = try FileDescriptor(temporary, .createNew)
        do throws(SystemError) {
            try fill(file)
            try FileSystem.move(temporary, to: path(name))
        } catch {
            try? FileSystem.remove(temporary)
            throw error
        }
    }

    /// Of this call among all processes, also those that had the same id before or have it on another machine.
    private func uniqueName() -> String {
        let count = storeCount.wrappingAdd(1, ordering: .relaxed).newValue
        let random = String(UInt32.random(in: 0 ... .max), radix: 36)
        return "\(FileSystem.processIdentifier)-\(count)-\(random)"
    }

    /// A folder that somebody removes in the middle is made again, however busily they do, within reason.
    private func retryingMissingFolder(_ work: () throws(SystemError) -> Void) throws(SystemError) {
        for _ in 0..<20 {
            do throws(SystemError) {
                return try work()
            } catch {
                guard error == .noSuchFile else { throw error }
                try FileSystem.makeFolder(folder)
            }
        }
        try work()
    }

    private func encode(_ record: DiskRecord, _ address: DiskAddress) throws(ImageError) -> [UInt8] {
        if let encoded = record.encoded() { return encoded }
        throw ImageError(
            .storeFailed, .store,
            "the key and metadata of \(path(address.fileName)) are over the limit of "
                + "\(DiskRecord.maxEncodedCount) bytes; keep less extended data")
    }

    private func storeError(_ address: DiskAddress, _ error: SystemError) -> ImageError {
        ImageError(
            .storeFailed, .store, "cannot write \(path(address.fileName)): \(error); \(Self.remedy(error))",
            underlying: error)
    }

    /// What a person can do about an error.
    private static func remedy(_ error: SystemError) -> String {
        switch error {
        case .noSpace, .overQuota: "free some space, or clear the cache"
        case .fileTooLarge: "raise the limit on the size of files"
        case .accessDenied, .notPermitted, .readOnly: "let this user write to the folder, or choose another folder"
        case .notDirectory, .exists: "remove the file that is where the folder should be, or choose another folder"
        default: "check the folder, or choose another folder"
        }
    }
}
