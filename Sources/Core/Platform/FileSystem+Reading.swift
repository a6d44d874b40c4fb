import WebImageFoundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension FileSystem {
    /// The bytes of a regular file, links followed; `nil` where it is larger than allowed.
    ///
    /// A folder, a pipe or a device is `notRegular`: reading one could wait for ever.
    static func readRegularFile(_ path: String, maxByteCount: Int) throws(SystemError) -> Data? {
        let file = try FileDescriptor(resolved(path), .read)
        let status = try file.status()
        guard status.isRegularFile else { throw .notRegular }
        guard status.byteCount <= maxByteCount else { return nil }
        return try file.read(count: status.byteCount)
    }

    private static func resolved(_ path: String) throws(SystemError) -> String {
        guard let resolved = unsafe realpath(path, nil) else { throw .last }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}

extension SystemError {
    /// For what is no regular file.
    static let notRegular = SystemError(code: EISDIR)
}
