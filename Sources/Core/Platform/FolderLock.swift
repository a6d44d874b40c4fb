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

    /// How long a lock is waited for.
    enum Patience: Int {
        /// A twentieth of a second: where it can be done without.
        case short = 50
        /// A second: where that leaves something to be mended.
        case long = 1000
    }

    /// `nil` when others hold the lock longer than is waited for it, or there is no folder.
    init?(_ path: String, _ kind: Kind, _ patience: Patience) {
        guard let folder = try? FileDescriptor(path, .read) else { return nil }
        let wish = kind == .shared ? LOCK_SH : LOCK_EX
        for _ in 0..<patience.rawValue {
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
