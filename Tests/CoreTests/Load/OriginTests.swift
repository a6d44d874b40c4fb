import Foundation
import Testing
import WebImageTesting

@testable import WebImageCore

@Suite("Scheme, host and port of URLs")
struct OriginTests {
    /// As the URL itself tells them.
    private func parts(_ url: URL) -> [String] {
        let scheme = url.scheme?.lowercased() ?? ""
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        return [scheme, url.host?.lowercased() ?? "", String(port)]
    }

    private func parts(_ origin: Origin) -> [String] {
        [origin.scheme, origin.host, String(origin.port)]
    }

    @Test("What is read from the text is what the URL says, and text puts it together")
    func plain() throws {
        let plain = [
            "http://a", "https://a", "http://a/", "https://a.b-c.d1/e?f#g", "http://127.0.0.1:8080/a", "http://a?b",
            "https://a#b", "https://a:443", "http://a:0/", "http://a:65535/@:80", "http://a/b@c:d", "http://a..b/",
        ]
        for text in plain {
            let url = try #require(URL(string: text))
            let origin = try #require(Origin(plain: text), "\(text)")
            #expect(parts(origin) == parts(url) && origin == Origin(url), "\(text)")
            #expect(origin.text == "\(origin.scheme)://\(origin.host):\(origin.port)")
        }
    }

    @Test("Whatever is not plain is the URL's to say; nothing with a user is plain")
    func other() throws {
        let other = [
            "HTTP://a/", "http://A/", "http://u@a/", "http://u:p@a/", "http://u:80@a/", "http://80@a",
            "http://[::1]:80/", "http://a:/", "http://a%2Db/", "http:///a", "http:a", "ftp://a/", "file:///a",
            "data:,a", "a", "", "http://",
            "http://a:99999/", "http://a:123456/", "http://\u{E4}/", "https//a", "http://a_b/", "http://a:8x/",
        ]
        for text in other {
            #expect(Origin(plain: text) == nil, "\(text)")
            if let url = URL(string: text) { #expect(parts(Origin(url)) == parts(url), "\(text)") }
        }
    }

    @Test("Of any text")
    func random() {
        var random = SeededGenerator(seed: 5)
        let pieces = [
            "http://", "https://", "a", "B", "1", ".", "-", ":", "80", "/", "?", "#", "@", "[", "]", "%41", "_",
        ]
        for _ in 0..<5000 {
            var text = ["http://", "https://", ""].randomElement(using: &random) ?? ""
            for _ in 0..<Int.random(in: 0..<7, using: &random) { text += pieces.randomElement(using: &random) ?? "" }
            guard let url = URL(string: text) else { continue }
            #expect(parts(Origin(url)) == parts(url), "\(text)")
            if url.user != nil || url.password != nil { #expect(Origin(plain: text) == nil, "\(text)") }
        }
    }
}
