#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What the operating system said when a call failed.
struct SystemError: Error, Hashable {
    /// The `errno`.
    let code: Int32

    /// The one of the call that has just failed on this thread.
    static var last: SystemError { SystemError(code: errno) }

    static let noSuchFile = SystemError(code: ENOENT)
    static let notDirectory = SystemError(code: ENOTDIR)
    static let isDirectory = SystemError(code: EISDIR)
    static let noSpace = SystemError(code: ENOSPC)
    static let overQuota = SystemError(code: EDQUOT)
    static let fileTooLarge = SystemError(code: EFBIG)
    static let exists = SystemError(code: EEXIST)
    static let notPermitted = SystemError(code: EPERM)
    static let accessDenied = SystemError(code: EACCES)
    static let readOnly = SystemError(code: EROFS)
    static let symbolicLink = SystemError(code: ELOOP)
    static let outOfMemory = SystemError(code: ENOMEM)
    static let bufferTooSmall = SystemError(code: ERANGE)
    static let interrupted = SystemError(code: EINTR)
    static let wouldBlock = SystemError(code: EWOULDBLOCK)
    static let inputOutput = SystemError(code: EIO)
}

extension SystemError: CustomStringConvertible {
    /// The system's words, such as `No space left on device`.
    var description: String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            unsafe strerror_r(code, buffer.baseAddress!, buffer.count) == 0
                ? unsafe String(cString: buffer.baseAddress!) : "error \(code)"
        }
    }
}

/// Calls again while a signal interrupts.
func retryingInterrupts(_ call: () -> Int) throws(SystemError) -> Int {
    while true {
        let result = call()
        if result >= 0 { return result }
        let error = SystemError.last
        if error != .interrupted { throw error }
    }
}
