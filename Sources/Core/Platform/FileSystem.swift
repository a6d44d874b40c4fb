#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What a file system knows of a file.
struct FileStatus: Hashable {
    /// Tells files of one folder apart at one time.
    var fileNumber: UInt64
    var byteCount: Int
    var accessed: WallTime
    var modified: WallTime
    /// When anything about the file last changed, by the system's clock.
    var changed: WallTime
    /// When the file came to be, by the system's clock; `changed` where that is not known.
    var created: WallTime
    var isRegularFile: Bool
    var isFolder: Bool

    init(_ status: stat) {
        fileNumber = UInt64(status.st_ino)
        byteCount = Int(status.st_size)
        accessed = WallTime(Platform.accessTime(status))
        modified = WallTime(Platform.modificationTime(status))
        changed = WallTime(Platform.changeTime(status))
        created = changed
        isRegularFile = status.st_mode & S_IFMT == S_IFREG
        isFolder = status.st_mode & S_IFMT == S_IFDIR
    }
}

extension WallTime {
    init(_ time: timespec) {
        self.init(seconds: Int64(time.tv_sec), nanoseconds: Int32(clamping: time.tv_nsec))
    }
}

/// Calls on names of files.
enum FileSystem {
    /// Of this process.
    static var processIdentifier: Int32 { getpid() }

    /// Of the file itself, not of what a link points to.
    static func status(_ path: String) throws(SystemError) -> FileStatus {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw .last }
        return FileStatus(status)
    }

    /// Puts a file in another's place at one stroke.
    static func move(_ old: String, to new: String) throws(SystemError) {
        guard unsafe rename(old, new) == 0 else { throw .last }
    }

    /// Removes a file; one that is not there is an error.
    static func remove(_ path: String) throws(SystemError) {
        guard unsafe unlink(path) == 0 else { throw .last }
    }

    /// Gives a file a second name; an error where that is taken.
    static func link(_ old: String, as new: String) throws(SystemError) {
        guard SystemCall.linkFile(old, new) == 0 else { throw .last }
    }

    /// Removes an empty folder.
    static func removeFolder(_ path: String) throws(SystemError) {
        guard unsafe rmdir(path) == 0 else { throw .last }
    }

    /// Sets when a file was last read and last written; a link is not followed.
    static func setTimes(_ path: String, accessed: WallTime, modified: WallTime) throws(SystemError) {
        let times = [accessed.specification, modified.specification]
        guard unsafe utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) == 0 else { throw .last }
    }

    /// Makes a folder and those above it, for the owner only; present ones are left as they are.
    static func makeFolder(_ path: String) throws(SystemError) {
        if unsafe mkdir(path, 0o700) == 0 { return }
        let error = SystemError.last
        switch error {
        case .exists: return
        case .noSuchFile:
            let parent = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
            guard !parent.isEmpty else { throw error }
            try makeFolder(String(parent))
            guard unsafe mkdir(path, 0o700) == 0 || SystemError.last == .exists else { throw .last }
        default: throw error
        }
    }

    /// The names in a folder in no order, `.` and `..` left out.
    static func names(in folder: String) throws(SystemError) -> [String] {
        let stream = try DirectoryStream(folder)
        var names: [String] = []
        while let name = unsafe stream.next({ unsafe String(decoding: $0, as: UTF8.self) }) { names.append(name) }
        return names
    }
}
