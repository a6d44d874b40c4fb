import Foundation
import Testing

@testable import WebImageCore

@Suite("Redirects")
struct RedirectPolicyTests {
    private let policy = RedirectPolicy(maxCount: 10)

    private func next(
        _ status: Int, _ location: String?, from url: String = "http://h:1/a/b", method: String = "GET",
        followed: Int = 0
    ) throws -> HTTPRequest? {
        var request = HTTPRequest(url: URL(string: url)!, method: method)
        request.headers = ["Authorization": "Bearer T", "Cookie": "c=1", "Accept": "image/*"]
        request.body = method == "POST" ? Data([1]) : nil
        var response = HTTPResponse(url: request.url, statusCode: status)
        response.headers["Location"] = location
        return try policy.next(after: request, response, followed: followed)
    }

    @Test("Only the five redirect statuses redirect", arguments: [200, 204, 300, 304, 305, 306, 404])
    func noRedirect(_ status: Int) throws {
        #expect(try next(status, "/x") == nil)
    }

    @Test(
        "Targets are resolved against the URL that was asked",
        arguments: [
            ("/img", "http://h:1/img"), ("img", "http://h:1/a/img"), ("?q=1", "http://h:1/a/b?q=1"),
            ("//other/x", "http://other/x"), ("https://h/x", "https://h/x"), ("HTTP://h:1/x", "HTTP://h:1/x"),
        ])
    func targets(_ location: String, _ expected: String) throws {
        #expect(try next(302, location)?.url.absoluteString == expected)
    }

    @Test("Secrets stay with their origin")
    func secrets() throws {
        let same = try #require(try next(302, "http://H:1/x"))
        #expect(same.headers["Authorization"] == "Bearer T" && same.headers["Cookie"] == "c=1")
        for other in ["http://h:2/x", "https://h:1/x", "http://i:1/x"] {
            let next = try #require(try next(302, other))
            #expect(next.headers["Authorization"] == nil && next.headers["Cookie"] == nil)
            #expect(next.headers["Accept"] == "image/*")
        }
    }

    @Test("Other schemes, a way back from https, and no target are refused")
    func refused() {
        let cases = [
            ("file:///etc/hostname", "http://h/"), ("ftp://h/x", "http://h/"), ("data:,x", "http://h/"),
            ("http://h/x", "https://h/"), ("javascript:1", "http://h/"),
        ]
        for (location, source) in cases {
            #expect { try next(302, location, from: source) } throws: {
                ($0 as? ImageError)?.code == .redirectRefused
            }
        }
        for location in [nil, ""] {
            #expect { try next(302, location) } throws: { ($0 as? ImageError)?.code == .invalidDownloadResponse }
        }
        #expect { try next(302, "/x", followed: 10) } throws: { ($0 as? ImageError)?.code == .redirectRefused }
    }

    @Test("A POST becomes a GET except where the status forbids it")
    func methods() throws {
        for status in [301, 302, 303] {
            let next = try #require(try next(status, "/x", method: "POST"))
            #expect(next.method == "GET" && next.body == nil)
        }
        for status in [307, 308] {
            let next = try #require(try next(status, "/x", method: "POST"))
            #expect(next.method == "POST" && next.body == Data([1]))
        }
        #expect(try next(303, "/x", method: "HEAD")?.method == "HEAD")
    }

    @Test("Credentials in a URL are not shown")
    func hiddenCredentials() throws {
        let url = try #require(URL(string: "https://user:secret@h/a?b#c"))
        #expect(url.withoutCredentials == "https://h/a?b#c")
    }
}
