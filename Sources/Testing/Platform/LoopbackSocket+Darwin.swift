#if canImport(Darwin)
import Darwin

extension LoopbackSocket {
    static var streamType: Int32 { SOCK_STREAM }
    /// A write to a connection that the other side has closed is an error, not a signal.
    static var sendFlags: Int32 { 0x80000 }
    static var descriptorLimit: Int32 { RLIMIT_NOFILE }
    static var shutdownReadAndWrite: Int32 { SHUT_RDWR }
    static var shutdownWrite: Int32 { SHUT_WR }
}
#endif
