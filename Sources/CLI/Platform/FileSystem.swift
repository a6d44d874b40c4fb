import WebImageFoundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Calls on names of files.
enum FileSystem {
    enum Kind {
        case regular
        case folder
        /// A pipe, a device, a socket.
        case other
    }

    /// What is there, links followed; `nil` for nothing, or nothing that may be seen.
    static func kind(of path: String) -> Kind? {
        guard let status = status(of: path) else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .regular
        case S_IFDIR: return .folder
        default: return .other
        }
    }

    /// In bytes; `nil` for what is no regular file.
    static func size(of path: String) -> Int? {
        guard let status = status(of: path), status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    static func contents(of path: String, atMost limit: Int = .max) throws(SystemFault) -> Data {
        try OpenFile(path, .read).read(atMost: limit)
    }

    /// Fails where there is a folder that cannot be listed, or something else in its place.
    static func checkListing(_ path: String) throws(SystemFault) {
        guard let folder = opendir(path) else {
            let fault = SystemFault.last
            if fault.number == ENOENT { return }
            throw fault
        }
        closedir(folder)
    }

    /// Makes a folder and those above it; one that is there is left as it is.
    static func makeFolder(_ path: String) throws(SystemFault) {
        if mkdir(path, 0o777) == 0 { return }
        let fault = SystemFault.last
        if kind(of: path) == .folder { return }
        guard fault.number == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else { throw fault }
        try makeFolder(String(path[..<slash]))
        guard mkdir(path, 0o777) == 0 || kind(of: path) == .folder else { throw .last }
    }

    /// Puts a file in place as a whole, or not at all.
    ///
    /// A link is followed. What is no regular file, such as `/dev/stdout`, is written to as it is.
    static func write(_ data: Data, to path: String) throws(SystemFault) {
        let target = resolved(path) ?? path
        if kind(of: target) == .other { return try OpenFile(target, .overwrite).write(data) }
        let temporary = temporaryName(beside: target)
        do throws(SystemFault) {
            try OpenFile(temporary, .create).write(data)
            if let former = status(of: target) { chmod(temporary, former.st_mode & 0o777) }
            guard rename(temporary, target) == 0 else { throw .last }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    private static func temporaryName(beside path: String) -> String {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        return "\(folder).webimage-\(getpid())-\(String(UInt64.random(in: 0 ... .max), radix: 36)).tmp"
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }
}
