import Foundation
import Testing
import WebImageTesting

@testable import WebImageCore

@Suite("The store of beginnings", .timeLimit(.minutes(20)))
struct ResumeStoreTests {
    private let folder = try! CacheTestFolder()
    private let url = URL(string: "https://h/a.png")!
    private let identity = BodyIdentity(url: "https://h/a.png", validator: "\"1\"", totalByteCount: 1 << 20)

    private func makeStore(_ maxByteCount: Int = 64 << 20, _ clock: any WallClock = .system) -> ResumeStore {
        ResumeStore(folder: folder.url, maxByteCount: maxByteCount, wallClock: clock)
    }

    private func keep(_ byteCount: Int, _ request: HTTPRequest, _ store: ResumeStore) throws {
        let partial = try #require(PartialBody(Data(repeating: 7, count: byteCount), of: identity))
        PartialRecorder(store, request, nil).end(with: partial)
    }

    private func take(_ request: HTTPRequest, _ store: ResumeStore) async -> (file: PartialFile, body: PartialBody)? {
        await withCheckedContinuation { continuation in
            store.take(request) { continuation.resume(returning: $0) }
        }
    }

    private var byteCount: Int {
        folder.names().reduce(0) { sum, name in
            sum + (FileManager.default.contents(atPath: folder.path + "/" + name)?.count ?? 0)
        }
    }

    @Test("What is kept comes back to one at a time, for the same request only, and survives a restart")
    func comesBack() async throws {
        let request = HTTPRequest(url: url)
        let before = makeStore()
        try keep(2000, request, before)
        await before.settle()
        let later = makeStore()
        await later.settle()
        #expect(await take(HTTPRequest(url: URL(string: "https://h/b.png")!), later) == nil)
        let kept = try #require(await take(request, later))
        #expect(kept.body.identity == identity && kept.body.data == Data(repeating: 7, count: 2000))
        #expect(await take(request, later) == nil)
        #expect(await take(request, makeStore()) == nil)
        PartialRecorder(later, request, kept.file).end(with: nil)
        await later.settle()
        #expect(folder.names().isEmpty)
    }

    @Test("Of what two have left of one body the longest is taken, and the other goes")
    func longest() async throws {
        let request = HTTPRequest(url: url)
        let store = makeStore()
        for byteCount in [2000, 300_000, 3000] { try keep(byteCount, request, store) }
        await store.settle()
        #expect(folder.names().count == 3)
        #expect(await take(request, store)?.body.data.count == 300_000)
        #expect(folder.names().count == 1)
    }

    @Test("The store is bounded, the oldest go, and of one body at most half of it is kept")
    func bounded() async throws {
        let store = makeStore(10_000)
        for number in 0..<20 {
            try keep(number == 19 ? 6000 : 1500, HTTPRequest(url: URL(string: "https://h/\(number)")!), store)
            await store.settle()
            #expect(byteCount <= 10_000 && !folder.names().isEmpty)
        }
        #expect(await take(HTTPRequest(url: URL(string: "https://h/0")!), store) == nil)
        #expect(await take(HTTPRequest(url: URL(string: "https://h/19")!), store)?.body.data.count == 5000)
    }

    @Test("What lies too long is gone, and so is what is of the future; what somebody writes to stays")
    func expiry() async throws {
        let clock = CacheTestWallClock()
        let store = makeStore(64 << 20, clock)
        let request = HTTPRequest(url: url)
        try keep(2000, request, store)
        await store.settle()
        clock.advance(by: .seconds(24 * 60 * 60 - 1))
        let kept = try #require(await take(request, store))
        clock.advance(by: .seconds(2))
        await makeStore(64 << 20, clock).settle()
        #expect(folder.names().count == 1)
        PartialRecorder(store, request, kept.file).end(with: kept.body)
        await store.settle()
    }

    @Test("A beginning that got too old since the store was made is not taken")
    func expiresLater() async throws {
        let clock = CacheTestWallClock()
        let store = makeStore(64 << 20, clock)
        try keep(2000, HTTPRequest(url: url), store)
        await store.settle()
        clock.advance(by: .seconds(24 * 60 * 60))
        #expect(await take(HTTPRequest(url: url), store) == nil)
        await makeStore(64 << 20, clock).settle()
        #expect(folder.names().isEmpty)
        let other = makeStore(64 << 20, clock)
        try keep(2000, HTTPRequest(url: url), other)
        await other.settle()
        clock.advance(by: .seconds(-3600))
        #expect(await take(HTTPRequest(url: url), other) == nil)
    }

    @Test("What waits for a disk that does not move is bounded")
    func held() throws {
        let store = makeStore(10_000)
        let request = HTTPRequest(url: url)
        func partial(_ byteCount: Int) throws -> PartialBody {
            try #require(PartialBody(Data(count: byteCount), of: identity))
        }
        let large = try partial(20_000)
        #expect(store.hold(large, of: request))
        #expect(try !store.hold(partial(1024), of: request))
        store.letGo(large, of: request)
        #expect(try store.hold(partial(6000), of: request) && store.hold(partial(4000), of: request))
        #expect(try !store.hold(partial(1024), of: request))
    }
}
