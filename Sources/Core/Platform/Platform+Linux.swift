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

    /// The main thread's id is the process's.
    static var isMainThread: Bool { gettid() == getpid() }

    /// What `/proc/meminfo` says is read where the control groups are.
    static var physicalMemory: Int? { nil }
}
#endif
