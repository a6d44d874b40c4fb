import Foundation
import Testing
import WebImage

@testable import WebImageTool

@Suite("Command line: names, numbers and JSON")
struct OutputTextTests {
    @Test(
        "The file name is the URL's last part, harmless, with the ending of the format",
        arguments: [
            ("http://h/a/b.png", ImageFormat.png, "b.png"),
            ("http://h/a/b.PNG?x=1#y", .png, "b.PNG"),
            ("http://h/b.jpeg", .jpeg, "b.jpeg"),
            ("http://h/b.png", .jpeg, "b.jpg"),
            ("http://h/photo.php", .webP, "photo.php.webp"),
            ("http://h/", .gif, "picture.gif"),
            ("http://h/%2e%2e%2f%2e%2e%2fetc%2fpasswd", .png, "_.._etc_passwd.png"),
            ("http://h/..", .png, "picture.png"),
            ("http://h/.hidden.png", .png, "hidden.png"),
            ("http://h/-rf.png", .png, "rf.png"),
            ("http://h/a%00b%0Ac%1B%5B2J.png", .png, "a_b_c_[2J.png"),
            ("http://h/a%20b%C3%A9.png", .png, "a b\u{E9}.png"),
            ("http://h/100%.png", .png, "100%.png"),
            ("data:image/png;base64,AAAA", .png, "picture.png"),
            ("file:///x/y.webp", .webP, "y.webp"),
        ])
    func fileName(_ url: String, _ format: ImageFormat, _ name: String) {
        #expect(OutputName(PictureSource(url).url).text(format) == name)
    }

    @Test("A file name has at most 200 bytes, whole characters, and keeps number and ending")
    func longFileName() {
        let url = URL(string: "http://h/" + String(repeating: "%C3%A9", count: 300) + ".png")
        let name = OutputName(url).text(.png, ordinal: 12)
        #expect(name.hasSuffix("\u{E9}-12.png"))
        #expect((198...200).contains(name.utf8.count))
        #expect(OutputName(url).text(.png).utf8.count <= 200)
    }

    @Test("JSON text reads back as what was written")
    func json() throws {
        let text = "a\"b\\c\n\t\u{0}\u{1B}\u{7F}\u{2028}\u{FFFD}\u{1F600}/"
        let value = JSONValue.object([
            .init(text, .array([.null, .bool(true), .integer(-3), .number(0.5), .string(text)])),
            .init("n", .number(.nan)),
        ])
        #expect(value.text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
        let object = try #require(JSONSerialization.jsonObject(with: Data(value.text.utf8)) as? [String: Any])
        let array = try #require(object[text] as? [Any])
        #expect(array[0] is NSNull)
        #expect(array[1] as? Bool == true)
        #expect(array[2] as? Int == -3)
        #expect(array[3] as? Double == 0.5)
        #expect(array[4] as? String == text)
        #expect(object["n"] is NSNull)
    }

    @Test(
        "Amounts are short and round upwards into the next unit",
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (20_480, "20.5 kB"), (999_949, "999.9 kB"),
            (999_950, "1.0 MB"), (41_000_000, "41.0 MB"), (5_000_000_000_000_000, "5000.0 TB"),
        ])
    func bytes(_ count: Int, _ text: String) {
        #expect(Quantity.bytes(count) == text)
    }

    @Test(
        "Times are short",
        arguments: [
            (0.0124, "12 ms"), (0.9996, "1.00 s"), (1.305, "1.31 s"), (59.99, "59.99 s"), (60, "1 min 00 s"),
            (125, "2 min 05 s"),
        ])
    func time(_ seconds: Double, _ text: String) {
        #expect(Quantity.time(.seconds(seconds)) == text)
    }

    @Test("What is shown has no password, no control characters and no endless contents")
    func displayName() {
        #expect(PictureSource.displayName("http://u:p@h/a@b") == "http://h/a@b")
        #expect(PictureSource.displayName("http://h/a@b") == "http://h/a@b")
        #expect(PictureSource.displayName("a\u{1B}[2J\u{202E}b") == "a\u{FFFD}[2J\u{FFFD}b")
        #expect(PictureSource.displayName("data:" + String(repeating: "A", count: 1000)).count == 61)
    }

    @Test("A list has one entry a line; blanks and comments are left out")
    func list() {
        let text = "\u{FEFF}http://h/1\r\n\n  # no\n\t http://h/2 \u{20}\na b.png\n#x"
        #expect(SourceList.entries(Data(text.utf8)) == ["http://h/1", "http://h/2", "a b.png"])
        #expect(SourceList.entries(Data([0xFF, 0x0A, 0x41])) == ["\u{FFFD}", "A"])
    }

    @Test("Progress fits the terminal: at most rows - 1 lines, the last about the whole")
    func board() {
        var board = ProgressBoard(total: 30)
        for number in 0..<20 {
            let progress = LoadProgress(receivedByteCount: 500, expectedByteCount: number == 0 ? nil : 1000)
            board.note(progress, of: number, name: "http://h/" + String(repeating: "x", count: 90) + "\(number).png")
        }
        board.noteEnd(of: 19, isFailure: true)
        let lines = board.lines(columns: 100, rows: 10)
        #expect(lines.count == 9)
        #expect(lines.allSatisfy { $0.count < 100 })
        #expect(lines[0].contains("0.png") && lines[0].contains("500 B"))
        #expect(lines[1].contains("1.png") && lines[1].contains(" 50%  500 B of 1.0 kB"))
        #expect(lines[7] == "  and 12 more")
        #expect(lines[8].hasPrefix("  1 of 30, 1 failed  10.0 kB"))
        #expect(board.lines(columns: 20, rows: 1).count == 1)
    }
}
