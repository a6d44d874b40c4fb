import Foundation
import Testing
import WebImageCore
import WebImageCurl
import WebImageTesting

/// The same against a server that others wrote.
@Suite("CurlTransport: nginx", .timeLimit(.minutes(20)))
struct CurlTransportNginxTests {
    let nginx: NginxServer
    let transport = CurlTransport()
    let text = Data(String(repeating: "all work and no play\n", count: 5000).utf8)

    init() async throws {
        nginx = try await NginxServer.start(files: ["a.png": TestPictures.red, "text.txt": text])
    }

    private func fetchMany(_ url: URL, count: Int, insecurely: Bool = false) async -> [Recorder.Log] {
        let recorders = (0..<count).map { _ in Recorder() }
        for recorder in recorders {
            let request = HTTPRequest(url: url, allowsInvalidCertificate: insecurely)
            _ = transport.start(request, receiver: recorder)
        }
        var logs: [Recorder.Log] = []
        for recorder in recorders { logs.append(await recorder.finished()) }
        return logs
    }

    private func connections(of logs: [Recorder.Log]) -> Set<String> {
        Set(logs.compactMap { $0.response?.headers["X-Connection"] })
    }

    @Test("HTTP/1.1: whole bodies over at most six connections that stay open")
    func plain() async {
        let logs = await fetchMany(nginx.plainURL("/a.png"), count: 300)
        #expect(logs.allSatisfy { $0.error == nil && $0.body == TestPictures.red && $0.ends.count == 1 })
        #expect(logs.allSatisfy { $0.response?.version == .http1 && $0.response?.expectedByteCount == 12_420 })
        #expect((1...6).contains(connections(of: logs).count))
    }

    @Test("a body that nginx compresses arrives as it was")
    func compressed() async {
        let log = await transport.fetch(nginx.plainURL("/text.txt"))
        #expect(log.body == text)
        #expect(log.response?.headers["Content-Encoding"] == "gzip")
        #expect(log.response?.expectedByteCount == nil)
    }

    @Test("304 to a validator of the caller's")
    func notModified() async {
        let etag = await transport.fetch(nginx.plainURL("/a.png")).response?.headers["ETag"] ?? ""
        let log = await transport.fetch(
            HTTPRequest(url: nginx.plainURL("/a.png"), headers: ["If-None-Match": etag]))
        #expect(log.error == nil)
        #expect(log.response?.statusCode == 304)
        #expect(log.body.isEmpty)
    }

    @Test("an unknown certificate is refused, accepted for a request that allows it, then refused again")
    func certificates() async {
        let url = nginx.secureURL("/a.png")
        #expect(await transport.fetch(url).error?.code == .secureConnectionFailed)

        let log = await transport.fetch(HTTPRequest(url: url, allowsInvalidCertificate: true))
        #expect(log.error == nil)
        #expect(log.body == TestPictures.red)

        let refused = await transport.fetch(url)
        #expect(refused.error?.code == .secureConnectionFailed)
        #expect(refused.error?.message.contains("127.0.0.1:\(nginx.securePort)") == true)
        #expect(refused.responses.isEmpty)
    }

    @Test("HTTP/2: many exchanges share one connection")
    func multiplexed() async {
        var logs: [Recorder.Log] = []
        // 64 at once, as the queue above sends them; libcurl puts at most 100 on a connection.
        for _ in 0..<5 { logs += await fetchMany(nginx.secureURL("/a.png"), count: 64, insecurely: true) }
        #expect(logs.count == 320)
        #expect(logs.allSatisfy { $0.error == nil && $0.body == TestPictures.red && $0.violations == [] })
        #expect(logs.allSatisfy { $0.response?.version == .multiplexed && $0.response?.statusCode == 200 })
        #expect(connections(of: logs).count == 1)
    }

    @Test("HTTP/2: one exchange is cancelled, the others on its connection are not")
    func cancelledStream() async {
        let url = nginx.secureURL("/a.png")
        let recorders = (0..<50).map { _ in Recorder() }
        let transfers = recorders.map { recorder in
            transport.start(HTTPRequest(url: url, allowsInvalidCertificate: true), receiver: recorder)
        }
        for index in stride(from: 0, to: 50, by: 2) { transfers[index].cancel() }
        for (index, recorder) in recorders.enumerated() {
            let log = await recorder.finished()
            #expect(log.ends.count == 1)
            if index.isMultiple(of: 2) {
                #expect(log.error == nil || log.error?.code == .cancelled)
            } else {
                #expect(log.body == TestPictures.red)
            }
        }
    }

    @Test("plain HTTP at a TLS port, and TLS at a plain one: one error each")
    func mixedUp() async throws {
        let secure = try #require(URL(string: "https://127.0.0.1:\(nginx.plainPort)/a.png"))
        #expect(await transport.fetch(secure).error?.code == .secureConnectionFailed)
        let plain = try #require(URL(string: "http://127.0.0.1:\(nginx.securePort)/a.png"))
        #expect(await transport.fetch(plain).response?.statusCode == 400)
    }
}
