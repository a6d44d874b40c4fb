import Foundation
import Glibc
import Synchronization
import Testing
import WebImage
import WebImageTesting

@Suite("Command line: progress on a terminal")
struct ProgressTests {
    @Test("A terminal shows each running download, and nothing of it stays at the end")
    func progress() async throws {
        let run = try await TerminalRun { _, gate in gate.open() }
        #expect(run.result.status == 0)
        #expect(run.screen.contains("/held.png"))
        #expect(run.screen.contains(" 24%  3.0 kB of 12.4 kB"))
        #expect(run.screen.contains("  0 of 1  3.0 kB"))
        #expect(run.remains.isEmpty)
        #expect(run.result.lines.count == 2)
        #expect(!run.result.output.contains("\u{1B}"))
    }

    @Test("An interrupt cleans the terminal up")
    func interrupt() async throws {
        let run = try await TerminalRun { tool, _ in tool.interrupt() }
        #expect(run.result.status == 130)
        #expect(run.remains.isEmpty)
        #expect(run.result.lines.count == 1)
        #expect(run.result.output.hasSuffix("; interrupted\n"))
    }

    @Test("--timeout gives a silent server up")
    func timeout() async throws {
        let workshop = try Workshop()
        let server = try ScriptedHTTPServer()
        server.script("/held", .picture().held(by: Gate()))
        let result = try await workshop.run("fetch", "--timeout", "0.2", server.url("/held").absoluteString)
        #expect(result.status == 1)
        #expect(result.errorLines.count == 1)
        #expect(result.errors.contains(": load: "))
    }
}

/// A fetch whose standard error is a terminal: one picture, held after 3,000 bytes until its progress was seen.
private struct TerminalRun {
    let result: ToolResult
    /// All that came to the terminal.
    let screen: String

    /// What the last erasing of the terminal left, or came after it.
    var remains: Substring {
        screen.range(of: "\u{1B}[J", options: .backwards).map { screen[$0.upperBound...] } ?? screen[...]
    }

    init(whenSeen act: (RunningTool, Gate) -> Void) async throws {
        let workshop = try Workshop()
        let server = try ScriptedHTTPServer()
        let gate = Gate()
        server.script("/held.png", .picture().held(by: gate, after: 3000))
        let terminal = try Terminal()
        let tool = try workshop.start(["fetch", server.url("/held.png").absoluteString], errors: terminal.far)
        try terminal.far.close()
        await terminal.seen.wait()
        act(tool, gate)
        result = try await tool.result()
        await terminal.ended.wait()
        screen = terminal.text
    }
}

/// The near side of a terminal of 100 columns, with a thread that reads what is written to the far side.
private final class Terminal: Sendable {
    let far: FileHandle
    /// Opened when the bytes that came are told, or nothing comes any more.
    let seen = Gate()
    /// Opened when nobody has the far side any more.
    let ended = Gate()
    private let bytes = Mutex<[UInt8]>([])

    var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }

    init() throws {
        let near = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(near >= 0)
        var size = winsize(ws_row: 24, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(near, UInt(TIOCSWINSZ), &size) == 0)
        // Swift's Glibc module has neither `unlockpt` nor `ptsname`; these are the requests behind them.
        let (unlock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
        var number: Int32 = 0
        try #require(ioctl(near, unlock, &number) == 0 && ioctl(near, getNumber, &number) == 0)
        let descriptor = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        try #require(descriptor >= 0)
        far = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        Thread.detachNewThread { [self] in read(near) }
    }

    private func read(_ near: Int32) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(near, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes.withLock { $0 += buffer[..<count] }
            if text.contains("3.0 kB of 12.4 kB") { seen.open() }
        }
        close(near)
        seen.open()
        ended.open()
    }
}
