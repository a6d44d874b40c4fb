import WebImageFoundation

extension DiskCache {
    /// Moves a folder to another place, or what is in it where there is a folder already.
    ///
    /// A folder that is not there, or is moved to itself, is left alone. A file at the new place is replaced. Of two
    /// entries of one key the one stored last stays. The old folder goes, unless something of others is in it that the
    /// new one has under the same name. Both must be on one file system. Everything else that uses the old folder finds
    /// it gone.
    ///
    /// - Throws: `storeFailed` at the first file that cannot be moved; what was moved before stays moved.
    public static func moveFolder(from old: String, to new: String) throws(ImageError) {
        do throws(SystemError) {
            guard old != new, try isFolder(old) == true else { return }
            if try isFolder(new) == true { return try merge(old, into: new) }
            if (try? FileSystem.status(new)) != nil { try FileSystem.remove(new) }
            let parent = new.prefix(upTo: new.lastIndex(of: "/") ?? new.startIndex)
            if !parent.isEmpty { try FileSystem.makeFolder(String(parent)) }
            try FileSystem.move(old, to: new)
        } catch {
            throw ImageError(
                .storeFailed, .cache, "cannot move \(old) to \(new): \(error); both must be on one file system",
                underlying: error)
        }
    }

    /// Whether there is a folder; `nil` for nothing at all.
    private static func isFolder(_ path: String) throws(SystemError) -> Bool? {
        do throws(SystemError) {
            return try FileSystem.status(path).isFolder
        } catch {
            guard error == .noSuchFile || error == .notDirectory else { throw error }
            return nil
        }
    }

    private static func merge(_ old: String, into new: String) throws(SystemError) {
        guard try !isSame(old, new) else { return }
        // Metadata before the bodies that they belong to.
        let names = try FileSystem.names(in: old).sorted { $0.hasPrefix(".") && !$1.hasPrefix(".") }
        for name in names {
            let (source, target) = (old + "/" + name, new + "/" + name)
            // It knows the entries of one folder only.
            guard name != ".filter" else {
                try FileSystem.remove(source)
                continue
            }
            guard let existing = try? FileSystem.status(target) else {
                try FileSystem.move(source, to: target)
                continue
            }
            let status = try FileSystem.status(source)
            if status.isFolder, existing.isFolder {
                try merge(source, into: target)
            } else if status.isRegularFile, existing.isRegularFile {
                if status.modified > existing.modified {
                    try FileSystem.move(source, to: target)
                } else {
                    try FileSystem.remove(source)
                }
            }
        }
        try? FileSystem.removeFolder(old)
    }

    private static func isSame(_ old: String, _ new: String) throws(SystemError) -> Bool {
        try FileSystem.status(old).fileNumber == FileSystem.status(new).fileNumber
    }
}
