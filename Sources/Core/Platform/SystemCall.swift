#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Calls under names of their own: inside `FileDescriptor` the short ones mean its methods.
enum SystemCall {
    static func openFile(_ path: String, in folder: Int32, _ flags: Int32, _ permissions: mode_t) -> Int32 {
        unsafe openat(folder, path, flags, permissions)
    }

    static func linkFile(_ old: String, _ new: String) -> Int32 {
        unsafe link(old, new)
    }

    static func readBytes(_ number: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        unsafe read(number, buffer.baseAddress, buffer.count)
    }

    static func writeBytes(_ number: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        unsafe write(number, bytes.baseAddress, bytes.count)
    }
}
