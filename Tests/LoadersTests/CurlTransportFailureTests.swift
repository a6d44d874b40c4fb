import Foundation
import Testing
import WebImageCore
import WebImageCurl
import WebImageTesting

/// What is told when something goes wrong.
@Suite("CurlTransport: failures", .timeLimit(.minutes(20)))
struct CurlTransportFailureTests {
    let server: ScriptedHTTPServer
    let transport = CurlTransport(configuration: .patient)

    init() throws {
        server = try ScriptedHTTPServer()
        server.scriptStandardCases(redirectingTo: server)
    }

    private func expectFailure(
        _ code: ImageError.Code, _ request: HTTPRequest, sourceLocation: SourceLocation = #_sourceLocation
    ) async -> Recorder.Log {
        let log = await transport.fetch(request)
        #expect(log.error?.code == code, "\(String(describing: log.error))", sourceLocation: sourceLocation)
        #expect(log.error?.stage == .load, sourceLocation: sourceLocation)
        #expect(log.ends.count == 1, sourceLocation: sourceLocation)
        #expect(log.violations == [], sourceLocation: sourceLocation)
        return log
    }

    @Test(
        "B10 a body shorter than announced is truncated, and the next try is whole",
        arguments: ["/trunc", "/chunk_cut"])
    func B10_truncated(path: String) async {
        let log = await expectFailure(.truncatedBody, HTTPRequest(url: server.url(path)))
        #expect(log.body == TestPictures.red.prefix(log.body.count))
        #expect(log.error?.message.contains("127.0.0.1:\(server.port)") == true)
        #expect(log.error?.message.contains("\(log.body.count) bytes") == true)
        server.script(path, .picture())
        #expect(await transport.fetch(server.url(path)).body == TestPictures.red)
    }

    @Test("a reset in mid-body is a lost connection, and the next try is whole")
    func reset() async {
        _ = await expectFailure(.connectionLost, HTTPRequest(url: server.url("/reset1")))
        #expect(await transport.fetch(server.url("/reset1")).body == TestPictures.red)
    }

    @Test("a connection closed or reset before the head is lost")
    func noHead() async {
        server.script("/closed", .raw(Data()))
        server.script("/reset", .picture().reset(after: 0))
        _ = await expectFailure(.connectionLost, HTTPRequest(url: server.url("/closed")))
        _ = await expectFailure(.connectionLost, HTTPRequest(url: server.url("/reset")))
    }

    @Test("a compressed body that breaks off with the right length is truncated", arguments: [1, 12, 6000, -5, -1])
    func compressedBodyCut(_ place: Int) async {
        let body = ScriptedAnswer.gzip(TestPictures.red).body
        let part = place > 0 ? body.prefix(place) : body.dropLast(-place)
        server.script("/cut", ScriptedAnswer(headers: ["Content-Encoding": "gzip"], body: part))
        server.script("/chunked", ScriptedAnswer(headers: ["Content-Encoding": "gzip"], body: part).chunked(100))
        _ = await expectFailure(.truncatedBody, HTTPRequest(url: server.url("/cut")))
        _ = await expectFailure(.truncatedBody, HTTPRequest(url: server.url("/chunked")))
        #expect(server.connectionCount == 1, "the connection is sound and serves the next")
    }

    @Test("a compressed body with a wrong checksum fails")
    func compressedBodyDamaged() async {
        var body = ScriptedAnswer.gzip(TestPictures.red).body
        body[body.count - 6] ^= 1
        server.script("/bad", ScriptedAnswer(headers: ["Content-Encoding": "gzip"], body: body))
        _ = await expectFailure(.transportFailed, HTTPRequest(url: server.url("/bad")))
    }

    @Test("encodings that were not asked for fail", arguments: ["br", "zstd", "gzip, gzip", "nonsense"])
    func otherEncoding(_ name: String) async {
        server.script("/bad", ScriptedAnswer(headers: ["Content-Encoding": name], body: TestPictures.red))
        let log = await expectFailure(.transportFailed, HTTPRequest(url: server.url("/bad")))
        #expect(log.error?.message.contains(name) == true)
    }

    @Test("an empty body is a success, called compressed or not")
    func emptyBody() async {
        server.script("/zipped", ScriptedAnswer(headers: ["Content-Encoding": "gzip"]))
        for path in ["/empty", "/zipped"] {
            let log = await transport.fetch(server.url(path))
            #expect(log.ends.count == 1)
            #expect(log.error == nil)
            #expect(log.body.isEmpty)
        }
    }

    @Test("bytes that are not what Content-Encoding says fail")
    func wrongEncoding() async {
        server.script("/bad", ScriptedAnswer(headers: ["Content-Encoding": "gzip"], body: TestPictures.red))
        _ = await expectFailure(.transportFailed, HTTPRequest(url: server.url("/bad")))
    }

    @Test("nobody listens")
    func deadPort() async throws {
        let dead = try ScriptedHTTPServer()
        dead.stop()
        let log = await expectFailure(.cannotConnect, HTTPRequest(url: dead.url("/")))
        #expect(log.error?.message.contains("127.0.0.1:\(dead.port)") == true)
    }

    @Test("a name without an address")
    func unknownHost() async throws {
        let url = try #require(URL(string: "http://no-such-host.invalid/a.png"))
        let log = await expectFailure(.cannotFindHost, HTTPRequest(url: url))
        #expect(log.error?.message.contains("no-such-host.invalid") == true)
    }

    @Test(
        "what no transport speaks is refused without a connection",
        arguments: [
            "file:///etc/hostname", "ftp://127.0.0.1/a", "data:,a", "gopher://127.0.0.1/", "a.png", "http:///a",
        ])
    func refusedURL(text: String) async throws {
        let url = try #require(URL(string: text))
        _ = await expectFailure(.invalidDownloadOperation, HTTPRequest(url: url))
    }

    @Test("a request that would not be one request is refused")
    func refusedRequests() async {
        let url = server.url("/img")
        let requests = [
            HTTPRequest(url: url, headers: ["X-A": "1\r\nX-B: 2"]),
            HTTPRequest(url: url, headers: ["X-A: 1\r\nX-B": "2"]),
            HTTPRequest(url: url, headers: ["": "2"]),
            HTTPRequest(url: url, method: "GET / HTTP/1.1\r\nX-B: 2\r\n\r\n"),
            HTTPRequest(url: url, method: ""),
        ]
        for request in requests { _ = await expectFailure(.invalidDownloadOperation, request) }
        #expect(server.requests == [])
    }

    @Test(
        "user name and password of a URL are in no error",
        arguments: ["http://someone:s3cret@127.0.0.1:1/a", "http://someone:s3cret@/a", "ftp://someone:s3cret@h/a"])
    func hiddenCredentials(text: String) async throws {
        let url = try #require(URL(string: text))
        for headers in [[:], ["X-A": "1\r\nX-B: 2"]] as [HTTPHeaders] {
            let log = await transport.fetch(HTTPRequest(url: url, headers: headers))
            let error = try #require(log.error)
            #expect(!"\(error)".contains("s3cret") && !"\(error)".contains("someone"), "\(error)")
        }
    }

    @Test("a head without bounds is refused", arguments: [101, 500])
    func manyFields(count: Int) async {
        var answer = ScriptedAnswer.picture()
        for number in 0..<count { answer.headers.append(name: "X-\(number)", value: "1") }
        server.script("/many", answer)
        let log = await expectFailure(.transportFailed, HTTPRequest(url: server.url("/many")))
        #expect(log.responses.isEmpty)
    }

    @Test("a long head is refused, in one line or many, of informational answers too")
    func longHead() async {
        let line = String(repeating: "a", count: 70_000)
        let lines = String(repeating: "X-A: \(String(repeating: "b", count: 1000))\r\n", count: 90)
        let hints = String(repeating: "HTTP/1.1 103 Early\r\nX-A: \(line.prefix(1000))\r\n\r\n", count: 90)
        for head in [
            "HTTP/1.1 200 OK\r\nX-A: \(line)\r\n", "HTTP/1.1 200 OK\r\n\(lines)", "\(hints)HTTP/1.1 200 OK\r\n",
        ] {
            server.script("/long", .raw(Data("\(head)Content-Length: 0\r\n\r\n".utf8)))
            _ = await expectFailure(.transportFailed, HTTPRequest(url: server.url("/long")))
        }
    }

    @Test(
        "what is not HTTP fails",
        arguments: ["hello\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "\0\0\0", "HTTP/9.9 200 OK\r\n\r\n"])
    func noHTTP(text: String) async {
        server.script("/x", .raw(Data(text.utf8)))
        let log = await transport.fetch(server.url("/x"))
        #expect(log.ends.count == 1)
        #expect(log.error != nil)
        #expect(log.responses.isEmpty)
    }

    @Test("a server that goes silent before the head, or in the body, times out", arguments: ["/slow", "/sleep"])
    func silence(path: String) async {
        let log = await expectFailure(.timedOut, HTTPRequest(url: server.url(path), timeout: 0.3))
        #expect(log.body == TestPictures.red.prefix(log.body.count))
        #expect(log.body.count < TestPictures.red.count)
        // The connection of the silent answer is gone; others are as good as before.
        #expect(await transport.fetch(server.url("/img")).body == TestPictures.red)
    }

    @Test("time in the queue for a connection does not count")
    func queueIsNoSilence() async {
        var configuration = CurlTransport.Configuration.patient
        configuration.maxConnectionsPerHost = 1
        let transport = CurlTransport(configuration: configuration)
        let first = Recorder()
        let second = Recorder()
        _ = transport.start(HTTPRequest(url: server.url("/sleep"), timeout: 1.2), receiver: first)
        await server.waitForRequest(to: "/sleep")
        // Gets the only connection when the first gives up, which is later than its own timeout.
        _ = transport.start(HTTPRequest(url: server.url("/img"), timeout: 1), receiver: second)
        #expect(await first.finished().error?.code == .timedOut)
        #expect(await second.finished().error == nil)
        #expect(second.log.body == TestPictures.red)
    }

    @Test("no timeout is one that is not a positive number", arguments: [0, -1, .infinity, .nan, 1e300])
    func oddTimeouts(timeout: Double) async {
        let log = await transport.fetch(HTTPRequest(url: server.url("/img"), timeout: timeout))
        #expect(log.body == TestPictures.red)
    }
}
