import Foundation
import Synchronization
import Testing
import WebImageCore
import WebImageCurl
import WebImageTesting

@Suite("CurlTransport: cancelling and letting go", .timeLimit(.minutes(20)))
struct CurlTransportCancelTests {
    let server: ScriptedHTTPServer
    let gates: ScriptedHTTPServer.StandardGates

    init() throws {
        server = try ScriptedHTTPServer()
        gates = server.scriptStandardCases(redirectingTo: server)
    }

    /// An exchange that ends after all that the transport had to do before.
    private func settle(_ transport: CurlTransport) async {
        #expect(await transport.fetch(server.url("/img")).body == TestPictures.red)
    }

    @Test("B17 cancelled before the transport came to it: one end, no request")
    func B17_beforeStart() async {
        let transport = CurlTransport(configuration: .patient)
        let (busy, recorder) = (Gate(), Recorder())
        // Holds the transport's thread inside a receiver, so that what follows waits for it.
        let holder = Recorder { event in if event == .end { busy.waitBlocking() } }
        _ = transport.start(HTTPRequest(url: server.url("/img")), receiver: holder)
        await busy.waitForArrivals(1)
        let transfer = transport.start(HTTPRequest(url: server.url("/x.jpg")), receiver: recorder)
        for _ in 0..<3 { transfer.cancel() }
        busy.open()
        #expect(await recorder.finished().error?.code == .cancelled)
        await settle(transport)
        #expect(recorder.log.ends.count == 1)
        #expect(recorder.log.responses.isEmpty)
        #expect(server.requests(to: "/x.jpg") == [])
    }

    @Test("B17 cancelled while the server is silent, and in mid-body: one end, and the connection is closed")
    func B17_underWay() async {
        let transport = CurlTransport(configuration: .patient)
        for path in ["/sleep", "/slow"] {
            let told = Gate()
            let recorder = Recorder { event in if event != .head { told.open() } }
            let transfer = transport.start(.patient(server.url(path)), receiver: recorder)
            await server.waitForRequest(to: path)
            if path == "/slow" { await told.wait() }
            for _ in 0..<3 { transfer.cancel() }
            #expect(await recorder.finished().error?.code == .cancelled)
            #expect(recorder.log.ends.count == 1)
        }
        gates.sleep.open()
        gates.slow.open()
        await server.waitForOpenConnections(atMost: 0)
        await settle(transport)
    }

    @Test("B17 cancelled inside each of the receiver's calls: nothing but the end follows")
    func B17_insideCalls() async {
        let transport = CurlTransport(configuration: .patient)
        for point in [Recorder.Event.head, .part] {
            let (transfer, ready) = (Box<any HTTPTransfer>(), Gate())
            let recorder = Recorder { event in
                guard event == point else { return }
                ready.waitBlocking()
                transfer.value?.cancel()
            }
            transfer.value = transport.start(HTTPRequest(url: server.url("/img")), receiver: recorder)
            ready.open()
            let log = await recorder.finished()
            #expect(log.error?.code == .cancelled)
            #expect(log.partCount == (point == .head ? 0 : 1))
            await settle(transport)
            #expect(recorder.log.violations == [])
            #expect(recorder.log.ends.count == 1)
        }
    }

    @Test("B17 cancelled after the end: nothing follows")
    func B17_afterEnd() async {
        let transport = CurlTransport(configuration: .patient)
        let recorder = Recorder()
        let transfer = transport.start(HTTPRequest(url: server.url("/img")), receiver: recorder)
        #expect(await recorder.finished().error == nil)
        transfer.cancel()
        await settle(transport)
        #expect(recorder.log.ends.count == 1)
        #expect(recorder.log.violations == [])
    }

    @Test("B17 a thousand cancelled at random points: one end each, in order")
    func B17_thousand() async {
        let transport = CurlTransport(configuration: .patient)
        var random = SeededGenerator(seed: 17)
        var recorders: [Recorder] = []
        for _ in 0..<1000 {
            let transfer = Box<any HTTPTransfer>()
            let point = Int.random(in: 0..<6, using: &random)
            let recorder = Recorder { event in
                if (event == .head && point == 0) || (event == .part && point == 1) || (event == .end && point == 2) {
                    transfer.value?.cancel()
                }
            }
            recorders.append(recorder)
            let started = transport.start(HTTPRequest(url: server.url("/img")), receiver: recorder)
            transfer.value = started
            if point == 3 { started.cancel() }
            if point == 4 { Task.detached { started.cancel() } }
            if Int.random(in: 0..<8, using: &random) == 0 { _ = await recorder.finished() }
        }
        for recorder in recorders { _ = await recorder.finished() }
        await settle(transport)
        for log in recorders.map(\.log) {
            #expect(log.ends.count == 1)
            #expect(log.violations == [])
            #expect(log.error == nil ? log.body == TestPictures.red : log.error?.code == .cancelled)
        }
    }

    @Test("a receiver may start exchanges from inside its calls")
    func startInside() async {
        let transport = CurlTransport(configuration: .patient)
        let second = Recorder()
        let url = server.url("/img")
        let first = Recorder { event in
            if event == .end { _ = transport.start(HTTPRequest(url: url), receiver: second) }
        }
        _ = transport.start(HTTPRequest(url: url), receiver: first)
        #expect(await second.finished().body == TestPictures.red)
    }

    @Test("a transport let go finishes what runs, then closes its connections")
    func letGo() async {
        let recorder = Recorder()
        var transport: CurlTransport? = CurlTransport(configuration: .patient)
        _ = transport?.start(.patient(server.url("/slow")), receiver: recorder)
        await server.waitForRequest(to: "/slow")
        transport = nil
        gates.slow.open()
        #expect(await recorder.finished().body == TestPictures.red)
        await server.waitForOpenConnections(atMost: 0)
        #expect(server.connectionCount == 1)
    }

    @Test("a receiver is let go at its end, also while the transfer is kept")
    func receiverIsLetGo() async {
        let transport = CurlTransport(configuration: .patient)
        let freed = Gate()
        let transfer = start(transport, OnDeinit { freed.open() })
        await freed.wait()
        transfer.cancel()
        await settle(transport)
    }

    /// Apart from the test, so that the test holds no reference.
    private func start(_ transport: CurlTransport, _ token: OnDeinit) -> any HTTPTransfer {
        transport.start(
            HTTPRequest(url: server.url("/img")), receiver: Recorder { _ in withExtendedLifetime(token) {} })
    }
}

/// Says when it is freed.
final class OnDeinit: Sendable {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    deinit {
        action()
    }
}
