import Dispatch
import FoundationEssentials
import Glibc
import Synchronization
import WebImageCore
import WebImageCurl

/// How long it takes until a cancel closes the connection, as the server sees it.
enum Cancelling {
    static func run() throws {
        let server = try HoldingServer()
        let downloader = ImageDownloader(transport: CurlTransport())
        var times: [Duration] = []
        for number in 0..<200 {
            guard let url = URL(string: "http://127.0.0.1:\(server.port)/\(number)") else { continue }
            let begun = DispatchSemaphore(value: 0)
            let token = downloader.download(
                ImageRequest(url),
                progress: { progress in
                    if progress.receivedByteCount > 0 { begun.signal() }
                }, completion: { _ in })
            begun.wait()
            let start = ContinuousClock.now
            token.cancel()
            times.append(start.duration(to: server.nextClosing()))
        }
        times.sort()
        let milliseconds = [times[times.count / 2], times[times.count * 99 / 100]].map { $0 / .milliseconds(1) }
        print("median \(NetworkBench.text(milliseconds[0])) p99 \(NetworkBench.text(milliseconds[1]))")
    }
}

/// Sends a head and one byte, then waits until the client goes away, one connection after the other.
private final class HoldingServer: Sendable {
    let port: Int
    private let closing = Mutex(ContinuousClock.now)
    private let hasClosed = DispatchSemaphore(value: 0)

    init() throws {
        guard let (listener, port) = NetworkBench.listener() else { NetworkBench.fail("no socket") }
        self.port = port
        DispatchQueue(label: "server").async { [self] in serve(listener) }
    }

    /// Returns when a connection was seen to close, once one was.
    func nextClosing() -> ContinuousClock.Instant {
        hasClosed.wait()
        return closing.withLock { $0 }
    }

    private func serve(_ listener: Int32) {
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\na".utf8)
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            _ = recv(connection, &buffer, buffer.count, 0)
            _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
            while recv(connection, &buffer, buffer.count, 0) > 0 {}
            closing.withLock { $0 = .now }
            hasClosed.signal()
            close(connection)
        }
    }
}
