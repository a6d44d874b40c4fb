import Foundation
import Synchronization
import Testing
import WebImage
import WebImageTesting

@Suite("B14 one hiccup and the URL is banned: never, and what is banned has a way back", .timeLimit(.minutes(20)))
struct FailedURLCaseTests {
    @Test("B14a a closed port, then a server there")
    func B14_closedPort() async throws {
        let harness = try RealHarness()
        let closed = try ScriptedHTTPServer()
        let (url, port) = (closed.url("/a.png"), closed.port)
        closed.stop()
        var request = harness.request("/a.png")
        request.url = url
        await #expect { try await harness.manager.image(for: request) } throws: {
            ($0 as? ImageError)?.code == .cannotConnect
        }
        // The system may have given the port to another meanwhile; then there is nothing to see here.
        guard let opened = try? ScriptedHTTPServer(port: port) else { return }
        opened.script("/a.png", .picture())
        #expect(try await harness.manager.image(for: request).freshness == .loaded)
    }

    @Test("B14c cancelled, then loaded again")
    func B14_cancelled() async throws {
        let harness = try RealHarness()
        let ended = LoadRecorder()
        let operation = harness.manager.load(harness.request("/slow"), completion: ended.record)
        await harness.server.waitForRequest(to: "/slow")
        operation.cancel()
        await ended.ended.wait()
        harness.gates.slow.open()
        #expect(try await harness.load("/slow").freshness == .loaded)
    }

    @Test("B14f a banned URL has a reason, and one or all may be let go")
    func B14_banned() async throws {
        let harness = try RealHarness()
        for path in ["/one", "/two"] {
            harness.server.script(path, .body(Data("no picture".utf8)))
            _ = try? await harness.load(path)
            #expect(harness.manager.failure(of: harness.server.url(path))?.code == .unknownFormat)
            await #expect { try await harness.load(path) } throws: { ($0 as? ImageError)?.code == .blackListed }
        }
        harness.manager.removeFailedURL(harness.server.url("/one"))
        #expect(harness.manager.failure(of: harness.server.url("/one")) == nil)
        #expect(harness.manager.failure(of: harness.server.url("/two")) != nil)
        harness.manager.removeAllFailedURLs()
        #expect(harness.manager.failure(of: harness.server.url("/two")) == nil)
        harness.server.script("/two", .picture())
        #expect(try await harness.load("/two").freshness == .loaded)
    }

    @Test("A success with retryFailed lifts the ban", arguments: [400, 404, 410, 500])
    func liftedBySuccess(_ status: Int) async throws {
        let harness = try RealHarness()
        harness.server.script("/a.png", .status(status), .picture())
        _ = try? await harness.load("/a.png")
        #expect(harness.manager.failure(of: harness.server.url("/a.png"))?.statusCode == status)
        _ = try await harness.load("/a.png", [.retryFailed])
        #expect(harness.manager.failure(of: harness.server.url("/a.png")) == nil)
    }
}
