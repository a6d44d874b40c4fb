#if canImport(Darwin)
import Darwin

/// What differs from one system to the other.
enum Platform {
    /// Apple's systems do not note accesses eagerly.
    static let withoutAccessTime: Int32 = 0

    /// Of a folder; it must be readable here.
    static let placeOnly = O_RDONLY | O_DIRECTORY

    /// The size, or −1.
    static func attribute(_ number: Int32, _ name: String, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        unsafe fgetxattr(number, name, buffer.baseAddress, buffer.count, 0, 0)
    }

    static func setAttribute(_ number: Int32, _ name: String, to bytes: UnsafeRawBufferPointer) -> Int32 {
        unsafe fsetxattr(number, name, bytes.baseAddress, bytes.count, 0, 0)
    }

    static func removeAttribute(_ number: Int32, _ name: String) -> Int32 {
        unsafe fremovexattr(number, name, 0)
    }

    static func accessTime(_ status: stat) -> timespec { status.st_atimespec }

    static func modificationTime(_ status: stat) -> timespec { status.st_mtimespec }

    static func changeTime(_ status: stat) -> timespec { status.st_ctimespec }

    /// Of a name in a folder, a link not followed; `nil` tells `errno`.
    static func status(_ folder: Int32, _ name: UnsafePointer<CChar>) -> FileStatus? {
        var result = stat()
        guard unsafe fstatat(folder, name, &result, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        var status = FileStatus(result)
        status.created = WallTime(result.st_birthtimespec)
        return status
    }

    /// Not asked: look-ups go to the file system.
    static func hasCoherentMappings(_ number: Int32) -> Bool { false }

    /// A folder being listed.
    typealias Directory = UnsafeMutablePointer<DIR>

    static var isMainThread: Bool { pthread_main_np() == 1 }

    /// The kernel has one, `kern.bootsessionuuid`; until somebody can try it there, every process goes by its own.
    static var startIdentifier: String? { nil }

    /// `hw.memsize`.
    static var physicalMemory: Int? {
        var bytes: UInt64 = 0
        var size = MemoryLayout<UInt64>.size
        guard unsafe sysctlbyname("hw.memsize", &bytes, &size, nil, 0) == 0 else { return nil }
        return Int(exactly: bytes)
    }
}
#endif
