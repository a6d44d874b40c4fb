import Foundation
import Testing
import WebImage
import WebImageTesting

/// Each ends in one error that says what happened and what to do; nothing is stored; the next download is as good as
/// ever, on the same transport.
@Suite("Bad servers", .timeLimit(.minutes(10)))
struct BadServerTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var codes: [ImageError.Code]
        var answer: @Sendable () -> ScriptedAnswer

        init(_ name: String, _ codes: ImageError.Code..., answer: @escaping @Sendable () -> ScriptedAnswer) {
            testDescription = name
            self.codes = codes
            self.answer = answer
        }
    }

    private static func raw(_ head: String, _ body: Data = TestPictures.red) -> ScriptedAnswer {
        .raw(Data(head.replacing("\n", with: "\r\n").utf8) + body)
    }

    private static let cases = [
        Case("cut short", .truncatedBody) { .picture().cut(after: 6000) },
        Case("cut in a chunk", .truncatedBody) { .picture().chunked().cut(after: 6000) },
        Case("a chunk size that is none", .transportFailed, .connectionLost) {
            raw("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\nxyz\n")
        },
        Case("half a picture without a length", .badImageData) { .picture(TestPictures.red.prefix(6000)).untilClose() },
        Case("gzip cut in the middle", .truncatedBody) {
            let whole = ScriptedAnswer.gzip(TestPictures.red)
            return ScriptedAnswer(headers: ["Content-Encoding": "gzip"], body: whole.body.prefix(6000))
        },
        Case("gzip without its last byte", .truncatedBody) {
            ScriptedAnswer(
                headers: ["Content-Encoding": "gzip"], body: ScriptedAnswer.gzip(TestPictures.red).body.dropLast())
        },
        Case("an encoding that nobody asked for", .transportFailed) {
            ScriptedAnswer(headers: ["Content-Encoding": "br"], body: TestPictures.red)
        },
        Case("gzip that is none", .transportFailed) {
            ScriptedAnswer(headers: ["Content-Encoding": "gzip"], body: TestPictures.red)
        },
        Case("two lengths", .transportFailed) {
            raw("HTTP/1.1 200 OK\nContent-Length: 20000\nContent-Length: 12420\n\n")
        },
        Case("a length past all counting", .transportFailed) {
            raw("HTTP/1.1 200 OK\nContent-Length: 99999999999999999999\n\n")
        },
        Case("a length too long", .truncatedBody) { raw("HTTP/1.1 200 OK\nContent-Length: 20000\n\n") },
        Case("a negative length", .transportFailed) { raw("HTTP/1.1 200 OK\nContent-Length: -5\n\n") },
        Case("101 that nobody asked for", .transportFailed, .connectionLost, .invalidDownloadStatusCode) {
            raw("HTTP/1.1 101 Switching Protocols\nUpgrade: websocket\nConnection: Upgrade\n\n")
        },
        Case("100 and no more", .connectionLost, .transportFailed) { raw("HTTP/1.1 100 Continue\n\n", Data()) },
        Case("204", .badImageData) { .status(204) },
        Case("206 that nobody asked for", .invalidDownloadResponse) {
            ScriptedAnswer(statusCode: 206, headers: ["Content-Range": "bytes 0-12419/20000"], body: TestPictures.red)
        },
        Case("304 that nobody asked for", .cacheNotModified) { .status(304) },
        Case("a redirect without a target", .invalidDownloadResponse) { .status(302) },
        Case("a redirect to a file", .redirectRefused, .addressRefused) { .redirect(to: "file:///etc/hostname") },
        Case("a redirect to itself", .redirectRefused) { .redirect(to: "/bad") },
        Case("a redirect to nonsense", .redirectRefused, .addressRefused, .invalidDownloadOperation) {
            .redirect(to: "http://")
        },
        Case("a reset before the head", .connectionLost) { .picture().reset(after: 0) },
        Case("a reset in the body", .connectionLost) { .picture().reset(after: 6000) },
        Case("nothing at all", .connectionLost) { .raw(Data()) },
        Case("no HTTP", .transportFailed, .connectionLost) { .raw(Data("220 ftp ready\r\n".utf8)) },
        Case("a head that never ends", .transportFailed) {
            raw("HTTP/1.1 200 OK\n" + String(repeating: "X-A: \(String(repeating: "b", count: 900))\n", count: 90))
        },
        Case("too many fields", .transportFailed) {
            raw("HTTP/1.1 200 OK\n" + String(repeating: "A: b\n", count: 200) + "\n")
        },
    ]

    @Test("One error with code, stage and remedy; nothing stored; the pool unharmed", arguments: cases)
    func bad(_ bad: Case) async throws {
        let harness = try RealHarness()
        harness.server.script("/bad") { _ in bad.answer() }
        let ended = LoadRecorder()
        harness.manager.load(harness.request("/bad"), completion: ended.record)
        await ended.ended.wait()
        let error = try #require(ended.error)
        #expect(bad.codes.contains(error.code), "\(error)")
        #expect(error.stage == .load || error.stage == .decode)
        #expect(error.message.count > 20 && ended.count == 1)
        #expect(harness.files.isEmpty && harness.downloader.currentDownloadCount == 0)
        #expect(try await harness.load("/img").data == TestPictures.red)
    }

    @Test("A body longer than announced is cut where it was said to end, and its connection is not used again")
    func overLong() async throws {
        let harness = try RealHarness()
        let body = TestPictures.red + Data("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil".utf8)
        harness.server.script("/long") { _ in Self.raw("HTTP/1.1 200 OK\nContent-Length: 12420\n\n", body) }
        #expect(try await harness.load("/long").data == TestPictures.red)
        #expect(try await harness.load("/img").data == TestPictures.red)
        #expect(harness.server.requests.map(\.connectionNumber) == [1, 2])
    }

    @Test("A chain of ten redirects is followed, one of eleven is not")
    func chain() async throws {
        let harness = try RealHarness()
        for number in 1...11 { harness.server.script("/c\(number)", .redirect(to: "/c\(number - 1)")) }
        harness.server.script("/c0", .picture())
        #expect(try await harness.load("/c10").data == TestPictures.red)
        #expect(await code { () async throws(ImageError) in try await harness.load("/c11") } == .redirectRefused)
    }

    @Test("No name, and nobody there: one error each, and the URL is not banned")
    func unreachable() async throws {
        let harness = try RealHarness()
        let dead = try ScriptedHTTPServer()
        dead.stop()
        let noName = try #require(URL(string: "http://no-such-host.invalid/a.png"))
        for (url, expected) in [(noName, ImageError.Code.cannotFindHost), (dead.url("/"), .cannotConnect)] {
            for _ in 0..<2 {
                let code = await code { () async throws(ImageError) in try await harness.manager.image(from: url) }
                #expect(code == expected)
            }
        }
    }

    @Test("Digest is answered, once; a wrong password ends in 401")
    func digest() async throws {
        for (password, requestCount) in [("p", 2), ("wrong", 2)] {
            var configuration = DownloaderConfiguration()
            configuration.credential = .init(user: "u", password: password)
            let harness = try RealHarness(configuration)
            harness.server.script("/digest") { request in
                let answer = request.headers["Authorization"] ?? ""
                // What is computed is tested with the examples of the RFC; here it is the conversation.
                let isRight =
                    answer.hasPrefix("Digest username=\"u\", realm=\"r\", nonce=\"n\", uri=\"/digest\"")
                    && password == "p"
                let question = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\""
                return isRight ? .picture() : .status(401, headers: ["WWW-Authenticate": question])
            }
            _ = try? await harness.load("/digest")
            #expect(harness.server.requests(to: "/digest").count == requestCount)
            if password == "p" { #expect(try await harness.load("/digest").source != .network) }
        }
    }
}
