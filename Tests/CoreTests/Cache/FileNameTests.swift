import Testing
import WebImageTesting

@testable import WebImageCore

@Suite struct FileNameTests {
    @Test(
        "file names of behaviour 1.4",
        arguments: [
            ("http://h/a.png", "9ef778804fd929ca71a038547aea542b.png"),
            ("http://h/a", "2ce7276502725c281e6d5ae4e55aed55"),
            ("TestImageKey.jpg", "f77fd0b2d2c9780cce3b1cf4f047030a.jpg"),
        ])
    func goldenNames(key: String, name: String) {
        #expect(DiskAddress(CacheKey(key)).fileName == name)
    }

    @Test("CA-31 path: any key has one")
    func CA_31_anyKeyHasAPath() throws {
        let cache = DiskCache(folder: "/nonexistent/entries")
        #expect(cache.path(for: CacheKey("x")) == "/nonexistent/entries/9dd4e461268c8034f5c8564e155c67a6")
    }

    @Test("CA-32 path: the empty key, in place of nil, has one and stays in the folder")
    func CA_32_emptyKey() {
        #expect(DiskCache(folder: "/f").path(for: CacheKey("")) == "/f/d41d8cd98f00b204e9800998ecf8427e")
    }

    @Test("CA-34 extension: .jpg is kept")
    func CA_34_jpg() {
        #expect(FileExtension.of("TestImageKey.jpg") == "jpg")
    }

    @Test("CA-35 extension: dots only in the query give none")
    func CA_35_dotsInQuery() {
        #expect(FileExtension.of("https://h.example/image?name=a.b.jpg&v=1.0") == "")
        #expect(FileExtension.of("https://h.example?a.b") == "")
        #expect(FileExtension.of("https://h.example") == "")
    }

    @Test("CA-36 extension: a long query does not hide the path's")
    func CA_36_longQuery() {
        #expect(FileExtension.of("https://h/a/b.jpg?" + String(repeating: "x.y/", count: 500)) == "jpg")
        #expect(FileExtension.of("http://h/i.jpg?a=1|2&b=%E4") == "jpg")
    }

    @Test("CA-37 extension: one longer than the limit is dropped")
    func CA_37_tooLong() {
        #expect(FileExtension.of("x." + String(repeating: "j", count: 222)).count == 222)
        #expect(FileExtension.of("x." + String(repeating: "j", count: 223)) == "")
        #expect(DiskAddress(CacheKey("x." + String(repeating: "j", count: 222))).fileName.utf8.count == 255)
        #expect(FileExtension.of("x." + String(repeating: "é", count: 112)) == "")
    }

    @Test("the short way to an extension gives what the long one gives")
    func shortWay() {
        var generator = SeededGenerator(seed: 3)
        let parts = ["https://h", "d", "data:", "/", "/a", "/a.", ".jpg", ".", "..", "?", "#", ":", "%41", "é", "://"]
        var shortCount = 0
        for _ in 0..<20_000 {
            var base = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
                parts.randomElement(using: &generator) ?? ""
            }.joined()
            let long = FileExtension.of(base)
            let short = base.withUTF8 { bytes in
                FileExtension.plain(bytes).map { String(decoding: bytes[$0], as: UTF8.self) }
            }
            if short != nil { shortCount += 1 }
            #expect(short == nil || short == long, "\(base)")
        }
        #expect(shortCount > 100)
    }

    @Test("CA-49a extension: NUL at the end goes, no extension is none")
    func CA_49a_nul() {
        #expect(FileExtension.of("https://h/a/test.jpg00%00") == "jpg00")
        #expect(FileExtension.of("https://h/a/test") == "")
    }

    @Test(
        arguments: [
            ("a.tar.gz", "gz"), ("..", ""), (".", ""), ("", ""), (" ", ""), (".hidden", ""), ("a.", ""), ("A.1", "1"),
            ("../../escape", ""), ("a/b.png/", "png"), ("a.b/c", ""), ("x.a%2Fb", "ab"), ("x.a:b", "ab"),
            ("x.%E4", "%E4"), ("x.%2", "%2"), ("x.%+1", "%+1"), ("data:image/png;base64,a.b", ""), ("what. no", ""),
            ("file:///a/b.png", "png"), ("http://h/a.png#b.c", "png"), ("/./...", ""),
        ])
    func oddNames(base: String, expected: String) {
        #expect(FileExtension.of(base) == expected)
    }

    @Test func controlCharactersGo() {
        #expect(FileExtension.of("x.a\0b") == "ab")
        #expect(FileExtension.of("x.\u{1B}[31m\u{7F}") == "[31m")
    }

    @Test func theExtensionIsTheBases() {
        let key = CacheKey("http://h/a.png", fragments: ["Blur(1.5)"])
        #expect(DiskAddress(key).fileName.hasSuffix(".png"))
    }

    @Test func onlyTheCachesOwnNamesAreItsOwn() {
        let digest = "9ef778804fd929ca71a038547aea542b"
        #expect(DiskFileKind.classify(digest)?.kind == .body)
        #expect(DiskFileKind.classify(digest + ".png")?.kind == .body)
        let words = DiskDigest((0x9ef7_7880_4fd9_29ca, 0x71a0_3854_7aea_542b))
        #expect(words.text == digest && DiskFileKind.classify(digest)?.digest == words)
        let sidecar = DiskFileKind.sidecarName(words, body: 0xAB)
        #expect(sidecar == ".\(digest)-00000000000000ab.meta")
        #expect(DiskFileKind.classify(sidecar)?.kind == .sidecar(body: 0xAB))
        #expect(DiskFileKind.classify(DiskFileKind.temporaryName(words, unique: "1-2-3"))?.kind == .temporary)
        let others = [
            "", ".", "holiday.jpg", digest + "x", String(digest.dropLast()), ".hidden", digest.uppercased(), ".tmp-1",
            ".\(digest).meta", String(sidecar.dropLast()), sidecar + "x", ".pins", ".tmp-",
        ]
        for name in others { #expect(DiskFileKind.classify(name) == nil, "\(name)") }
    }
}
