import Foundation
import Synchronization
import Testing
import WebImage
import WebImageTesting

@Suite("Servers that send too much, or never come to an end", .timeLimit(.minutes(20)))
struct HostileServerTests {
    private let large = Data(count: 400_000)

    @Test(
        "A body over the limit is one error that names the limit, and nothing is stored",
        arguments: ["/announced", "/chunked", "/until-close", "/compressed"])
    func bodyLimit(_ path: String) async throws {
        var configuration = DownloaderConfiguration()
        configuration.maxBodyByteCount = 100_000
        let harness = try RealHarness(configuration)
        harness.server.script("/announced", .body(large))
        harness.server.script("/chunked", .body(large).chunked(5000))
        harness.server.script("/until-close", .body(large).untilClose())
        harness.server.script("/compressed", .gzip(large))
        await #expect { try await harness.load(path) } throws: { error in
            let error = error as? ImageError
            return error?.code == .limitExceeded && error?.message.contains("maxBodyByteCount") == true
        }
        #expect(harness.files.isEmpty && harness.downloader.currentDownloadCount == 0)
        await harness.allExchangesOver()
    }

    @Test("A gzip bomb is stopped at the limit while it unpacks: one error, and nothing is stored")
    func gzipBomb() async throws {
        var configuration = DownloaderConfiguration()
        configuration.maxBodyByteCount = 1_000_000
        let harness = try RealHarness(configuration)
        let bomb = Self.gzipBomb(repeats: 60_000)
        #expect(bomb.count < 800_000)
        harness.server.script("/bomb", ScriptedAnswer(headers: ["Content-Encoding": "gzip"], body: bomb))
        let most = Mutex(0)
        let request = harness.request("/bomb")
        let error = await withCheckedContinuation { continuation in
            harness.downloader.download(request) { progress in
                most.withLock { $0 = max($0, progress.receivedByteCount) }
            } completion: { result in
                if case .failure(let error) = result { return continuation.resume(returning: Optional(error)) }
                continuation.resume(returning: nil)
            }
        }
        #expect(error?.code == .limitExceeded && error?.message.contains("maxBodyByteCount") == true)
        #expect(most.withLock { $0 } <= 1_000_000)
        #expect(await code { () async throws(ImageError) in try await harness.load("/bomb") } == .limitExceeded)
        #expect(harness.files.isEmpty)
        await harness.allExchangesOver()
    }

    /// Zeros, as one deflate block with fixed codes: a literal, then matches of 258 bytes, eight in 13 bytes of file.
    private static func gzipBomb(repeats: Int) -> Data {
        let block: [Character] = Array("110" + "00110000")
        let match: [Character] = Array("11000101" + "00000")
        // Whole bytes from here on: 8 matches after those that fill up the block's first bits.
        var bits = block
        while bits.count % 8 != 0 { bits += match }
        let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
        let eight = packed(Array(repeatElement(match, count: 8).joined()))
        return Data(head + packed(bits) + repeatElement(eight, count: repeats).joined())
    }

    private static func packed(_ bits: [Character]) -> [UInt8] {
        stride(from: 0, to: bits.count, by: 8).map { start in
            (0..<8).reduce(0) { byte, place in bits[start + place] == "1" ? byte | 1 << UInt8(place) : byte }
        }
    }

    @Test("A body of exactly the limit is taken")
    func exactLimit() async throws {
        var configuration = DownloaderConfiguration()
        configuration.maxBodyByteCount = TestPictures.red.count
        let harness = try RealHarness(configuration)
        harness.server.script("/chunked", .picture().chunked(100))
        #expect(try await harness.load("/img").data == TestPictures.red)
        #expect(try await harness.load("/chunked").data == TestPictures.red)
    }

    @Test("The endless body of a redirect, or of an error page, is not heard out")
    func endlessSideBody() async throws {
        let harness = try RealHarness()
        let gate = Gate()
        defer { gate.open() }
        for (path, status) in [("/moved", 302), ("/missing", 404)] {
            let answer = ScriptedAnswer(
                statusCode: status, headers: ["Location": "/img"], body: large, framing: .untilClose)
            harness.server.script(path, answer.held(by: gate, after: 200_000))
        }
        #expect(try await harness.load("/moved").image.pixels.color(x: 0, y: 0) == red)
        await #expect { try await harness.load("/missing") } throws: { ($0 as? ImageError)?.statusCode == 404 }
    }

    @Test("A short error page is heard out, so that the connection serves the next download")
    func shortErrorPage() async throws {
        let harness = try RealHarness()
        await #expect(throws: ImageError.self) { try await harness.load("/404img") }
        _ = try await harness.load("/img")
        _ = try await harness.load("/redir_same")
        #expect(harness.server.connectionCount == 1)
    }

    @Test("Targets of redirects with spaces and letters beyond ASCII are asked for, escaped")
    func oddTargets() async throws {
        let harness = try RealHarness()
        harness.server.script("/moved", .redirect(to: "/a b/ü.png"))
        harness.server.script("/a%20b/%C3%BC.png", .picture())
        #expect(try await harness.load("/moved").image.pixels.color(x: 0, y: 0) == red)
    }
}
