import Foundation
import Testing
import WebImageCore

@Suite("A URL in a text")
struct RequestTextTests {
    @Test(
        "B15 what may not stand in a URL is percent-encoded, what is so already stays",
        arguments: [
            ("http://h/ü b.png", "http://h/%C3%BC%20b.png"), ("http://h/%C3%BC%20b.png", "http://h/%C3%BC%20b.png"),
            ("http://h/a%2520b.png", "http://h/a%2520b.png"), ("http://h/x%2Fy.png", "http://h/x%2Fy.png"),
            ("http://h/a+b.png", "http://h/a+b.png"), ("http://h/p.png?q=é&r=1|2", "http://h/p.png?q=%C3%A9&r=1%7C2"),
            ("http://h/p.png#frag", "http://h/p.png#frag"), ("http://h/a%zz.png", "http://h/a%25zz.png"),
            // Both in one text, which Foundation alone encodes twice.
            ("http://h/ü%20b.png", "http://h/%C3%BC%20b.png"),
            ("http://h/a%20b c?d=%7C|", "http://h/a%20b%20c?d=%7C%7C"),
            ("data:image/svg+xml,%3Csvg a='1' b=\"2\"%3E", "data:image/svg+xml,%3Csvg%20a='1'%20b=%222%22%3E"),
            (" \thttp://h/img \n", "http://h/img"), ("http://h/a#b#c", "http://h/a#b%23c"),
            ("http://h/%", "http://h/%25"),
            ("http://h/%4", "http://h/%254"), ("http://h/[a]{b}", "http://h/%5Ba%5D%7Bb%7D"),
            ("http://[::1]:80/a b", "http://[::1]:80/a%20b"), ("http://ü.de/ü", "http://xn--tda.de/%C3%BC"),
            ("http://u:p%40@h?a b", "http://u:p%40@h?a%20b"), ("file:///tmp/a b", "file:///tmp/a%20b"),
        ])
    func B15_texts(_ text: String, _ expected: String) {
        #expect(ImageRequest(text).url?.absoluteString == expected)
    }

    @Test("B15 a text that is no URL has none", arguments: ["", " ", "\n\t", "http://a b/c", "http://[::1"])
    func B15_noURL(_ text: String) {
        #expect(ImageRequest(text).url == nil)
    }
}
