import Foundation
import Synchronization
import Testing
import WebImageCore
import WebImageCurl
import WebImageTesting

@Suite("CurlTransport: many exchanges", .timeLimit(.minutes(20)))
struct CurlTransportManyTests {
    @Test("5,000 exchanges, one after another and at once: all whole, at most six connections, nothing kept")
    func fiveThousand() async throws {
        let server = try ScriptedHTTPServer()
        server.script("/img", .picture())
        let freed = Counter()
        var transport: CurlTransport? = CurlTransport(configuration: .patient)
        for _ in 0..<2000 { await fetch(transport, server.url("/img"), count: 1, freed) }
        #expect(server.connectionCount == 1)
        for _ in 0..<6 { await fetch(transport, server.url("/img"), count: 500, freed) }
        #expect(server.connectionCount <= 6)
        #expect(server.requests.count == 5000)
        transport = nil
        // The connections are closed by the transport's thread, as the last it does.
        await server.waitForOpenConnections(atMost: 0)
        #expect(freed.value == 5000)
    }

    private func fetch(_ transport: CurlTransport?, _ url: URL, count: Int, _ freed: Counter) async {
        let recorders = (0..<count).map { _ in
            let token = OnDeinit { freed.increment() }
            return Recorder { _ in withExtendedLifetime(token) {} }
        }
        for recorder in recorders { _ = transport?.start(HTTPRequest(url: url), receiver: recorder) }
        for recorder in recorders {
            let log = await recorder.finished()
            #expect(log.body == TestPictures.red)
            #expect(log.ends.count == 1)
        }
    }
}

final class Counter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .acquiring) }

    func increment() {
        count.add(1, ordering: .acquiringAndReleasing)
    }
}
