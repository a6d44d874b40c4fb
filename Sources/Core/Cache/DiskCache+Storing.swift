import Synchronization
import WebImageFoundation

extension DiskCache {
    func store(_ data: Data, at address: DiskAddress, metadata: DiskMetadata) throws(ImageError) {
        let now = wallClock.now
        let record = DiskRecord(
            key: address.key.text, storedAt: now, byteCount: data.count, digest: metadata.digest(of: data),
            metadata: metadata)
        let encoded = try encode(record, address)
        do {
            try retryingMissingFolder { () throws(SystemError) in
                try write(data, record, encoded, at: address)
            }
        } catch {
            throw storeError(address, error)
        }
        warnings.forget(.storing)
    }

    func setMetadata(_ metadata: DiskMetadata, at address: DiskAddress) throws(ImageError) {
        openFolder.checkAgain()
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
            let status = try? file.status(), attribute(file, expected: address.key)??.digest == record.digest
        else { return false }
        guard (try? file.setExtendedAttribute(Self.attributeName, to: encoded)) != nil else { return false }
        try? file.setTimes(accessed: max(status.accessed, record.storedAt), modified: record.storedAt)
        filter.forgetRecord(of: address.digest)
        return true
    }

    private func write(
        _ data: Data, _ record: DiskRecord, _ encoded: [UInt8], at address: DiskAddress
    ) throws(SystemError) {
        var sidecar: String?
        var lock: FolderLock?
        try replace(address.fileName, of: address) { file throws(SystemError) in
            if !setAttribute(encoded, file) { sidecar = sidecarName(data, address) }
            // First: whenever a body is in its place, so are its metadata.
            if let sidecar {
                lock = try sidecarLock()
                try writeSidecar(sidecar, encoded, address)
            }
            try file.write(data)
            // The system's own date is as good, where that is the clock, and where it refuses another.
            if !(wallClock is SystemWallClock) {
                try? file.setTimes(accessed: record.storedAt, modified: record.storedAt)
            }
            filter.insert(address.digest, isInPlace: false)
        }
        _ = consume lock
        filter.insert(address.digest, isInPlace: true)
        openFolder.checkAgain()
        // Somebody may have taken it for that of the former entry, where there is no lock, or it was that of a folder
        // which others have replaced meanwhile.
        if let sidecar, (try? FileSystem.status(path(sidecar))) == nil {
            try writeSidecar(sidecar, encoded, address)
        }
    }

    /// Keeps others from removing metadata while their body is on its way. Without it there would be bodies that no key
    /// finds; so one that is not to be had fails the store. `nil` where the system has no such locks.
    private func sidecarLock() throws(SystemError) -> FolderLock? {
        do throws(SystemError) {
            return try FolderLock(folder, .shared, lockPatience)
        } catch {
            guard error == .wouldBlock || error == .noSuchFile else { return nil }
            throw error
        }
    }

    /// Whether the metadata went into the file's attribute. Whatever the reason is when not, a sidecar may do.
    private func setAttribute(_ metadata: [UInt8], _ file: borrowing FileDescriptor) -> Bool {
        guard placement == .automatic, metadata.count <= Self.maxAttributeCount else { return false }
        return (try? file.setExtendedAttribute(Self.attributeName, to: metadata)) != nil
    }

    /// What Linux allows in any file system.
    private static let maxAttributeCount = 65_536

    private func writeSidecar(_ name: String, _ encoded: [UInt8], _ address: DiskAddress) throws(SystemError) {
        try replace(name, of: address) { file throws(SystemError) in
            try file.write(Data(encoded))
        }
    }

    private func sidecarName(_ data: Data, _ address: DiskAddress) -> String {
        DiskFileKind.sidecarName(address.digest, body: BodyDigest.name(of: data))
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
        return "\(Self.processName)-\(count)-\(cacheName)"
    }

    /// Of this process.
    private static let processName =
        "\(FileSystem.processIdentifier)-\(String(UInt64.random(in: 0 ... .max), radix: 36))"

    /// A folder that somebody removes in the middle is made again, however busily they do, within reason.
    func retryingMissingFolder(_ missing: String? = nil, _ work: () throws(SystemError) -> Void) throws(SystemError) {
        for _ in 0..<20 {
            do throws(SystemError) {
                return try work()
            } catch {
                guard error == .noSuchFile else { throw error }
                try FileSystem.makeFolder(missing ?? folder)
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
        warned(
            .storing, error, .storeFailed,
            "cannot write \(path(address.fileName)): \(error); \(Self.remedy(error))")
    }

    /// What a person can do about an error.
    static func remedy(_ error: SystemError) -> String {
        switch error {
        case .noSpace, .overQuota: "free some space, or clear the cache"
        case .fileTooLarge: "raise the limit on the size of files"
        case .accessDenied, .notPermitted, .readOnly: "let this user write to the folder, or choose another folder"
        case .notDirectory, .exists: "remove the file that is where the folder should be, or choose another folder"
        case .wouldBlock: "another process has the folder locked all the time; let it go on, or end it"
        default: "check the folder, or choose another folder"
        }
    }
}
