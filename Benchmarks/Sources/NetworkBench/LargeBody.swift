import Dispatch
import FoundationEssentials
import Glibc
import WebImageCore
import WebImageCurl

/// A body of 128 MiB, the default limit: how much memory it takes at most, its length announced or not.
enum LargeBody {
    private static let byteCount = 128 << 20

    static func run(isAnnounced: Bool) throws {
        let port = serve(isAnnounced ? "Content-Length: \(byteCount)" : "Connection: close")
        guard let url = URL(string: "http://127.0.0.1:\(port)/") else { return }
        let downloader = ImageDownloader(transport: CurlTransport())
        let before = Resident.now
        let end = DispatchSemaphore(value: 0)
        downloader.download(ImageRequest(url)) { result in
            if (try? result.get().data.count) != byteCount { NetworkBench.fail("the body did not come whole") }
            end.signal()
        }
        end.wait()
        print("peak \(NetworkBench.text(Double(Resident.peak - before) / Double(byteCount)))")
    }

    /// Answers the first connection; returns the port.
    private static func serve(_ field: String) -> Int {
        guard let (listener, port) = NetworkBench.listener() else { NetworkBench.fail("no socket") }
        DispatchQueue(label: "server").async {
            let connection = accept(listener, nil, nil)
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            _ = recv(connection, &buffer, buffer.count, 0)
            let head = Array("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n".utf8)
            _ = send(connection, head, head.count, Int32(MSG_NOSIGNAL))
            for _ in 0..<(byteCount / buffer.count) {
                var sent = 0
                while sent < buffer.count {
                    let count = send(connection, Array(buffer[sent...]), buffer.count - sent, Int32(MSG_NOSIGNAL))
                    guard count > 0 else { return }
                    sent += count
                }
            }
            close(connection)
        }
        return port
    }
}
