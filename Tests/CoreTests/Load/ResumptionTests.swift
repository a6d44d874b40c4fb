import Foundation
import Testing

@testable import WebImageCore

@Suite("Bodies that go on where they were interrupted: the values")
struct ResumptionTests {
    private let url = URL(string: "https://h/a.png")!

    private func response(_ headers: HTTPHeaders, status: Int = 200) -> HTTPResponse {
        HTTPResponse(url: url, statusCode: status, headers: headers)
    }

    @Test(
        "Content-Range is one part of a body, or nothing",
        arguments: [
            ("bytes 0-9/10", 0, 9, 10), ("Bytes 5-9/*", 5, 9, nil),
        ] as [(String, Int, Int, Int?)])
    func contentRange(_ text: String, _ start: Int, _ end: Int, _ total: Int?) throws {
        let range = try #require(ContentRange(text))
        #expect(range.start == start && range.end == end && range.total == total)
    }

    @Test(
        "Anything else is no Content-Range",
        arguments: [
            "", "bytes", "bytes */10", "bytes 5-4/10", "bytes 5-10/10", "bytes -5/10", "bytes 5-/10", "items 0-9/10",
            "bytes 0-9", "bytes 0-9/", "bytes 0-9/10/11", "bytes 0-99999999999999999999/*", "bytes 0-9/-1",
            "bytes 0-+9/10", "bytes 0-9-10/11", "bytes  0 - 9 / 10",
        ])
    func noContentRange(_ text: String) {
        #expect(ContentRange(text) == nil)
    }

    @Test("Only a strong validator names exactly these bytes")
    func strong() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(response(["ETag": "\"1\""]).strongValidator == "\"1\"")
        for tag in ["W/\"1\"", "1", "\"", ""] {
            #expect(response(["ETag": tag, "Last-Modified": date]).strongValidator == nil)
        }
        #expect(
            response(["Last-Modified": date, "Date": "Sun, 06 Nov 1994 08:50:37 GMT"]).strongValidator == date)
        #expect(
            response(["Last-Modified": date, "Date": "Sun, 06 Nov 1994 08:50:36 GMT"]).strongValidator == nil)
        #expect(response(["Last-Modified": date]).strongValidator == nil)
    }

    @Test("The rest is taken only where there is no doubt")
    func continuation() throws {
        var identity = BodyIdentity(url: url.absoluteString, validator: "\"1\"")
        identity.totalByteCount = 2010
        let partial = try #require(PartialBody(Data(count: 2005), of: identity))
        let request = partial.asked(of: HTTPRequest(url: url))
        #expect(request.headers["Range"] == "bytes=2005-" && request.headers["If-Range"] == "\"1\"")
        func total(_ headers: HTTPHeaders, status: Int = 206, of request: HTTPRequest) -> Int? {
            partial.continuation(in: response(headers, status: status), of: request)
        }
        let good: HTTPHeaders = ["Content-Range": "bytes 2005-2009/2010", "ETag": "\"1\""]
        #expect(total(good, of: request) == 2010)
        #expect(total(["Content-Range": "bytes 2005-2009/2010"], of: request) == 2010)
        #expect(total(good, status: 200, of: request) == nil)
        let others = [
            "bytes 2004-2009/2010", "bytes 2006-2009/2010", "bytes 2005-2008/2010", "bytes 2005-2009/*",
            "bytes 2005-2010/2011", "",
        ]
        for range in others {
            #expect(total(["Content-Range": range, "ETag": "\"1\""], of: request) == nil)
        }
        #expect(total(["Content-Range": "bytes 2005-2009/2010", "ETag": "\"2\""], of: request) == nil)
        #expect(total(["Content-Range": "bytes 2005-2009/2010", "ETag": "W/\"1\""], of: request) == nil)
        #expect(total(["Content-Range": "bytes 2005-2009/2010", "Content-Encoding": "gzip"], of: request) == nil)
        let other = ["Content-Range": "bytes 2005-2009/2010", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]
        #expect(total(HTTPHeaders(other.map { .init(name: $0, value: $1) }), of: request) == 2010)
        let dated = BodyIdentity(url: url.absoluteString, validator: "Sun, 06 Nov 1994 08:49:37 GMT")
        let date = PartialBody(Data(count: 2005), of: dated)
        func total(dated headers: HTTPHeaders) -> Int? {
            var response = response(headers)
            response.statusCode = 206
            return date?.continuation(in: response, of: request)
        }
        let range = "bytes 2005-2009/2010"
        #expect(total(dated: ["Content-Range": range, "Last-Modified": dated.validator]) == 2010)
        #expect(total(dated: ["Content-Range": range]) == 2010)
        #expect(total(dated: ["Content-Range": range, "Last-Modified": "Sun, 06 Nov 1994 08:49:38 GMT"]) == nil)
        var elsewhere = request
        elsewhere.url = URL(string: "https://h/b.png")!
        #expect(total(good, of: elsewhere) == nil)
    }

    @Test("What cannot be continued is not kept")
    func kept() {
        let request = HTTPRequest(url: url)
        let data = Data(count: 2000)
        func partial(_ headers: HTTPHeaders, _ data: Data, _ total: Int? = 3000) -> PartialBody? {
            var response = response(headers)
            response.expectedByteCount = total
            return BodyIdentity(response, of: request).flatMap { PartialBody(data, of: $0) }
        }
        #expect(partial(["ETag": "\"1\""], data) != nil && partial(["ETag": "\"1\""], data, nil) != nil)
        #expect(partial([:], data) == nil && partial(["ETag": "\"1\""], data, 2000) == nil)
        #expect(partial(["ETag": "\"1\""], Data(count: 10)) == nil)
        #expect(partial(["ETag": "\"1\"", "Accept-Ranges": "none"], data) == nil)
        #expect(partial(["ETag": "\"1\"", "Content-Encoding": "gzip"], data) == nil)
    }

    @Test("A request with conditions, a range or cookies of its own is left alone")
    func resumable() {
        var request = HTTPRequest(url: url)
        #expect(request.isResumable)
        for name in ["Range", "if-none-match", "If-Modified-Since", "If-Range"] {
            request.headers = [name: "x"]
            #expect(!request.isResumable && ResumeStore.key(request) == nil)
        }
        request = HTTPRequest(url: url)
        request.cookieJar = CookieJar()
        #expect(!request.isResumable)
        #expect(!HTTPRequest(url: url, method: "POST").isResumable)
    }

    @Test("The key tells apart who asks, and holds no secret")
    func keys() throws {
        var first = HTTPRequest(url: url)
        first.headers["Authorization"] = "Bearer SECRET"
        let secret = try #require(URL(string: "https://user:SECRET@h/a.png"))
        let keys = try [HTTPRequest(url: url), first, HTTPRequest(url: secret)].map {
            try #require(ResumeStore.key($0)).text
        }
        #expect(Set(keys).count == 3 && !keys.contains { $0.contains("SECRET") })
    }

    @Test("Digests are those of RFC 9530; of the rest alone only Repr-Digest is of the whole")
    func digests() {
        let data = Data("{\"hello\": \"world\"}\n".utf8)
        let right = "sha-256=:\(Data(Digest.sha256(data)).base64EncodedString()):"
        let long = "sha-512=:\(Data(Digest.sha512(data)).base64EncodedString()):"
        #expect(right == "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:")
        func matches(_ headers: HTTPHeaders, _ isContinuation: Bool = false) -> Bool {
            BodyDigests(response(headers), isContinuation: isContinuation).match(data)
        }
        let wrong = "sha-256=:\(Data(count: 32).base64EncodedString()):"
        #expect(matches(["Repr-Digest": right]) && matches(["Content-Digest": "md5=:AAAA:, \(long), \(right)"]))
        #expect(!matches(["Repr-Digest": wrong]) && !matches(["Content-Digest": "\(right), \(wrong)"]))
        #expect(matches(["Content-Digest": wrong], true) && !matches(["Repr-Digest": wrong], true))
        #expect(matches(["Content-Digest": wrong, "Content-Encoding": "gzip"]))
        for text in ["", "sha-256", "sha-256=", "sha-256=::", "sha-256=:AAAA:", "=:AAAA:", "sha-256=:\u{0}:", "a=\":"] {
            #expect(BodyDigests(response(["Repr-Digest": text]), isContinuation: false).isEmpty)
        }
    }
}
