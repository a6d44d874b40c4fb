import Foundation
import Testing
import WebImage
import WebImageTesting

@Suite("Command line: what bad input gets")
struct BadInputTests {
    @Test("One line a failure names the URL and the stage; the others go on; nothing bad is kept")
    func manyFailures() async throws {
        let workshop = try Workshop()
        let server = try ScriptedHTTPServer()
        let bad = try badSources(server, workshop)
        // Misnamed is not bad: a PNG that calls itself a WebP in a .jpg.
        let good = server.url("/x.jpg").absoluteString

        let result = try await workshop.start(["fetch", "--json"] + bad.map(\.source) + [good]).result()
        #expect(result.status == 1)
        #expect(result.errorLines.count == bad.count)
        let objects = try result.objects()
        #expect(objects.count == bad.count + 1)
        for (source, stage) in bad {
            let lines = result.errorLines.filter { $0.hasPrefix("webimage: \(source): ") }
            #expect(lines.count == 1)
            #expect(lines.first?.contains(": \(stage): ") == true, "\(lines)")
            let object = try #require(objects.first { $0["url"] as? String == source })
            #expect((object["error"] as? String)?.hasPrefix("\(stage): ") == true)
            #expect(object["from"] is NSNull && object["width"] is NSNull && object["bytes"] is NSNull)
        }
        let arrived = try #require(objects.first { $0["url"] as? String == good })
        #expect(arrived["error"] is NSNull)
        #expect(arrived["width"] as? Int == 64)
        #expect(workshop.cache.entries().map(\.key) == [good])
        #expect(workshop.cacheFiles.count == 1)
    }

    @Test("A list that cannot be read is one failure")
    func badList() async throws {
        let workshop = try Workshop()
        let result = try await workshop.run("fetch", "no/such/list.txt")
        #expect(result.status == 1)
        #expect(result.errorLines.count == 1)
        #expect(result.errors.contains("list.txt"))
    }

    @Test("A cache that cannot be written to fails the storing and not the fetching")
    func unwritableCache() async throws {
        let workshop = try Workshop()
        let server = try ScriptedHTTPServer()
        server.script("/a.png", .picture())
        // A file where the folder should be; permissions do not stop root.
        let file = try workshop.write(Data("x".utf8), "file")
        let url = server.url("/a.png").absoluteString
        for extra in [[], ["--no-decode"], ["--thumbnail", "8x8"]] {
            let result = try await workshop.start(["fetch", "--json", "-o", "out", url] + extra, cache: file).result()
            #expect(result.status == 1)
            #expect(result.errorLines.count == 1)
            #expect(result.errors.hasPrefix("webimage: \(url): store: cannot write \(file)/webimage/default"))
            let object = try #require(try result.objects().first)
            #expect(object["from"] as? String == "network")
            #expect(object["bytes"] as? Int == TestPictures.red.count)
            #expect((object["error"] as? String)?.hasPrefix("store: ") == true)
        }
        #expect(try workshop.contents("out/a.png") == TestPictures.red)
        let result = try await workshop.run("fetch", url, cache: file)
        #expect(result.output.contains("1 from network (12.4 kB); 1 not stored"))
    }

    @Test("A folder for output that cannot be made is one failure before anything is fetched")
    func unwritableOutput() async throws {
        let workshop = try Workshop()
        let server = try ScriptedHTTPServer()
        server.script("/a.png", .picture())
        try workshop.write(Data(), "file")
        let result = try await workshop.run("fetch", "-o", "file/out", server.url("/a.png").absoluteString)
        #expect(result.status == 1)
        #expect(result.errorLines.count == 1)
        #expect(result.errors.hasPrefix("webimage: file/out: store: "))
        #expect(server.requests.isEmpty)
    }

    @Test("--retry-failed tries again in the next round what failed in the one before")
    func retryFailed() async throws {
        let workshop = try Workshop()
        let server = try ScriptedHTTPServer()
        server.script("/html", .body(Data("<html>no</html>".utf8), type: "text/html"), .picture())
        let url = server.url("/html").absoluteString
        let blocked = try await workshop.run("fetch", "--json", "--repeat", "2", url)
        #expect(blocked.status == 1)
        #expect(try blocked.objects().allSatisfy { $0["error"] is String })
        #expect(server.requests.count == 1)
        server.script("/html", .body(Data("<html>no</html>".utf8), type: "text/html"), .picture())
        let retried = try await workshop.run("fetch", "--json", "--repeat", "2", "--retry-failed", url)
        #expect(retried.status == 1)
        #expect(try retried.objects().map { $0["from"] as? String } == [nil, "network"])
    }

    /// What must fail, and at which stage.
    private func badSources(
        _ server: ScriptedHTTPServer, _ workshop: Workshop
    ) throws -> [(source: String, stage: String)] {
        server.scriptStandardCases(redirectingTo: server)
        let deadPort = try ScriptedHTTPServer()
        let dead = deadPort.url("/x.png").absoluteString
        deadPort.stop()
        server.script("/huge.png", .picture(try fixture("bomb_50000.png")))
        server.script("/zero.png", .picture(try fixture("zero_width.png")))
        server.script("/204", .status(204))
        server.script("/nothing.png", .status(404))
        try workshop.write(Data(), "empty.png")
        try workshop.write(TestPictures.red.prefix(6000), "cut.png")
        return [
            (server.url("/trunc").absoluteString, "load"),
            (server.url("/chunk_cut").absoluteString, "load"),
            (server.url("/trunc_nolen").absoluteString, "decode"),
            (server.url("/html").absoluteString, "decode"),
            (server.url("/empty").absoluteString, "load"),
            (server.url("/204").absoluteString, "load"),
            (server.url("/404img").absoluteString, "load"),
            (server.url("/nothing.png").absoluteString, "load"),
            (server.url("/huge.png").absoluteString, "decode"),
            (server.url("/zero.png").absoluteString, "decode"),
            (dead, "load"), ("missing.png", "load"), ("empty.png", "load"), ("cut.png", "decode"),
            ("ftp://h/x.png", "load"),
        ]
    }

    private func fixture(_ name: String) throws -> Data {
        try Data(contentsOf: Workshop.fixtures.appending(path: name))
    }
}
