import Foundation
import Testing
import WebImageCore
import WebImageCurl
import WebImageTesting

/// The server's own promises; how it misbehaves is seen in the transport's tests.
@Suite("ScriptedHTTPServer", .timeLimit(.minutes(20)))
struct ScriptedHTTPServerTests {
    let server: ScriptedHTTPServer
    let transport = CurlTransport(configuration: .patient)

    init() throws {
        server = try ScriptedHTTPServer()
    }

    @Test("answers come in turn, the last one for ever; a query of its own goes before its path")
    func turns() async {
        server.script("/a", .status(201), .status(202))
        server.script("/a?special", .status(203))
        var codes: [Int?] = []
        for target in ["/a", "/a?x=1", "/a", "/a?special"] {
            codes.append(await transport.fetch(server.url(target)).response?.statusCode)
        }
        #expect(codes == [201, 202, 202, 203])
        #expect(server.requests.map(\.hitNumber) == [1, 2, 3, 1])
        #expect(server.requests(to: "/a").map(\.target) == ["/a", "/a?x=1", "/a", "/a?special"])
        #expect(server.requests(to: "/a?x=1").count == 1)
    }

    @Test("what is not scripted gets 599, says so, and is kept")
    func unscripted() async {
        let log = await transport.fetch(server.url("/b?q=1"))
        #expect(log.response?.statusCode == 599)
        #expect(String(decoding: log.body, as: UTF8.self) == "nothing is scripted for GET /b?q=1")
        #expect(server.unscriptedRequests.map(\.target) == ["/b?q=1"])
    }

    @Test("a proper answer keeps the connection, a misbehaving one does not")
    func connections() async {
        server.script("/a", .picture())
        server.script("/cut", .picture().cut(after: 10))
        for path in ["/a", "/a", "/cut", "/a"] { _ = await transport.fetch(server.url(path)) }
        #expect(server.requests.map(\.connectionNumber) == [1, 1, 1, 2])
        #expect(server.connectionCount == 2)
    }

    @Test("a drip goes on piece by piece, each let go by its gate")
    func drip() async {
        let gates = (0..<3).map { _ in Gate() }
        var answer = ScriptedAnswer.body(Data(0..<40))
        for (index, gate) in gates.enumerated() { answer = answer.held(by: gate, after: (index + 1) * 10) }
        server.script("/drip", answer)
        let parts = (0..<4).map { _ in Gate() }
        let count = Counter()
        let recorder = Recorder { event in
            // After an early end nothing is waited for in vain.
            if event == .end { for part in parts { part.open() } }
            guard event == .part, count.value < 4 else { return }
            parts[count.value].open()
            count.increment()
        }
        _ = transport.start(.patient(server.url("/drip")), receiver: recorder)
        for (index, gate) in gates.enumerated() {
            await parts[index].wait()
            #expect(recorder.log.body == Data(0..<UInt8((index + 1) * 10)))
            gate.open()
        }
        #expect(await recorder.finished().body == Data(0..<40))
    }

    @Test("a function may answer by what was asked")
    func function() async {
        server.script("/echo") { request in .body(Data("\(request.method) \(request.hitNumber)".utf8)) }
        let log = await transport.fetch(HTTPRequest(url: server.url("/echo"), method: "DELETE"))
        #expect(log.body == Data("DELETE 1".utf8))
    }

    @Test("stopping ends held answers and open connections; again is harmless; nobody answers then")
    func stop() async {
        let gate = Gate()
        server.script("/held", .picture().held(by: gate))
        let recorder = Recorder()
        _ = transport.start(.patient(server.url("/held")), receiver: recorder)
        await gate.waitForArrivals(1)
        server.stop()
        server.stop()
        #expect(await recorder.finished().error?.code == .connectionLost)
        #expect(server.openConnectionCount == 0)
        await server.waitForRequest(to: "/never", count: 5)
        #expect(await transport.fetch(server.url("/held")).error?.code == .cannotConnect)
    }

    @Test("the standard cases answer as their list says")
    func standardCases() async throws {
        let other = try ScriptedHTTPServer()
        server.scriptStandardCases(redirectingTo: other)
        func status(_ path: String, _ headers: HTTPHeaders = HTTPHeaders()) async -> Int? {
            await transport.fetch(HTTPRequest(url: server.url(path), headers: headers)).response?.statusCode
        }
        #expect(await status("/once503") == 503)
        #expect(await status("/once503") == 200)
        #expect(await status("/404img") == 404)
        #expect(await status("/basic") == 401)
        #expect(await status("/basic", ["Authorization": "Basic dTpw"]) == 200)
        for code in [301, 303, 307, 308] { #expect(await status("/r\(code)") == code) }
        let location = await transport.fetch(server.url("/redir")).response?.headers["Location"]
        #expect(location == "http://127.0.0.1:\(other.port)/img")
        #expect(await transport.fetch(server.url("/noloc")).response?.headers["Location"] == nil)
        #expect(await transport.fetch(server.url("/trunc_nolen")).body == TestPictures.red.prefix(6210))
        #expect(await transport.fetch(server.url("/html")).body == Data("<html>no</html>".utf8))
        #expect(await transport.fetch(server.url("/x.jpg")).response?.headers["Content-Type"] == "image/webp")
        #expect(await transport.fetch(other.url("/img")).body == TestPictures.red)
        #expect(server.unscriptedRequests == [])
    }

    @Test("the test pictures have the bytes that the cases count on")
    func pictures() {
        #expect(TestPictures.red.count == 12_420)
        #expect(TestPictures.green.count == 12_420)
        #expect(TestPictures.red != TestPictures.green)
        // What Python's zlib makes: up to the first pixels, then Adler-32, CRC-32 of IDAT and the whole IEND.
        let start =
            "89504e470d0a1a0a0000000d4948445200000040000000400802000000250be6890000304b494441547801014030bfcf00ff0000"
        let end = "ff0000a9dcf0e29a48df300000000049454e44ae426082"
        #expect(hexadecimal(TestPictures.red.prefix(start.count / 2)) == start)
        #expect(hexadecimal(TestPictures.red.suffix(end.count / 2)) == end)
    }

    private func hexadecimal(_ data: Data) -> String {
        data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
