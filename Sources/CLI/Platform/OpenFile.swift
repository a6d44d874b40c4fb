import WebImageFoundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that is open, closed when this value goes.
struct OpenFile: ~Copyable {
    private let number: Int32
    private let isOwned: Bool

    enum Purpose {
        case read
        /// A file that is there, or a device.
        case overwrite
        /// A file that must not be there yet.
        case create
    }

    init(_ path: String, _ purpose: Purpose) throws(SystemFault) {
        let flags =
            switch purpose {
            case .read: O_RDONLY
            case .overwrite: O_WRONLY
            case .create: O_WRONLY | O_CREAT | O_EXCL
            }
        number = open(path, flags | O_CLOEXEC, 0o666)
        isOwned = true
        guard number >= 0 else { throw .last }
    }

    private init(_ number: Int32) {
        self.number = number
        isOwned = false
    }

    static var standardInput: OpenFile { OpenFile(STDIN_FILENO) }
    static var standardOutput: OpenFile { OpenFile(STDOUT_FILENO) }
    static var standardError: OpenFile { OpenFile(STDERR_FILENO) }

    deinit {
        if isOwned { close(number) }
    }

    /// Whether a person may be looking.
    var isTerminal: Bool { isatty(number) == 1 }

    /// The width and height of the terminal in characters; `nil` where there is none, or none is told.
    var terminalSize: (columns: Int, rows: Int)? {
        var size = winsize()
        guard ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// All that is left, or the first so many bytes of it. A cancelled task waits no longer: `interrupted`.
    func read(atMost limit: Int) throws(SystemFault) -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while data.count < limit {
            try waitForBytes()
            let count = systemRead(number, &buffer, min(buffer.count, limit - data.count))
            if count == 0 { break }
            if count > 0 { data.append(contentsOf: buffer[..<count]) }
            if count < 0, errno != EINTR { throw .last }
        }
        return data
    }

    /// A pipe or a terminal may be silent for ever.
    private func waitForBytes() throws(SystemFault) {
        var waiting = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        while poll(&waiting, 1, 100) == 0 {
            if Task.isCancelled { throw SystemFault(number: SystemFault.interrupted) }
        }
    }

    func write(_ data: Data) throws(SystemFault) {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(number, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var waiting = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                poll(&waiting, 1, -1)
            } else if errno != EINTR {
                throw .last
            }
        }
    }

    func write(_ text: String) throws(SystemFault) {
        try write(Data(text.utf8))
    }
}

// Under other names, since the methods of the file hide these.
private let systemRead = read(_:_:_:)
private let systemWrite = write(_:_:_:)
