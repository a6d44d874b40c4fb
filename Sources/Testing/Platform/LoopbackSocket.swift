#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A TCP socket on 127.0.0.1, all calls blocking. Whoever made it closes it.
struct LoopbackSocket: Sendable {
    let descriptor: Int32

    /// Why a socket could not be had.
    struct Fault: Error, CustomStringConvertible {
        var call: String
        var number = errno

        var description: String { "\(call) on 127.0.0.1 failed: \(String(cString: strerror(number)))" }
    }

    /// Listens at a port; 0 has the system choose.
    static func listening(port: Int = 0) throws -> LoopbackSocket {
        _ = hasAllDescriptors
        let socket = LoopbackSocket(descriptor: socket(AF_INET, streamType, 0))
        guard socket.descriptor >= 0 else { throw Fault(call: "socket") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(clamping: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket.descriptor, $0, length) == 0 }
        }
        guard isBound, listen(socket.descriptor, 512) == 0 else {
            let fault = Fault(call: isBound ? "listen" : "bind")
            socket.close()
            throw fault
        }
        return socket
    }

    /// Tests that run side by side have a server or two each: as many descriptors as the system allows are asked for.
    private static let hasAllDescriptors: Bool = {
        var limit = rlimit()
        guard getrlimit(descriptorLimit, &limit) == 0 else { return false }
        limit.rlim_cur = limit.rlim_max
        return setrlimit(descriptorLimit, &limit) == 0
    }()

    var port: Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// The next connection; `nil` once `shutdown` was called.
    func accept() -> LoopbackSocket? {
        while true {
            let accepted = acceptConnection(descriptor)
            if accepted >= 0 {
                let connection = LoopbackSocket(descriptor: accepted)
                connection.sendAtOnce()
                return connection
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            // Who has descriptors gives them back some time; a server that gave up would leave its test waiting.
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: poll(nil, 0, 10)
            default: return nil
            }
        }
    }

    /// The next bytes; empty when the other side has closed, or the connection is broken.
    func receive() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 16 * 1024) { buffer, count in
            var received = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            while received < 0, errno == EINTR { received = recv(descriptor, buffer.baseAddress, buffer.count, 0) }
            count = max(received, 0)
        }
    }

    /// Whether all bytes could be sent.
    func send(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let sent = sendBytes(descriptor, UnsafeRawBufferPointer(rebasing: rest))
                if sent < 0, errno == EINTR { continue }
                guard sent > 0 else { return false }
                rest = rest.dropFirst(sent)
            }
            return true
        }
    }

    /// Ends both directions, which wakes a thread that is blocked in one of them.
    func shutdown() {
        shutDownDescriptor(descriptor, Self.shutdownReadAndWrite)
    }

    /// Says that no more comes; the other side reads what was sent.
    func finishSending() {
        shutDownDescriptor(descriptor, Self.shutdownWrite)
    }

    /// Has the next `close` break the connection by a reset (RST).
    func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    func close() {
        closeDescriptor(descriptor)
    }

    /// Small pieces go out when they are sent, not when more has come together.
    private func sendAtOnce() {
        var option: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &option, socklen_t(MemoryLayout<Int32>.size))
    }
}

// The methods above hide the C functions of the same names.

private func acceptConnection(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }

private func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    send(descriptor, bytes.baseAddress, bytes.count, LoopbackSocket.sendFlags)
}

private func shutDownDescriptor(_ descriptor: Int32, _ how: Int32) { _ = shutdown(descriptor, how) }

private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
