import Foundation
import Testing
import WebImageCore
import WebImageCurl
import WebImageTesting

/// What arrives when all is well.
@Suite("CurlTransport: answers", .timeLimit(.minutes(20)))
struct CurlTransportAnswerTests {
    let server: ScriptedHTTPServer
    let transport = CurlTransport(configuration: .patient)

    init() throws {
        server = try ScriptedHTTPServer()
    }

    @Test("a body arrives whole, with its head first and one end")
    func wholeBody() async {
        server.script("/a.png", .picture().adding("X-Twice", "1").adding("x-twice", "2"))
        let log = await transport.fetch(server.url("/a.png"))
        #expect(log.error == nil)
        #expect(log.body == TestPictures.red)
        #expect(log.responses.count == 1)
        #expect(log.ends.count == 1)
        #expect(log.violations == [])
        #expect(log.response?.statusCode == 200)
        #expect(log.response?.version == .http1)
        #expect(log.response?.expectedByteCount == 12_420)
        #expect(log.response?.url == server.url("/a.png"))
        #expect(log.response?.headers["content-type"] == "image/png")
        let twice = log.response?.headers.fields.filter { $0.name.lowercased() == "x-twice" }.map(\.value)
        #expect(twice == ["1", "2"])
    }

    @Test("a body longer than every buffer arrives whole, in parts")
    func longBody() async {
        let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        server.script("/long", .body(body))
        let log = await transport.fetch(server.url("/long"))
        #expect(log.body == body)
        #expect(log.partCount > 1)
    }

    @Test("chunks are put together; a length is not expected", arguments: [1, 100, Int.max])
    func chunks(byteCount: Int) async {
        server.script("/chunks", .body(Data(1...200)).chunked(byteCount))
        let log = await transport.fetch(server.url("/chunks"))
        #expect(log.error == nil)
        #expect(log.body == Data(1...200))
        #expect(log.response?.expectedByteCount == nil)
    }

    @Test("gzip is undone; a length is not expected")
    func gzip() async {
        server.script("/zip", .gzip(TestPictures.red))
        let log = await transport.fetch(server.url("/zip"))
        #expect(log.error == nil)
        #expect(log.body == TestPictures.red)
        #expect(log.response?.expectedByteCount == nil)
        #expect(server.requests.first?.headers["Accept-Encoding"]?.contains("gzip") == true)
    }

    @Test("gzip of several streams is undone, and what follows the last is ignored", arguments: [1, 1000, Int.max])
    func gzipStreams(byteCount: Int) async {
        let two = ScriptedAnswer.gzip(Data(1...200)).body + ScriptedAnswer.gzip(TestPictures.red).body
        let answer = ScriptedAnswer(headers: ["Content-Encoding": "x-gzip"], body: two + Data(count: 20))
        server.script("/zip", answer.chunked(byteCount))
        let log = await transport.fetch(server.url("/zip"))
        #expect(log.error == nil)
        #expect(log.body == Data(1...200) + TestPictures.red)
    }

    @Test("deflate is undone, with zlib's head and without")
    func deflate() async {
        // A stored block of three bytes.
        let block = Data([1, 3, 0, 0xFC, 0xFF, 7, 8, 9])
        server.script("/raw", ScriptedAnswer(headers: ["Content-Encoding": "deflate"], body: block))
        let whole = Data([0x78, 0x01]) + block + Data([0, 0x31, 0, 0x19])
        server.script("/whole", ScriptedAnswer(headers: ["Content-Encoding": "deflate"], body: whole))
        for path in ["/raw", "/whole"] {
            let log = await transport.fetch(server.url(path))
            #expect(log.error == nil)
            #expect(log.body == Data([7, 8, 9]))
        }
    }

    @Test("an Accept-Encoding of the caller's own goes out alone")
    func ownAcceptEncoding() async {
        let request = HTTPRequest(url: server.url("/img"), headers: ["accept-encoding": "identity"])
        _ = await transport.fetch(request)
        let fields = server.requests.first?.headers.fields.filter { $0.name.lowercased() == "accept-encoding" } ?? []
        #expect(fields.map(\.value) == ["identity"])
    }

    @Test("HEAD gets a head and no body, and the connection is used again")
    func head() async {
        server.script("/a.png", .picture())
        let log = await transport.fetch(HTTPRequest(url: server.url("/a.png"), method: "HEAD"))
        #expect(log.error == nil)
        #expect(log.body.isEmpty)
        #expect(log.response?.expectedByteCount == nil)
        #expect(log.response?.headers["Content-Length"] == "12420")
        #expect(await transport.fetch(server.url("/a.png")).body == TestPictures.red)
        #expect(server.connectionCount == 1)
        #expect(server.requests.map(\.method) == ["HEAD", "GET"])
    }

    @Test("a POST body goes out as it is, with nothing of libcurl's own", arguments: ["POST", "PUT", "GET"])
    func sentBody(method: String) async {
        server.script("/post", .status(204))
        let body = Data([0, 1, 2, 0, 255])
        let log = await transport.fetch(HTTPRequest(url: server.url("/post"), method: method, body: body))
        #expect(log.error == nil)
        #expect(log.response?.statusCode == 204)
        let request = server.requests.first
        #expect(request?.method == method)
        #expect(request?.body == body)
        #expect(request?.headers["Expect"] == nil)
        #expect(request?.headers["Content-Type"] == nil)
    }

    @Test("a POST without a body says so, DELETE says nothing")
    func methodsWithoutBody() async {
        server.script("/x", .status(200))
        _ = await transport.fetch(HTTPRequest(url: server.url("/x"), method: "POST"))
        _ = await transport.fetch(HTTPRequest(url: server.url("/x"), method: "DELETE"))
        #expect(server.requests.map(\.method) == ["POST", "DELETE"])
        #expect(server.requests.map { $0.headers["Content-Length"] } == ["0", nil])
    }

    @Test("header fields go out in order, empty ones too; cookies of one answer do not come back")
    func requestHeaders() async {
        server.script("/x", .status(200).adding("Set-Cookie", "sid=1; Path=/"))
        let headers: HTTPHeaders = ["X-One": "a b", "X-Empty": "", "User-Agent": "test", "X-One": "c"]
        for _ in 0..<2 { _ = await transport.fetch(HTTPRequest(url: server.url("/x"), headers: headers)) }
        for request in server.requests {
            #expect(request.headers.fields.filter { $0.name == "X-One" }.map(\.value) == ["a b", "c"])
            #expect(request.headers["X-Empty"] == "")
            #expect(request.headers["User-Agent"] == "test")
            #expect(request.headers["Cookie"] == nil)
        }
        #expect(server.requests.count == 2)
    }

    @Test("the target is spelled as the URL is, without the fragment")
    func spelling() async {
        for target in ["/a/../b/./c", "/%C3%BC%20b.png", "/x%2Fy.png", "/a+b.png", "/p.png?q=%C3%A9&r=1%7C2"] {
            server.script(target, .status(200))
            let log = await transport.fetch(server.url(target + "#frag"))
            #expect(log.response?.statusCode == 200)
            #expect(server.requests.last?.target == target)
        }
        #expect(server.unscriptedRequests == [])
    }

    @Test("informational answers are not told, nor are trailers")
    func informational() async {
        let raw = """
            HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n\
            HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\n\r\n2\r\nok\r\n0\r\nX-Trailer: 1\r\n\r\n
            """
        server.script("/x", .raw(Data(raw.utf8)))
        let log = await transport.fetch(server.url("/x"))
        #expect(log.error == nil)
        #expect(log.responses.map(\.statusCode) == [200])
        #expect(log.response?.headers["X-A"] == "1")
        #expect(log.response?.headers["Link"] == nil)
        #expect(log.response?.headers["X-Trailer"] == nil)
        #expect(log.body == Data("ok".utf8))
    }

    @Test("redirects and error statuses are told, not acted upon", arguments: [301, 302, 304, 401, 404, 503])
    func statuses(code: Int) async {
        server.script("/x", .redirect(to: "/elsewhere", status: code))
        let log = await transport.fetch(server.url("/x"))
        #expect(log.error == nil)
        #expect(log.response?.statusCode == code)
        #expect(log.response?.headers["Location"] == "/elsewhere")
        #expect(server.requests.count == 1)
    }

    @Test("a body without a length ends with the connection")
    func untilClose() async {
        server.script("/x", .picture().untilClose())
        let log = await transport.fetch(server.url("/x"))
        #expect(log.error == nil)
        #expect(log.body == TestPictures.red)
        #expect(log.response?.expectedByteCount == nil)
    }

    @Test("the receiver is called on another thread than start's, always the same")
    func thread() async {
        let recorder = Recorder()
        let caller = Box<ObjectIdentifier>()
        // The calling thread lives until both are compared, as an identity is only then its own.
        let compared = Gate()
        let transport = transport
        let request = HTTPRequest(url: server.url("/x"))
        server.script("/x", .picture())
        let thread = Thread {
            caller.value = ObjectIdentifier(Thread.current)
            _ = transport.start(request, receiver: recorder)
            compared.waitBlocking()
        }
        thread.start()
        let log = await recorder.finished()
        #expect(log.threads.count == 1)
        #expect(caller.value.map { log.threads.contains($0) } == false)
        compared.open()
    }
}
