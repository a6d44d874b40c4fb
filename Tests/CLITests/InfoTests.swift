import Foundation
import Glibc
import Testing
import WebImage
import WebImageTesting

@Suite("Command line: info")
struct InfoTests {
    @Test("A pipe is read by its name, as that of <(a command)")
    func namedPipe() async throws {
        let workshop = try Workshop()
        let path = workshop.path("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        let tool = try workshop.start(["info", "pipe"])
        // Opening waits until the tool has opened it as well.
        Thread.detachNewThread {
            let end = FileHandle(forWritingAtPath: path)
            try? end?.write(contentsOf: TestPictures.red)
            try? end?.close()
        }
        let result = try await tool.result()
        #expect(result.status == 0 && result.output.hasPrefix("pipe: png 64×64"))
    }

    @Test("info --json tells what the header holds, and source and error of a bad file")
    func infoJSON() async throws {
        let workshop = try Workshop()
        let result = try await workshop.run(
            "info", "--json", fixture("gif_delays_loop0.gif"), fixture("exif_6.jpg"), fixture("halo_16.png"),
            fixture("wave.bin"), "missing.png", fixture("icc_swapped.jpg"))
        #expect(result.status == 1)
        let objects = try result.objects()
        try #require(objects.count == 6)
        let keys: Set = [
            "source", "format", "width", "height", "frameCount", "loopCount", "durations", "hasAlpha", "orientation",
            "profile",
        ]
        for index in [0, 1, 2, 5] { #expect(Set(objects[index].keys) == keys) }
        #expect(objects[0]["format"] as? String == "gif")
        #expect(objects[0]["frameCount"] as? Int == 4)
        #expect(objects[0]["loopCount"] as? Int == 0)
        #expect(objects[0]["durations"] as? [Int] == [0, 10, 20, 100])
        #expect(objects[1]["width"] as? Int == 16 && objects[1]["height"] as? Int == 32)
        #expect(objects[1]["orientation"] as? Int == 6)
        #expect(objects[1]["loopCount"] is NSNull && objects[1]["durations"] as? [Int] == [])
        #expect(objects[2]["hasAlpha"] as? Bool == true && objects[1]["hasAlpha"] as? Bool == false)
        for index in [3, 4] {
            #expect(Set(objects[index].keys) == ["source", "error"])
            #expect(objects[index]["error"] is String)
        }
        #expect(objects[5]["profile"] is String)
        #expect(result.errorLines.count == 2)
    }

    @Test("info reads URLs, through the cache, and standard input")
    func infoSources() async throws {
        let workshop = try Workshop()
        let server = try ScriptedHTTPServer()
        server.script("/a", .picture())
        let url = server.url("/a").absoluteString
        let result = try await workshop.run("info", url, "-", input: TestPictures.green)
        #expect(result.status == 0)
        #expect(result.lines == ["\(url): png 64×64", "-: png 64×64"])
        #expect(try await workshop.run("info", url).status == 0)
        #expect(server.requests.count == 1)
    }

    private func fixture(_ name: String) -> String {
        Workshop.fixtures.appending(path: name).path(percentEncoded: false)
    }
}
