import Foundation
import Testing
import WebImage
import WebImageTesting

@Suite("Command line: fetch")
struct FetchTests {
    @Test("A cold fetch comes from the network, a run after the server's end from disk")
    func coldThenDisk() async throws {
        let workshop = try Workshop()
        let server = try ScriptedHTTPServer()
        let names = (0..<20).map { "/p\($0).png" }
        for name in names { server.script(name, .picture()) }
        let list = names.map { server.url($0).absoluteString }.joined(separator: "\n")
        try workshop.write(Data("# pictures\n\n\(list)\n".utf8), "list.txt")

        let cold = try await workshop.run("fetch", "--json", "list.txt")
        #expect(cold.status == 0)
        #expect(cold.errors.isEmpty)
        try expectAll(cold, from: "network", count: 20)
        #expect(server.requests.count == 20)
        #expect(server.unscriptedRequests.isEmpty)

        server.stop()
        let warm = try await workshop.run("fetch", "--json", "list.txt")
        #expect(warm.status == 0)
        try expectAll(warm, from: "disk", count: 20)
    }

    @Test("A second round in one process comes from memory, and is printed after the first")
    func rounds() async throws {
        let workshop = try Workshop()
        let server = try ScriptedHTTPServer()
        for name in ["/a", "/b", "/c"] { server.script(name, .picture()) }
        let list = ["/a", "/b", "/c"].map { server.url($0).absoluteString }.joined(separator: "\n")
        let result = try await workshop.run("fetch", "--json", "--repeat", "2", "-", input: Data(list.utf8))
        #expect(result.status == 0)
        let objects = try result.objects()
        #expect(
            objects.map { $0["from"] as? String } == Array(repeating: "network", count: 3) + [
                "memory", "memory", "memory",
            ])
        #expect(objects.allSatisfy { $0["bytes"] as? Int == TestPictures.red.count })
        #expect(server.requests.count == 3)
    }

    @Test("The lines for people: one a picture, then the sum; with --quiet none")
    func lines() async throws {
        let workshop = try Workshop()
        let server = try ScriptedHTTPServer()
        server.script("/a.png", .picture())
        let url = server.url("/a.png").absoluteString
        let loud = try await workshop.run("fetch", url)
        #expect(loud.lines.count == 2)
        #expect(loud.lines[0].hasPrefix("network ") && loud.lines[0].hasSuffix(url))
        #expect(loud.lines[0].contains("64×64") && loud.lines[0].contains("12.4 kB"))
        #expect(loud.lines[1].hasPrefix("1 picture in "))
        #expect(loud.lines[1].contains("0 from memory, 0 from disk, 1 from network (12.4 kB)"))
        #expect(loud.errors.isEmpty)
        let quiet = try await workshop.run("fetch", "--quiet", url)
        #expect(quiet.status == 0)
        #expect(quiet.output.isEmpty && quiet.errors.isEmpty)
    }

    @Test("--no-decode gets bytes only, and keeps them")
    func bytesOnly() async throws {
        let workshop = try Workshop()
        let server = try ScriptedHTTPServer()
        // Its pixels cannot be decoded: nobody must try.
        let damaged = TestPictures.red.prefix(1000)
        server.script("/a.png", .picture(damaged))
        let url = server.url("/a.png").absoluteString
        let first = try #require(try await workshop.run("fetch", "--json", "--no-decode", url).objects().first)
        #expect(first["from"] as? String == "network")
        #expect(first["bytes"] as? Int == 1000)
        #expect(first["width"] is NSNull && first["height"] is NSNull && first["error"] is NSNull)
        #expect(try workshop.cache.data(for: CacheKey(url))?.data == Data(damaged))
        let second = try #require(try await workshop.run("fetch", "--json", "--no-decode", url).objects().first)
        #expect(second["from"] as? String == "disk")
    }

    @Test("Thumbnail and resize change the size that is reported and written")
    func sizes() async throws {
        let workshop = try Workshop()
        let server = try ScriptedHTTPServer()
        server.script("/a@2x.png", .picture())
        let url = server.url("/a@2x.png").absoluteString
        let thumbnail = try #require(
            try await workshop.run("fetch", "--json", "--thumbnail", "16x40", url).objects().first)
        #expect(thumbnail["width"] as? Int == 16 && thumbnail["height"] as? Int == 16)
        #expect(thumbnail["bytes"] as? Int == TestPictures.red.count)
        let resized = try await workshop.run(
            "fetch", "--json", "--resize", "30x10:aspect-fill", "--format", "webp", "-o", "out", url)
        let object = try #require(try resized.objects().first)
        #expect(object["width"] as? Int == 30 && object["height"] as? Int == 10)
        #expect(object["from"] as? String == "disk")
        #expect(workshop.names(in: "out") == ["a@2x.webp"])
        let probe = try CodersManager.shared.probe(workshop.contents("out/a@2x.webp"))
        #expect(probe.format == .webP && probe.size == PixelSize(30, 10))
        #expect(server.requests.count == 1)
    }

    @Test("-o writes the original bytes, each picture under a name of its own, and replaces nothing")
    func outputFolder() async throws {
        let workshop = try Workshop()
        let server = try ScriptedHTTPServer()
        server.script("/1/a.png", .picture())
        server.script("/2/a.png", .picture(TestPictures.green))
        server.script("/3/a.png", .picture())
        // Misnamed: it is a PNG.
        server.script("/b.jpg", .picture(TestPictures.green, type: "image/jpeg"))
        let urls = ["/1/a.png", "/2/a.png", "/3/a.png", "/b.jpg"].map { server.url($0).absoluteString }
        try FileManager.default.createDirectory(atPath: workshop.path("out"), withIntermediateDirectories: true)
        let own = Data("mine".utf8)
        try workshop.write(own, "out/b.png")

        for _ in 1...2 {
            let result = try await workshop.start(["fetch", "-o", "out"] + urls).result()
            #expect(result.status == 0)
            #expect(workshop.names(in: "out") == ["a-2.png", "a-3.png", "a.png", "b-2.png", "b.png"])
        }
        #expect(try workshop.contents("out/a.png") == TestPictures.red)
        #expect(try workshop.contents("out/a-2.png") == TestPictures.green)
        #expect(try workshop.contents("out/a-3.png") == TestPictures.red)
        #expect(try workshop.contents("out/b-2.png") == TestPictures.green)
        #expect(try workshop.contents("out/b.png") == own)
    }

    @Test("Files and data: URLs are pictures, text is a list of them, and local files are not copied to the cache")
    func localFiles() async throws {
        let workshop = try Workshop()
        try workshop.write(TestPictures.red, "a picture.bin")
        try workshop.write(Data("a picture.bin\n".utf8), "list")
        let data = "data:image/png;base64," + TestPictures.red.base64EncodedString()
        let result = try await workshop.run("fetch", "--json", "a picture.bin", "list", data)
        #expect(result.status == 0)
        let objects = try result.objects()
        #expect(objects.count == 3)
        #expect(objects.allSatisfy { $0["width"] as? Int == 64 && $0["bytes"] as? Int == TestPictures.red.count })
        #expect(Set(objects.compactMap { $0["from"] as? String }) == ["disk", "memory"])
        #expect(workshop.cacheFiles.isEmpty)
    }

    @Test("An interrupt ends it with status 130 and leaves nothing half-written")
    func interrupt() async throws {
        let workshop = try Workshop()
        let server = try ScriptedHTTPServer()
        let gate = Gate()
        server.script("/held", .picture().held(by: gate, after: 3000))
        let tool = try workshop.start(["fetch", "--json", server.url("/held").absoluteString])
        await tool.waitForArrivals(1, at: gate)
        tool.interrupt()
        let result = try await tool.result()
        #expect(result.status == 130)
        #expect(result.output.isEmpty && result.errors.isEmpty)
        #expect(workshop.cacheFiles.isEmpty)
    }

    @Test("Who reads no more, as head does, ends it quietly")
    func brokenPipe() async throws {
        let workshop = try Workshop()
        try workshop.write(TestPictures.red, "a.png")
        let pipe = Pipe()
        let tool = try workshop.start(
            ["fetch", "--json", "--repeat", "1000", "a.png"], output: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        try pipe.fileHandleForReading.close()
        let result = try await tool.result()
        #expect(result.status == 141)
        #expect(result.errors.isEmpty)
    }

    private func expectAll(
        _ result: ToolResult, from source: String, count: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let objects = try result.objects(sourceLocation: sourceLocation)
        #expect(objects.count == count, sourceLocation: sourceLocation)
        for object in objects {
            let keys: Set = ["url", "from", "bytes", "width", "height", "milliseconds", "error"]
            #expect(Set(object.keys) == keys, sourceLocation: sourceLocation)
            #expect(object["from"] as? String == source, sourceLocation: sourceLocation)
            #expect(object["bytes"] as? Int == TestPictures.red.count, sourceLocation: sourceLocation)
            #expect(object["width"] as? Int == 64, sourceLocation: sourceLocation)
            #expect(object["height"] as? Int == 64, sourceLocation: sourceLocation)
            #expect(object["error"] is NSNull, sourceLocation: sourceLocation)
            #expect(object["milliseconds"] is NSNumber, sourceLocation: sourceLocation)
        }
    }
}
