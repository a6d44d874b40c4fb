import Foundation
import Testing
import WebImage

@testable import WebImageTool

@Suite("Command line: what is asked for, and what is not understood")
struct UsageTests {
    @Test("--version prints the version", arguments: ["--version"])
    func version(_ argument: String) async throws {
        let result = try await Workshop().run(argument)
        #expect(result.status == 0)
        #expect(result.output == "webimage 0.1.0\n")
        #expect(result.errors.isEmpty)
    }

    @Test("--help of the tool names every command")
    func toolHelp() async throws {
        let result = try await Workshop().run("--help")
        #expect(result.status == 0)
        for command in Command.all { #expect(result.output.contains("  \(command.name) ")) }
        #expect(result.lines.allSatisfy { $0.count <= 80 })
    }

    @Test("--help of a command names every option that the parser takes", arguments: Command.all.map(\.name))
    func commandHelp(_ name: String) async throws {
        let command = try #require(Command.all.first { $0.name == name })
        let result = try await Workshop().run(name, "--help")
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        for option in command.allOptions {
            let names = option.names.joined(separator: ", ")
            #expect(result.output.contains(names + (option.placeholder.map { " \($0)" } ?? "")))
        }
        #expect(!command.examples.isEmpty)
        #expect(result.lines.filter { !$0.hasPrefix("  webimage") }.allSatisfy { $0.count <= 80 })
    }

    @Test(
        "What is not understood is one line that says what to do, and status 2",
        arguments: [
            [], ["ftech"], ["--versoin"], ["fetch"], ["fetch", "--thumbnial", "3x3", "x"],
            ["fetch", "--thumbnail", "0x0", "x"], ["fetch", "--thumbnail", "3", "x"], ["fetch", "--json=yes", "x"],
            ["fetch", "-o"], ["fetch", "--repeat", "0", "x"], ["fetch", "--timeout", "nan", "x"],
            ["fetch", "--format", "pdf", "x"], ["fetch", "--resize", "3x3:stretch", "x"],
            ["fetch", "--crop", "3x3+1", "x"], ["fetch", "--crop", "3x3+1+-1", "x"], ["fetch", "--crop", "0x3", "x"],
            ["fetch", "--rotate", "inf", "x"], ["fetch", "--flip", "", "x"], ["fetch", "--blur", "-1", "x"],
            ["fetch", "--round", "nan", "x"], ["fetch", "--sharpen", "1:", "x"], ["fetch", "--sharpen", "", "x"],
            ["fetch", "--sharpen", "1:1:1", "x"], ["fetch", "--circle=1", "x"],
            ["fetch", "--no-decode", "--sepia", "x"], ["fetch", "--linear", "x"], ["fetch", "--filter", "box", "x"],
            ["convert", "a", "b.png", "--resize", "3x3", "--filter", "cubic"], ["convert", "a", "b.png", "--linear"],
            ["fetch", "--no-decode", "--thumbnail", "3x3", "x"], ["info"], ["convert", "a"], ["convert", "a", "b"],
            ["convert", "a", "-"], ["convert", "a", "b.png", "--quality", "101"],
            ["convert", "a", "b.png", "--frame", "-1"], ["cache"], ["cache", "pth"], ["cache", "ls", "more"],
            ["cache", "ls", "--max-size", "3"], ["cache", "size", "--tag", "a"], ["cache", "trim", "--dry-run"],
            ["cache", "clear", "--remove"], ["cache", "export", "--tag", "a", "out"],
        ])
    func notUnderstood(_ arguments: [String]) async throws {
        let result = try await Workshop().start(arguments).result()
        #expect(result.status == 2)
        #expect(result.output.isEmpty)
        #expect(result.errorLines.count == 1)
        #expect(result.errors.hasPrefix("webimage"))
        #expect(result.errors.contains("--help'"))
    }

    @Test("Changes are made in the order in which they stand, as often as they do")
    func changes() throws {
        let words = [
            "--invert", "a", "--crop=30x20+4+5", "--resize", "3x2:fit", "--rotate", "-90", "--flip", "both", "--invert",
            "--round", "4", "--blur", "2", "--sharpen", "1:0.5", "--circle", "--grayscale", "--sepia",
        ]
        for command in [Command.convert, .fetch] {
            let changes = try ParsedArguments(words, options: command.allOptions).changes()
            #expect(
                changes?.key == "Filter(invert,1)-Cropping({4.0,5.0,30.0,20.0},1)-Resizing({3.0,2.0},aspectFit,1)"
                    + "-Rotation(\(Double.pi / 2),fit,1)-Flipping(1,1,1)-Filter(invert,1)-RoundCorner(4.0,15,0.0,-,1)"
                    + "-Blur(2.0,1)-Filter(sharpen,1.0,0.5,1)-\(CircleTransformer().key)-Filter(grayscale,1)"
                    + "-Filter(sepia,1.0,1)")
            #expect(try ParsedArguments(["a"], options: command.allOptions).changes() == nil)
        }
    }

    @Test("--filter and --linear stand anywhere and say how all sizes are changed")
    func resampling() throws {
        for command in [Command.convert, .fetch] {
            let words = ["--resize", "3x2", "--filter", "box", "--resize=2x1", "--linear", "a"]
            let arguments = try ParsedArguments(words, options: command.allOptions)
            #expect(try arguments.resampling() == Resampling(.box, light: .linear))
            #expect(
                try arguments.changes()?.key
                    == "Resizing({3.0,2.0},fill,box,linear,1)-Resizing({2.0,1.0},fill,box,linear,1)")
            let thumbnail = try ParsedArguments(["--thumbnail", "3x2", "--linear"], options: command.allOptions)
            #expect(try thumbnail.resampling() == Resampling(.lanczos3, light: .linear))
            #expect(try thumbnail.changes() == nil)
        }
    }

    @Test("A slip of the finger is recognised")
    func suggestion() async throws {
        let result = try await Workshop().run("fetch", "--thumbnial", "3x3", "x")
        #expect(result.errors.contains("did you mean '--thumbnail'?"))
        #expect(try await Workshop().run("quite-another-thing").errors.contains("did you mean") == false)
    }

    @Test("Values may stand apart or in one word, and all is an operand after --")
    func parsing() throws {
        let options = Command.fetch.allOptions
        let apart = try ParsedArguments(["-o", "d", "--thumbnail", "4x5", "a", "-", "--", "--json"], options: options)
        #expect(apart.operands == ["a", "-", "--json"])
        #expect(!apart.has(.json))
        #expect(try apart.value(of: .outputFolder) == "d")
        let joined = try ParsedArguments(["-od", "--thumbnail=4x5", "--json"], options: options)
        #expect(try joined.value(of: .outputFolder) == "d")
        #expect(try joined.value(of: .thumbnail) == ImageSize(4, 5))
        #expect(joined.has(.json))
        #expect(try joined.value(of: .rounds) == nil)
    }

    @Test(
        "--quality is a percentage, or a fraction with a point",
        arguments: [
            ("80", 0.8), ("0.8", 0.8), ("1", 0.01), ("1.0", 1), ("100", 1), ("0", 0), ("1.5", 0.015),
        ])
    func quality(_ text: String, _ value: Double) throws {
        let arguments = try ParsedArguments(["--quality", text], options: Command.convert.allOptions)
        #expect(try arguments.value(of: .quality) == value)
    }

    @Test(
        "--max-size takes a unit in upper or lower case, of 1000 or of 1024",
        arguments: [
            ("100KB", 100_000), ("100kB", 100_000), ("100kb", 100_000), ("3MB", 3_000_000), ("2gb", 2_000_000_000),
            ("1KiB", 1024), ("2MIB", 2_097_152), ("1gib", 1 << 30), ("7b", 7), ("0", 0), ("12", 12),
            ("-1KB", nil), ("1.5MB", nil), ("KB", nil), ("1 KB", nil), ("1XB", nil), ("1KiBB", nil), ("", nil),
            ("9999999999999GB", nil),
        ] as [(String, Int?)])
    func maxSize(_ text: String, _ value: Int?) {
        #expect(ValueOption.maxSize.read(text) == value)
    }
}
