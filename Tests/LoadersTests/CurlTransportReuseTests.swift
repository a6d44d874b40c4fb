import Foundation
import Testing
import WebImageCore
import WebImageTesting

@testable import WebImageCurl

/// Handles are used again, one request after the other, with what they have alike standing in them.
@Suite("CurlTransport: one handle, many requests", .timeLimit(.minutes(20)))
struct CurlTransportReuseTests {
    let server: ScriptedHTTPServer
    let transport = CurlTransport(configuration: .patient)

    init() throws {
        server = try ScriptedHTTPServer()
        server.scriptStandardCases(redirectingTo: server)
    }

    /// What goes out for a request that wants nothing special.
    private func plainRequest() async throws -> ScriptedHTTPRequest {
        let log = await transport.fetch(server.url("/img"))
        #expect(log.error == nil && log.body == TestPictures.red)
        var request = try #require(server.requests.last)
        (request.hitNumber, request.connectionNumber) = (0, 0)
        return request
    }

    /// Requests that want something special, by what it is.
    private func specialRequests() throws -> [String: HTTPRequest] {
        let userURL = try #require(URL(string: "http://someone:s3cret@127.0.0.1:\(server.port)/img"))
        var special: [String: HTTPRequest] = [:]
        func add(_ name: String, _ change: (inout HTTPRequest) -> Void) {
            var request = HTTPRequest.patient(server.url("/img"))
            change(&request)
            special[name] = request
        }
        add("a user in the URL") { $0.url = userURL }
        add("another method") { $0.method = "DELETE" }
        add("HEAD") { $0.method = "HEAD" }
        add("POST") { ($0.method, $0.body) = ("POST", Data("s3cret".utf8)) }
        add("a GET with a body") { $0.body = Data("s3cret".utf8) }
        add("any certificate") { $0.allowsInvalidCertificate = true }
        add("cookies") { $0.cookieJar = CookieJar() }
        add("a certificate") { $0.clientCertificate = ClientCertificate(file: URL(filePath: "/nowhere")) }
        add("no proxy") { $0.proxy = .none }
        add("a proxy") { $0.proxy = .url(URL(filePath: "/nowhere"), except: []) }
        add("the proxy that is the server") { $0.proxy = .url(server.url(""), except: []) }
        add("refused addresses") { $0.addressPolicy = .publicInternetOnly }
        return special
    }

    @Test("Nothing of a special request reaches the next one, which goes out in the same handle")
    func nothingStays() async throws {
        server.script("/img", answer: { _ in .picture().adding("Set-Cookie", "sid=s3cret; Path=/") })
        let first = try await plainRequest()
        for (name, request) in try specialRequests() {
            _ = await transport.fetch(request)
            #expect(try await plainRequest() == first, "after \(name)")
        }
    }

    @Test("Nor do header fields, nor what failed")
    func nothingOfOthersStays() async throws {
        let first = try await plainRequest()
        let secret: HTTPHeaders = ["Authorization": "Bearer s3cret", "Cookie": "sid=s3cret", "Range": "bytes=1-2"]
        for path in ["/img", "/trunc", "/reset1", "/nowhere"] {
            _ = await transport.fetch(HTTPRequest(url: server.url(path), headers: secret))
            #expect(try await plainRequest() == first, "after \(path)")
        }
        // Is not sent at all, once the handle has its lines.
        let invalid = HTTPRequest(url: server.url("/img"), headers: ["X-A": "1\r\nAuthorization: s3cret"])
        #expect(await transport.fetch(invalid).error?.code == .invalidDownloadOperation)
        #expect(try await plainRequest() == first)
    }

    @Test("Whatever a request may want besides URL, header fields and time makes it special")
    func special() throws {
        let plain = HTTPRequest(url: server.url("/a?b=c"), headers: ["Authorization": "Bearer s3cret"], timeout: 3)
        let inbox = CurlInbox(configuration: .init())
        func isPlain(_ request: HTTPRequest) -> Bool {
            CurlTransfer(request, receiver: Recorder(), inbox: inbox).isPlain
        }
        #expect(isPlain(plain) && isPlain(HTTPRequest(url: server.url("/"))))
        for (name, request) in try specialRequests() { #expect(!isPlain(request), "\(name)") }
    }

    @Test("A handle keeps its options for its kind alone, and only after an exchange that went well")
    func kinds() throws {
        let handle = try #require(CurlHandle())
        let inbox = CurlInbox(configuration: .init())
        func prepare(_ text: String, method: String = "GET") throws {
            let request = HTTPRequest(url: try #require(URL(string: text)), method: method)
            let transfer = CurlTransfer(request, receiver: Recorder(), inbox: inbox)
            try handle.prepare(for: transfer, inbox.configuration)
        }
        try prepare("http://a/")
        #expect(handle.kind?.isSecure == false && handle.transfer != nil)
        handle.clear(wentWell: true)
        #expect(handle.kind?.isSecure == false && handle.transfer == nil)
        try prepare("https://a/")
        #expect(handle.kind?.isSecure == true)
        handle.clear(wentWell: false)
        #expect(handle.kind == nil)
        try prepare("https://a/")
        try prepare("https://a/", method: "DELETE")
        #expect(handle.kind == nil)
        #expect(throws: ImageError.self) { try prepare("http://a/", method: "A B") }
        #expect(handle.kind == nil)
    }
}
