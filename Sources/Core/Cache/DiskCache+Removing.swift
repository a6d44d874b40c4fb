import WebImageFoundation

extension DiskCache {
    /// Removes all entries and whatever belongs to them, pins included; the folder and files of others stay.
    ///
    /// Goes through all of them before it throws the first error; throws too where the folder cannot be listed.
    /// Where there is no folder there is nothing to remove.
    public func removeAll() throws(ImageError) {
        let lock = try? FolderLock(folder, .exclusive, .long)
        // Bodies first: one without its metadata would look damaged.
        let bodyFailure = removeFiles { $0 == .body }
        // Metadata whose body may be on its way stay; a sweep finds those that are left over. Others may have put a new
        // folder in place meanwhile, which nobody has locked.
        let isAlone = lock?.isOn(folder) ?? false
        let restFailure = removeFiles { $0 != .body && (isAlone || !$0.isSidecar) }
        _ = consume lock
        openFolder.checkAgain()
        try? unpinAll()
        if let failure = bodyFailure ?? restFailure { throw failure }
    }

    /// Removes all entries as `removeAll` does, and the folder too when nothing of others is in it.
    ///
    /// For a person's own namespace at the end of a session. What other processes store meanwhile makes it anew.
    public func purge() throws(ImageError) {
        try removeAll()
        filter.remove()
        try? FileSystem.removeFolder(folder)
    }

    private func removeFiles(_ isWanted: (DiskFileKind) -> Bool) -> ImageError? {
        var failure: ImageError?
        do throws(SystemError) {
            // A folder, link or pipe, whatever it is called, is somebody else's.
            try unsafe DirectoryStream.visitFiles(folder) { name, stream in
                guard let kind = unsafe DiskFileKind.classify(name)?.kind, isWanted(kind) else { return }
                do throws(SystemError) {
                    try unsafe stream.remove(name)
                } catch {
                    guard error != .noSuchFile else { return }
                    failure = failure ?? removeError(unsafe String(decoding: name, as: UTF8.self), error)
                }
            }
        } catch {
            guard error != .noSuchFile, error != .notDirectory else { return nil }
            return warned(.storing, error, .storeFailed, "cannot list \(folder): \(error); \(Self.remedy(error))")
        }
        return failure
    }

    func remove(_ address: DiskAddress) throws(ImageError) {
        guard sidecarName(address) != nil else { return try remove(address.fileName) }
        let lock = try? FolderLock(folder, .exclusive, .short)
        // Again: another may have stored while the lock was waited for.
        let sidecar = lock == nil ? nil : sidecarName(address)
        try remove(address.fileName)
        // After the body: without its metadata it would look damaged. A sweep finds what stays.
        if let sidecar { try remove(sidecar) }
        _ = consume lock
    }

    /// The name of an entry's metadata, where they lie in a file of their own.
    private func sidecarName(_ address: DiskAddress) -> String? {
        guard let file = try? FileDescriptor(path(address.fileName), .read), let status = try? file.status(),
            status.isRegularFile, let body = try? record(address.digest, file, status)?.body
        else { return nil }
        return DiskFileKind.sidecarName(address.digest, body: BodyDigest.name(of: body))
    }

    func remove(_ name: String) throws(ImageError) {
        defer { openFolder.checkAgain() }
        do throws(SystemError) {
            try FileSystem.remove(path(name))
        } catch {
            guard error != .noSuchFile, error != .notDirectory else { return }
            throw removeError(name, error)
        }
    }

    private func removeError(_ name: String, _ error: SystemError) -> ImageError {
        warned(.storing, error, .storeFailed, "cannot remove \(path(name)): \(error)")
    }
}
