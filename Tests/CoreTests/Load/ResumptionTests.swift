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
    func continuation() {
        let partial = PartialBody(
            data: Data(count: 5), url: url.absoluteString, validator: "\"1\"", totalByteCount: 10)
        let request = partial.asked(of: HTTPRequest(url: url))
        #expect(request.headers["Range"] == "bytes=5-" && request.headers["If-Range"] == "\"1\"")
        func total(_ headers: HTTPHeaders, status: Int = 206, of request: HTTPRequest) -> Int? {
            partial.continuation(in: response(headers, status: status), of: request)
        }
        let good: HTTPHeaders = ["Content-Range": "bytes 5-9/10", "ETag": "\"1\""]
        #expect(total(good, of: request) == 10)
        #expect(total(["Content-Range": "bytes 5-9/10"], of: request) == 10)
        #expect(total(good, status: 200, of: request) == nil)
        for range in ["bytes 4-9/10", "bytes 6-9/10", "bytes 5-8/10", "bytes 5-9/*", "bytes 5-10/11", ""] {
            #expect(total(["Content-Range": range, "ETag": "\"1\""], of: request) == nil)
        }
        #expect(total(["Content-Range": "bytes 5-9/10", "ETag": "\"2\""], of: request) == nil)
        #expect(total(["Content-Range": "bytes 5-9/10", "ETag": "W/\"1\""], of: request) == nil)
        #expect(total(["Content-Range": "bytes 5-9/10", "Content-Encoding": "gzip"], of: request) == nil)
        var elsewhere = request
        elsewhere.url = URL(string: "https://h/b.png")!
        #expect(total(good, of: elsewhere) == nil)
    }

    @Test("What cannot be continued is not kept")
    func kept() {
        let request = HTTPRequest(url: url)
        let data = Data(count: 2000)
        func partial(_ headers: HTTPHeaders, _ data: Data, _ total: Int? = 3000) -> PartialBody? {
            PartialBody(data, response(headers), totalByteCount: total, of: request)
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

    @Test("What is kept comes back once, for the same request only, and survives a restart")
    func store() async {
        let folder = FileManager.default.temporaryDirectory.appending(path: "webimage-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let request = HTTPRequest(url: url)
        let partial = PartialBody(
            data: Data(repeating: 7, count: 2000), url: url.absoluteString, validator: "\"1\"", totalByteCount: 3000)
        let store = ResumeStore(folder: folder)
        store.put(partial, for: request)
        await store.settle()
        let later = ResumeStore(folder: folder)
        await later.settle()
        #expect(await take(HTTPRequest(url: URL(string: "https://h/b.png")!), later) == nil)
        #expect(await take(request, later) == partial)
        #expect(await take(request, later) == nil)
    }

    @Test("The store is bounded")
    func bounded() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "webimage-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = ResumeStore(folder: folder, maxByteCount: 10_000)
        for number in 0..<20 {
            let request = HTTPRequest(url: URL(string: "https://h/\(number)")!)
            store.put(
                PartialBody(
                    data: Data(count: number == 19 ? 6000 : 1500), url: "u", validator: "\"1\"", totalByteCount: nil),
                for: request)
        }
        await store.settle()
        let sizes = try FileManager.default.contentsOfDirectory(atPath: folder.path).map { name in
            try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)[.size] as? Int ?? 0
        }
        #expect(!sizes.isEmpty && sizes.reduce(0, +) <= 10_000 && !sizes.contains(6000))
    }

    private func take(_ request: HTTPRequest, _ store: ResumeStore) async -> PartialBody? {
        await withCheckedContinuation { continuation in
            store.take(request) { continuation.resume(returning: $0) }
        }
    }
}
