import Foundation
import Testing
import WebImageCore
import WebImageCurl
import WebImageTesting

/// The same against a server that others wrote.
@Suite("CurlTransport: nginx", .timeLimit(.minutes(20)))
struct CurlTransportNginxTests {
    let nginx: NginxServer
    let transport = CurlTransport(configuration: .patient)
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

    /// Knows the server's certificate.
    private var trusting: CurlTransport {
        var configuration = CurlTransport.Configuration.patient
        configuration.certificateAuthorities = nginx.certificate
        return CurlTransport(configuration: configuration)
    }

    @Test("a certificate that is trusted is taken; one for another name, or expired, is refused and says why")
    func trusted() async throws {
        let transport = trusting
        let log = await transport.fetch(nginx.secureURL("/a.png"))
        #expect(log.body == TestPictures.red && log.error == nil)
        let other = try #require(URL(string: "https://localhost:\(nginx.securePort)/a.png"))
        for url in [other, nginx.expiredURL("/a.png")] {
            let error = await transport.fetch(url).error
            #expect(
                error?.code == .secureConnectionFailed && error?.stage == .load, "\(url): \(String(describing: error))")
        }
        #expect(await transport.fetch(nginx.expiredURL("/a.png")).error?.message.contains("expired") == true)
        #expect(await transport.fetch(nginx.secureURL("/a.png")).body == TestPictures.red)
    }

    @Test("a client certificate is shown where the server asks; a wrong file is one error that names no password")
    func clientCertificate() async {
        let transport = trusting
        var request = HTTPRequest(url: nginx.secureURL("/a.png"))
        #expect(await transport.fetch(request).response?.headers["X-Client"] == "NONE")
        request.clientCertificate = ClientCertificate(file: nginx.certificate, keyFile: nginx.key)
        #expect(await transport.fetch(request).response?.headers["X-Client"] == "SUCCESS")
        // A connection that was opened without it, or with it, serves only its like.
        request.clientCertificate = nil
        #expect(await transport.fetch(request).response?.headers["X-Client"] == "NONE")
        request.clientCertificate = ClientCertificate(file: nginx.key, password: "s3cret")
        let error = await transport.fetch(request).error
        #expect(error?.code == .secureConnectionFailed && error?.message.contains("s3cret") == false)
    }

    @Test("Basic credentials over HTTP/2 are asked for and given")
    func basic() async throws {
        for (password, isGood) in [("p", true), ("wrong", false)] {
            var configuration = DownloaderConfiguration()
            configuration.credential = .init(user: "u", password: password)
            let downloader = ImageDownloader(transport: trusting, configuration: configuration)
            let result = await withCheckedContinuation { continuation in
                downloader.download(ImageRequest(nginx.secureURL("/private.png"))) {
                    continuation.resume(returning: $0)
                }
            }
            switch result {
            case .success(let loaded): #expect(isGood && loaded.data == TestPictures.red)
            case .failure(let error): #expect(!isGood && error.statusCode == 401)
            }
        }
    }

    @Test("the measures of an exchange over TLS and HTTP/2, new and used again")
    func metrics() async throws {
        let downloader = ImageDownloader(transport: trusting)
        var all: [TransferMetrics] = []
        for _ in 0..<2 {
            let result = await withCheckedContinuation { continuation in
                downloader.download(ImageRequest(nginx.secureURL("/a.png"))) { continuation.resume(returning: $0) }
            }
            all += try result.get().metrics?.transfers ?? []
        }
        #expect(all.map(\.protocolName) == ["h2", "h2"] && all.map(\.isReusedConnection) == [false, true])
        let first = try #require(all.first)
        let secure = try #require(first.secureConnect)
        #expect(try #require(first.connect) <= secure && secure <= first.total)
        #expect(all[1].secureConnect == nil)
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

    @Test("HTTP/2: one exchange is held back, the others on its connection are not, and it goes on where it stopped")
    func pausedStream() async throws {
        // More than libcurl's window of a stream, and than what lies between.
        let part = Data((0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 13) })
        let large = (0..<40).reduce(into: Data()) { large, _ in large += part }
        let nginx = try await NginxServer.start(files: ["a.png": TestPictures.red, "large": large])
        let request = HTTPRequest(url: nginx.secureURL("/large"), timeout: 3600, allowsInvalidCertificate: true)
        let (transfer, recorder) = await transport.startAndPause(request)
        let others = await fetchMany(nginx.secureURL("/a.png"), count: 20, insecurely: true)
        #expect(others.allSatisfy { $0.error == nil && $0.body == TestPictures.red })
        #expect(recorder.log.body.count < large.count && recorder.log.ends.isEmpty)
        transfer.resume()
        let log = await recorder.finished()
        #expect(log.error == nil && log.body == large && log.violations == [])
        #expect(connections(of: others + [log]).count == 1)
    }

    @Test("plain HTTP at a TLS port, and TLS at a plain one: one error each")
    func mixedUp() async throws {
        let secure = try #require(URL(string: "https://127.0.0.1:\(nginx.plainPort)/a.png"))
        #expect(await transport.fetch(secure).error?.code == .secureConnectionFailed)
        let plain = try #require(URL(string: "http://127.0.0.1:\(nginx.securePort)/a.png"))
        #expect(await transport.fetch(plain).response?.statusCode == 400)
    }
}
