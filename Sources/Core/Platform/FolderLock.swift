#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A lock on a folder among all processes, held until the value goes; the system takes it from a process that dies.
struct FolderLock: ~Copyable {
    private let folder: FileDescriptor

    enum Kind {
        /// With others of this kind.
        case shared
        /// Alone.
        case exclusive
    }

    /// Waits a twentieth of a second at most; `nil` when others hold the lock longer, or there is no folder.
    init?(_ path: String, _ kind: Kind) {
        guard let folder = try? FileDescriptor(path, .read) else { return nil }
        let wish = kind == .shared ? LOCK_SH : LOCK_EX
        for _ in 0..<50 {
            if flock(folder.number, wish | LOCK_NB) == 0 {
                self.folder = folder
                return
            }
            guard SystemError.last == .wouldBlock || SystemError.last == .interrupted else { break }
            usleep(1000)
        }
        return nil
    }
}
