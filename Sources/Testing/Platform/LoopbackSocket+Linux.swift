#if canImport(Glibc)
import Glibc

extension LoopbackSocket {
    static var streamType: Int32 { Int32(SOCK_STREAM.rawValue) }
    /// A write to a connection that the other side has closed is an error, not a signal.
    static var sendFlags: Int32 { Int32(MSG_NOSIGNAL) }
    static var descriptorLimit: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    static var shutdownReadAndWrite: Int32 { Int32(SHUT_RDWR) }
    static var shutdownWrite: Int32 { Int32(SHUT_WR) }
}
#endif
