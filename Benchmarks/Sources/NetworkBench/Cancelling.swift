import Foundation
import Glibc
import Synchronization
import WebImageCore
import WebImageCurl

/// How long it takes until a cancel closes the connection, as the server sees it.
enum Cancelling {
    static func run() async throws {
        let server = try HoldingServer()
        let downloader = ImageDownloader(transport: CurlTransport())
        var times: [Duration] = []
        for number in 0..<200 {
            guard let url = URL(string: "http://127.0.0.1:\(server.port)/\(number)") else { continue }
            let begun = AsyncStream.makeStream(of: Void.self)
            let token = downloader.download(
                ImageRequest(url),
                progress: { progress in
                    if progress.receivedByteCount > 0 { begun.continuation.yield() }
                }, completion: { _ in })
            for await _ in begun.stream { break }
            let start = ContinuousClock.now
            token.cancel()
            times.append(start.duration(to: await server.nextClosing()))
        }
        times.sort()
        let milliseconds = [times[times.count / 2], times[times.count * 99 / 100]].map { $0 / .milliseconds(1) }
        print(String(format: "median %.3f p99 %.3f", milliseconds[0], milliseconds[1]))
    }
}

/// Sends a head and one byte, then waits until the client goes away, one connection after the other.
private final class HoldingServer: Sendable {
    let port: Int
    private let closings: AsyncStream<ContinuousClock.Instant>

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let name = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(listener, generic, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, generic, &length) == 0
            }
        }
        guard name else { NetworkBench.fail("no socket") }
        port = Int(UInt16(bigEndian: address.sin_port))
        let (stream, continuation) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
        closings = stream
        Thread { Self.serve(listener, continuation) }.start()
    }

    func nextClosing() async -> ContinuousClock.Instant {
        for await closing in closings { return closing }
        return .now
    }

    private static func serve(_ listener: Int32, _ closings: AsyncStream<ContinuousClock.Instant>.Continuation) {
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\na".utf8)
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            _ = recv(connection, &buffer, buffer.count, 0)
            _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
            while recv(connection, &buffer, buffer.count, 0) > 0 {}
            closings.yield(.now)
            close(connection)
        }
    }
}
