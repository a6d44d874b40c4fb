#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What the operating system refused, and why in its own words.
struct SystemFault: Error {
    let number: Int32

    /// Of the call that has just failed on this thread.
    static var last: SystemFault { SystemFault(number: errno) }

    static let brokenPipe = EPIPE
    static let interrupted = EINTR

    /// Such as `No space left on device`.
    var reason: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress, strerror_r(number, start, buffer.count) == 0 else {
                return "error \(number)"
            }
            return String(cString: start)
        }
    }
}
