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
        /// Ten seconds: where nothing can be done without.
        case longest = 10_000
    }

    /// - Throws: `wouldBlock` when others hold the lock longer than is waited for it; else what the system says where
    ///   there is no folder or it has no such locks.
    init(_ path: String, _ kind: Kind, _ patience: Patience) throws(SystemError) {
        // A link in the last place would not be followed.
        let folder = try FileDescriptor(path + "/.", .read)
        let wish = kind == .shared ? LOCK_SH : LOCK_EX
        for _ in 0..<patience.rawValue {
            if flock(folder.number, wish | LOCK_NB) == 0 {
                self.folder = folder
                return
            }
            let error = SystemError.last
            guard error == .wouldBlock || error == .interrupted else { throw error }
            usleep(1000)
        }
        throw .wouldBlock
    }

    /// Whether the folder is still where it was when it was locked.
    func isOn(_ path: String) -> Bool {
        guard let own = try? folder.status(), let current = try? FileSystem.status(path + "/.") else { return false }
        return own.fileNumber == current.fileNumber
    }
}
