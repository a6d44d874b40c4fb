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

    @Test("150 connections at once, all silent, then all busy: each body is whole")
    func manyConnections() async throws {
        let (server, gate) = (try ScriptedHTTPServer(), Gate())
        server.script("/held", .picture().held(by: gate, after: 100))
        var configuration = CurlTransport.Configuration.patient
        configuration.maxConnectionsPerHost = 150
        let transport = CurlTransport(configuration: configuration)
        let recorders = (0..<150).map { _ in Recorder() }
        for recorder in recorders { _ = transport.start(.patient(server.url("/held")), receiver: recorder) }
        await gate.waitForArrivals(150)
        #expect(server.openConnectionCount == 150)
        gate.open()
        for recorder in recorders { #expect(await recorder.finished().body == TestPictures.red) }
    }

    @Test("Commands without end do not keep the bodies from coming")
    func flood() async throws {
        let server = try ScriptedHTTPServer()
        let body = Data(repeating: 7, count: 4_000_000)
        server.script("/large", .body(body))
        let transport = CurlTransport(configuration: .patient)
        let (recorder, isOver) = (Recorder(), Gate())
        let transfer = transport.start(.patient(server.url("/large")), receiver: recorder)
        let flood = Thread {
            while !isOver.isOpen {
                for priority in [LoadPriority.high, .low] { transfer.setPriority(priority) }
            }
        }
        flood.start()
        #expect(await recorder.finished().body == body)
        isOver.open()
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
