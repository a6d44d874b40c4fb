#if os(Linux) || os(Android)
import CWebImageSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What differs from one system to the other.
enum Platform {
    /// `O_NOATIME`.
    static let withoutAccessTime = __O_NOATIME

    /// `O_PATH` and `O_DIRECTORY`.
    static let placeOnly = __O_PATH | __O_DIRECTORY

    /// The size, or −1.
    static func attribute(_ number: Int32, _ name: String, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        unsafe fgetxattr(number, name, buffer.baseAddress, buffer.count)
    }

    static func setAttribute(_ number: Int32, _ name: String, to bytes: UnsafeRawBufferPointer) -> Int32 {
        unsafe fsetxattr(number, name, bytes.baseAddress, bytes.count, 0)
    }

    static func removeAttribute(_ number: Int32, _ name: String) -> Int32 {
        unsafe fremovexattr(number, name)
    }

    static func accessTime(_ status: stat) -> timespec { status.st_atim }

    static func modificationTime(_ status: stat) -> timespec { status.st_mtim }

    static func changeTime(_ status: stat) -> timespec { status.st_ctim }

    /// Of a name in a folder, a link not followed; `nil` tells `errno`.
    static func status(_ folder: Int32, _ name: UnsafePointer<CChar>) -> FileStatus? {
        var result = cwebimage_statx()
        let wanted = basicStatus | creationTime
        guard unsafe statx(folder, name, AT_SYMLINK_NOFOLLOW, wanted, &result) == 0 else { return nil }
        return FileStatus(result)
    }

    /// `STATX_BASIC_STATS`.
    private static let basicStatus: UInt32 = 0x7FF
    /// `STATX_BTIME`.
    fileprivate static let creationTime: UInt32 = 0x800

    /// Whether all processes see at once what one writes to a file that others have mapped: so on the local file
    /// systems named here, and not on those of networks.
    static func hasCoherentMappings(_ number: Int32) -> Bool {
        var result = cwebimage_statfs()
        guard unsafe fstatfs(number, &result) == 0 else { return false }
        return coherentFileSystems.contains(UInt32(truncatingIfNeeded: result.type))
    }

    /// ext2 to ext4, XFS, Btrfs, tmpfs, F2FS, overlayfs, bcachefs; by the numbers of <linux/magic.h>.
    private static let coherentFileSystems: Set<UInt32> = [
        0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0xF2F5_2010, 0x794C_7630, 0xCA45_1A4E,
    ]

    /// A folder being listed.
    typealias Directory = OpaquePointer

    /// The main thread's id is the process's.
    static var isMainThread: Bool { gettid() == getpid() }

    /// Another one whenever the system starts, the same for all processes, and told to nobody elsewhere.
    static var startIdentifier: String? {
        let file = try? FileDescriptor("/proc/sys/kernel/random/boot_id", .read)
        return (try? file?.readAll(limit: 64)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// What `/proc/meminfo` says is read where the control groups are.
    static var physicalMemory: Int? { nil }
}

extension FileStatus {
    fileprivate init(_ status: cwebimage_statx) {
        fileNumber = status.file_number
        byteCount = Int(clamping: status.byte_count)
        accessed = WallTime(status.accessed)
        modified = WallTime(status.modified)
        changed = WallTime(status.changed)
        created = status.mask & Platform.creationTime == 0 ? changed : WallTime(status.created)
        isRegularFile = mode_t(status.mode) & S_IFMT == S_IFREG
        isFolder = mode_t(status.mode) & S_IFMT == S_IFDIR
    }
}

extension WallTime {
    fileprivate init(_ time: cwebimage_statx_time) {
        self.init(seconds: time.seconds, nanoseconds: Int32(clamping: time.nanoseconds))
    }
}
#endif
