import Foundation
import Testing
import WebImage
import WebImageTesting

@Suite("Command line: cache")
struct CacheCommandTests {
    @Test("cache path, ls, size and clear")
    func cacheCommands() async throws {
        let workshop = try Workshop()
        let server = try ScriptedHTTPServer()
        for name in ["/a.png", "/b.png"] { server.script(name, .picture()) }
        let urls = ["/a.png", "/b.png"].map { server.url($0).absoluteString }
        #expect(try await workshop.run("cache", "size").output == "0 pictures, 0 B\n")
        #expect(try await workshop.run("cache", "ls").output.isEmpty)
        #expect(try await workshop.start(["fetch", "-q"] + urls).result().status == 0)
        #expect(try await workshop.run("cache", "path").output == workshop.cache.folder + "\n")
        #expect(try await workshop.run("cache", "size").output == "2 pictures, 24.8 kB\n")
        let size = try #require(try await workshop.run("cache", "size", "--json").objects().first)
        #expect(size["count"] as? Int == 2 && size["bytes"] as? Int == 2 * TestPictures.red.count)
        let listed = try await workshop.run("cache", "ls", "--json").objects()
        #expect(Set(listed.compactMap { $0["key"] as? String }) == Set(urls))
        #expect(listed.allSatisfy { $0["bytes"] as? Int == TestPictures.red.count })
        #expect(listed.allSatisfy { FileManager.default.fileExists(atPath: $0["path"] as? String ?? "") })
        let lines = try await workshop.run("cache", "ls").lines
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { line in line.contains("12.4 kB") && urls.contains { line.hasSuffix($0) } })
        #expect(try await workshop.run("cache", "clear").output == "removed 2 pictures, 24.8 kB\n")
        #expect(workshop.cacheFiles.isEmpty)
        #expect(try await workshop.run("cache", "size").output == "0 pictures, 0 B\n")
    }

    @Test("cache pin, trim, verify and export say what they did")
    func cacheCare() async throws {
        let workshop = try Workshop()
        let keys = ["http://h/a.png", "http://h/b.png", "http://h/c.png"].map { CacheKey($0) }
        for key in keys { try workshop.cache.store(TestPictures.red, for: key, metadata: DiskMetadata(url: key.text)) }
        let pinned = try await workshop.run("cache", "pin", "--tag", "trip", keys[0].text, "http://h/new.png")
        #expect(pinned.lines == ["pinned: http://h/a.png", "pinned, not fetched yet: http://h/new.png"])
        #expect(workshop.cache.isPinned(keys[0]) && workshop.cache.tags == ["trip"])
        #expect(try await workshop.run("cache", "ls").lines.count { $0.contains(" *http://h/a.png") } == 1)
        #expect(try await workshop.run("cache", "verify").output == "checked 3 pictures, 37.3 kB: nothing wrong\n")
        let file = try #require(FileHandle(forUpdatingAtPath: workshop.cache.path(for: keys[1])))
        try file.write(contentsOf: Data("broken".utf8))
        let looked = try await workshop.run("cache", "verify", "--dry-run")
        #expect(looked.status == 1 && looked.lines.first == "found: damaged, not what was stored: http://h/b.png")
        let repaired = try await workshop.run("cache", "verify")
        #expect(repaired.status == 0 && repaired.lines.first == "removed: damaged, not what was stored: http://h/b.png")
        #expect(repaired.lines.last == "checked 3 pictures, 37.3 kB: 1 fault, all removed")
        let exported = try await workshop.run("cache", "export", "out", keys[2].text, "http://h/none.png")
        #expect(exported.status == 1 && exported.lines.last == "copied 1 picture, 12.4 kB")
        #expect(exported.errors == "webimage: http://h/none.png: cache: not in the cache\n")
        #expect(try workshop.contents("out/c.png") == TestPictures.red && workshop.names(in: "out") == ["c.png"])
        let trimmed = try await workshop.run("cache", "trim", "--max-age", "0s")
        #expect(trimmed.output == "removed 1 picture, 12.4 kB; left 1 picture, 12.4 kB\n")
        #expect(try await workshop.run("cache", "pin", "--remove", "--tag", "trip", keys[0].text).status == 0)
        let json = try #require(try await workshop.run("cache", "trim", "--max-age", "0s", "--json").objects().first)
        #expect((json["left"] as? [String: Any])?["count"] as? Int == 0)
    }

    @Test("cache clear --tag removes what has that name alone; only what is fetched is pinned")
    func cacheTags() async throws {
        let workshop = try Workshop()
        let keys = ["http://h/a.png", "http://h/b.png", "http://h/c.png"].map { CacheKey($0) }
        for key in keys { try workshop.cache.store(TestPictures.red, for: key, metadata: DiskMetadata(url: key.text)) }
        #expect(try await workshop.run("cache", "pin", "--tag", "trip", keys[0].text, keys[1].text).status == 0)
        #expect(try await workshop.run("cache", "pin", keys[1].text).status == 0)
        #expect(try await workshop.run("cache", "clear", "--tag", "trip").output == "removed 1 picture, 12.4 kB\n")
        #expect(workshop.cache.tags == [""] && workshop.cache.isPinned(keys[1]) && !workshop.cache.contains(keys[0]))
        for local in ["a.png", "/etc/a.png", "file:///a.png", "data:image/png;base64,AAAA", "http://", ""] {
            let result = try await workshop.run("cache", "pin", local)
            #expect(result.status == 1 && result.output.isEmpty && result.errorLines.count == 1)
        }
    }

    @Test(
        "A cache that cannot be looked into is an error, not an empty one", arguments: ["ls", "size", "trim", "clear"])
    func cacheUnlistable(_ action: String) async throws {
        let workshop = try Workshop()
        try workshop.write(Data(), "file")
        let result = try await workshop.run("cache", action, cache: workshop.path("file"))
        #expect(result.status == 1 && result.output.isEmpty)
        #expect(result.errors.hasSuffix("/file/webimage/default: cache: cannot list the folder: Not a directory\n"))
    }
}
