import Foundation
import Synchronization
import Testing
import WebImage
import WebImageTesting

@Suite("Command line: many processes, one after the other and at once")
struct RestartTests {
    @Test("Killed in the middle and run again: no damaged entry, and only the missing ones are fetched")
    func killed() async throws {
        let workshop = try Workshop()
        let server = try ScriptedHTTPServer()
        let gate = Gate()
        let names = (0..<60).map { "/p\($0)" }
        let answered = Counter()
        for (number, name) in names.enumerated() {
            let answer = ScriptedAnswer.picture(Self.picture(number))
            server.script(name) { _ in answered.next() <= 30 ? answer : answer.held(by: gate, after: 3000) }
        }
        let list = try workshop.write(Data(names.map { server.url($0).absoluteString + "\n" }.joined().utf8), "list")

        let tool = try workshop.start(["fetch", "--no-decode", "--quiet", list])
        // Six at a time: thirty are answered, and six are in the middle of their bodies.
        await tool.waitForArrivals(6, at: gate)
        tool.kill()
        let killed = try await tool.result()
        #expect(killed.status == nil)

        let kept = try wholeEntries(workshop, names, server)
        #expect(kept.count <= 30)
        let requestsBefore = server.requests.count
        gate.open()
        let again = try await workshop.run("fetch", "--json", list)
        #expect(again.status == 0)
        let objects = try again.objects()
        #expect(objects.count == 60)
        let fromDisk = objects.filter { $0["from"] as? String == "disk" }.compactMap { $0["url"] as? String }
        #expect(Set(fromDisk) == Set(kept))
        #expect(server.requests.count - requestsBefore == 60 - kept.count)
        #expect(try wholeEntries(workshop, names, server).count == 60)
        #expect(workshop.cache.totalCount == 60)
    }

    @Test("B04 two processes at once on one folder: every entry is whole afterwards")
    func B04_twoProcesses() async throws {
        let workshop = try Workshop()
        let server = try ScriptedHTTPServer()
        let gate = Gate()
        let (first, second) = (Data(repeating: 0x41, count: 1 << 20), Data(repeating: 0x42, count: 1 << 20))
        let signature = TestPictures.red.prefix(8)
        let bodies = [signature + first, signature + second]
        let names = (0..<24).map { "/k\($0)" }
        for name in names {
            server.script(name, .picture(bodies[0]).held(by: gate, after: 9), .picture(bodies[1]))
        }
        let urls = names.map { server.url($0).absoluteString }
        let arguments = ["fetch", "--no-decode", "--json"] + urls
        let one = try workshop.start(arguments)
        await one.waitForArrivals(6, at: gate)
        let other = try workshop.start(arguments)
        // The other has got what the one waits for, and now waits for six more itself.
        await other.waitForArrivals(12, at: gate)
        gate.open()
        #expect(try await one.result().status == 0)
        #expect(try await other.result().status == 0)
        for url in urls {
            let data = try #require(try workshop.cache.data(for: CacheKey(url))?.data)
            #expect(bodies.contains(data))
        }
        #expect(workshop.cache.totalCount == names.count)
        #expect(workshop.cache.totalSize == names.count * bodies[0].count)
        #expect(!workshop.cacheFiles.contains { $0.hasPrefix(".tmp") })
    }

    @Test("B07 a redirected picture is found after a restart under the URL that was asked for")
    func B07_redirects() async throws {
        let workshop = try Workshop()
        let server = try ScriptedHTTPServer()
        server.scriptStandardCases(redirectingTo: server)
        for name in ["/redir_same", "/r301", "/r303", "/r307", "/r308"] {
            let url = server.url(name).absoluteString
            let before = server.requests(to: "/img").count
            let cold = try await workshop.run("fetch", "--json", url)
            let warm = try await workshop.run("fetch", "--json", url)
            #expect(try cold.objects().map { $0["from"] as? String } == ["network"])
            #expect(try warm.objects().map { $0["from"] as? String } == ["disk"])
            #expect(server.requests(to: name).count == 1)
            #expect(server.requests(to: "/img").count - before == 1)
        }
        for name in ["/loop", "/noloc", "/to_file"] {
            let result = try await workshop.run("fetch", server.url(name).absoluteString)
            #expect(result.status == 1)
            #expect(result.errorLines.count == 1)
        }
        #expect(server.requests(to: "/loop").count <= 50)
    }

    @Test("B08 error pages are not filed as pictures: after a restart they are asked for again")
    func B08_errorPages() async throws {
        let workshop = try Workshop()
        let server = try ScriptedHTTPServer()
        server.scriptStandardCases(redirectingTo: server)
        let url = server.url("/html").absoluteString
        let first = try await workshop.run("fetch", "--json", url)
        #expect(first.status == 1)
        #expect(workshop.cacheFiles.isEmpty)
        let second = try await workshop.run("fetch", "--json", url)
        #expect(try second.objects().map { $0["from"] as? String } == ["network"])
        #expect(server.requests(to: "/html").count == 2)
    }

    @Test("B10 half a download is not kept as whole: after a restart it is asked for again")
    func B10_truncated() async throws {
        let workshop = try Workshop()
        let server = try ScriptedHTTPServer()
        server.scriptStandardCases(redirectingTo: server)
        for name in ["/trunc", "/reset1"] {
            let url = server.url(name).absoluteString
            #expect(try await workshop.run("fetch", "--no-decode", url).status == 1)
            #expect(workshop.cache.contains(CacheKey(url)) == false)
            let again = try await workshop.run("fetch", "--json", url)
            #expect(try again.objects().map { $0["from"] as? String } == ["network"])
            #expect(server.requests(to: name).count == 2)
        }
    }

    /// A picture of its own for each number.
    private static func picture(_ number: Int) -> Data {
        TestPictures.solidPNG(red: UInt8(number), green: 0, blue: 200)
    }

    /// The URLs that the cache has; each entry must be the right picture.
    private func wholeEntries(_ workshop: Workshop, _ names: [String], _ server: ScriptedHTTPServer) throws -> [String]
    {
        try names.enumerated().compactMap { number, name in
            let url = server.url(name).absoluteString
            guard let data = try workshop.cache.data(for: CacheKey(url))?.data else { return nil }
            #expect(data == Self.picture(number))
            return url
        }
    }
}

private final class Counter: Sendable {
    private let count = Atomic(0)

    func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
}
