import Foundation
import Testing
import WebImageCore
import WebImageTesting

@testable import WebImageCurl

/// Time is handed in, so that it decides nothing here.
@Suite("CurlTransfer: silence")
struct CurlTransferTests {
    private func transfer(timeout: Double) throws -> CurlTransfer {
        let url = try #require(URL(string: "http://127.0.0.1/"))
        return CurlTransfer(
            HTTPRequest(url: url, timeout: timeout), receiver: Recorder(), inbox: CurlInbox(configuration: .init()))
    }

    private func receiveLine(_ transfer: CurlTransfer) {
        Array("X-A: 1\r\n".utf8).withUnsafeBytes { _ = transfer.didReceive(line: $0) }
    }

    @Test("silence adds up look by look, from the look after the last byte on")
    func addsUp() throws {
        let transfer = try transfer(timeout: 0.3)
        transfer.didSend()
        let looks = (0..<4).map { _ in transfer.isSilent(for: .milliseconds(100)) }
        #expect(looks == [false, false, false, true])
    }

    @Test("a trickle survives, however long it takes")
    func trickle() throws {
        let transfer = try transfer(timeout: 0.3)
        transfer.didSend()
        for _ in 0..<100 {
            #expect(!transfer.isSilent(for: .milliseconds(100)))
            #expect(!transfer.isSilent(for: .milliseconds(100)))
            receiveLine(transfer)
        }
    }

    @Test("before the request is out nothing counts")
    func notSent() throws {
        let transfer = try transfer(timeout: 0.3)
        for _ in 0..<100 { #expect(!transfer.isSilent(for: .seconds(1))) }
    }

    @Test("without a timeout no silence is too long", arguments: [0, -1, Double.infinity, Double.nan])
    func noTimeout(timeout: Double) throws {
        let transfer = try transfer(timeout: timeout)
        transfer.didSend()
        for _ in 0..<100 { #expect(!transfer.isSilent(for: .seconds(1_000_000))) }
    }
}

@Suite("HeadParser")
struct HeadParserTests {
    private func parse(_ lines: [String]) -> (HeadParser, HeadParser.Step) {
        var parser = HeadParser(.init())
        var step = HeadParser.Step.more
        for line in lines where step == .more {
            step = Array(line.utf8).withUnsafeBytes { parser.read($0) }
        }
        return (parser, step)
    }

    @Test("names and values are trimmed; a folded line carries on the one before")
    func fields() {
        let (parser, step) = parse([
            "HTTP/1.1 200 OK\r\n", "A:1\r\n", "B : \t2 \r\n", "C: x\r\n", "  y\r\n", " \r\n", "D:\r\n", "\r\n",
        ])
        #expect(step == .complete)
        #expect(parser.statusCode == 200)
        #expect(parser.headers == ["A": "1", "B": "2", "C": "x y", "D": ""])
    }

    @Test("HTTP/2's status line has no reason")
    func shortStatusLine() {
        #expect(parse(["HTTP/2 204 \r\n", "\r\n"]).0.statusCode == 204)
        #expect(parse(["HTTP/2 204\n", "\n"]).0.statusCode == 204)
    }

    @Test("a value that is no UTF-8 is Latin-1")
    func latin1() {
        var parser = HeadParser(.init())
        let bytes: [UInt8] = Array("Location: /".utf8) + [0xFC, 0x0D, 0x0A]
        _ = bytes.withUnsafeBytes { parser.read($0) }
        #expect(parser.headers["location"] == "/\u{FC}")
    }

    @Test(
        "a length is expected only where it is the decoded body's",
        arguments: [
            (["Content-Length: 5"], 5), (["Content-Length: -5"], nil), (["Content-Length: +5"], nil), ([], nil),
            (["Content-Length: 99999999999999999999999"], nil), (["Content-Length:"], nil),
            (["Content-Length: 5", "Content-Encoding: br"], nil),
            (["Content-Length: 5", "Content-Encoding: identity"], 5),
            (["Content-Length: 5", "Transfer-Encoding: chunked"], nil),
        ] as [([String], Int?)])
    func expectedByteCount(fields: [String], count: Int?) {
        #expect(parse(["HTTP/1.1 200 OK\r\n"] + fields.map { "\($0)\r\n" } + ["\r\n"]).0.expectedByteCount == count)
    }

    @Test("any bytes give a step, never a trap")
    func anyBytes() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<2000 {
            var parser = HeadParser(.init())
            for _ in 0..<8 {
                let bytes = (0..<Int.random(in: 0..<12, using: &random)).map { _ in
                    [0x3A, 0x20, 0x0D, 0x0A, 0x41, 0xFF, 0, 0x09].randomElement(using: &random) ?? UInt8(0)
                }
                _ = bytes.withUnsafeBytes { parser.read($0) }
            }
            #expect(parser.statusCode == 0)
        }
    }
}
