import Foundation
import Testing
import WebImage
import WebImageTesting

@Suite("Servers that send too much, or never come to an end")
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
        await harness.allConnectionsClosed()
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
