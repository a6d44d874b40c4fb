import Foundation
import Testing
import WebImageCore
import WebImageCurl
import WebImageTesting

@Suite("CurlTransport: holding back, cookies and refused addresses", .timeLimit(.minutes(20)))
struct CurlTransportPauseTests {
    let server: ScriptedHTTPServer
    let transport = CurlTransport(configuration: .patient)

    init() throws {
        server = try ScriptedHTTPServer()
        server.scriptStandardCases(redirectingTo: server)
    }

    @Test("a paused body comes no further, others do, and it goes on where it stopped")
    func pause() async {
        let body = Data((0..<8_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        server.script("/large", .body(body))
        let request = HTTPRequest(url: server.url("/large"), timeout: 3)
        let (transfer, recorder) = await transport.startAndPause(request)
        let count = recorder.log.body.count
        // Longer than the timeout, which does not run meanwhile.
        for _ in 0..<3 {
            let silent = await transport.fetch(HTTPRequest(url: server.url("/sleep"), timeout: 1.2))
            #expect(silent.error?.code == .timedOut)
            server.script("/sleep", .picture().held(by: Gate()))
        }
        #expect(recorder.log.body.count == count && recorder.log.ends.isEmpty)
        transfer.resume()
        let log = await recorder.finished()
        #expect(log.error == nil && log.body == body && log.violations == [])
    }

    @Test("a paused exchange can be cancelled; pausing and going on at random loses nothing")
    func pauseAndCancel() async {
        let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 11) })
        server.script("/large", .body(body))
        let (transfer, ready) = (Box<any HTTPTransfer>(), Gate())
        let recorder = Recorder { event in
            guard event == .part else { return }
            ready.waitBlocking()
            transfer.value?.pause()
            Task { [transfer] in transfer.value?.resume() }
        }
        transfer.value = transport.start(.patient(server.url("/large")), receiver: recorder)
        ready.open()
        #expect(await recorder.finished().body == body)

        let (second, held, isHeld) = (Box<any HTTPTransfer>(), Gate(), Gate())
        let cancelled = Recorder { event in
            if event == .end { isHeld.open() }
            guard event == .part else { return }
            held.waitBlocking()
            second.value?.pause()
            isHeld.open()
        }
        second.value = transport.start(.patient(server.url("/large")), receiver: cancelled)
        held.open()
        await isHeld.wait()
        second.value?.cancel()
        #expect(await cancelled.finished().error?.code == .cancelled)
        #expect(await transport.fetch(server.url("/img")).body == TestPictures.red)
    }

    @Test("what goes wrong while a held back body is let go is told at once, not at the next look around")
    func failingResume() async throws {
        var body = ScriptedAnswer.gzip(TestPictures.red).body
        body[body.count - 6] ^= 1
        var delays: [Duration] = []
        for _ in 0..<10 {
            let gate = Gate()
            server.script(
                "/bad", ScriptedAnswer(headers: ["Content-Encoding": "gzip"], body: body).held(by: gate, after: 6000))
            let (transfer, recorder) = await transport.startAndPause(.patient(server.url("/bad")))
            gate.open()
            // Once these are here, so is the rest of the other, and held back.
            await server.waitForExchanges(atMost: 0)
            for _ in 0..<2 { #expect(await transport.fetch(server.url("/img")).error == nil) }
            let start = ContinuousClock.now
            transfer.resume()
            #expect(await recorder.finished().error?.code == .transportFailed)
            delays.append(ContinuousClock.now - start)
        }
        // Of many the least, for a busy machine has others late too.
        #expect(try #require(delays.min()) < .milliseconds(50))
    }

    @Test("priorities that change before there is a connection, and going on without a pause, harm nothing")
    func earlyChanges() async {
        let recorders = (0..<50).map { _ in Recorder() }
        for (number, recorder) in recorders.enumerated() {
            let transfer = transport.start(.patient(server.url("/img")), receiver: recorder)
            transfer.setPriority(number.isMultiple(of: 2) ? .low : .high)
            transfer.pause()
            transfer.resume()
        }
        for recorder in recorders {
            let log = await recorder.finished()
            #expect(log.error == nil && log.body == TestPictures.red)
        }
    }

    @Test("B13 cookies of a jar come back, of another jar or none they do not")
    func B13_cookies() async {
        server.script("/set", .status(200).adding("Set-Cookie", "sid=1; Path=/"))
        server.script("/get", .status(200))
        let jars = [CookieJar(), CookieJar()]
        func fetch(_ path: String, _ jar: CookieJar?) async {
            var request = HTTPRequest(url: server.url(path))
            request.cookieJar = jar
            #expect(await transport.fetch(request).error == nil)
        }
        await fetch("/set", jars[0])
        for jar in [jars[0], jars[1], nil, jars[0]] { await fetch("/get", jar) }
        await fetch("/set", nil)
        await fetch("/get", jars[1])
        #expect(server.requests(to: "/get").map { $0.headers["Cookie"] } == ["sid=1", nil, nil, "sid=1", nil])
    }

    @Test("a local address is refused before anything is sent, by any spelling, unless it is an exception")
    func guardedAddress() async throws {
        for host in ["127.0.0.1", "localhost", "0x7f.0.0.1", "2130706433", "[::ffff:127.0.0.1]", "127.1"] {
            let url = try #require(URL(string: "http://\(host):\(server.port)/img"))
            var request = HTTPRequest(url: url)
            request.addressPolicy = .publicInternetOnly
            let log = await transport.fetch(request)
            #expect(log.error?.code == .addressRefused, "\(host): \(String(describing: log.error))")
        }
        #expect(server.requests == [] && server.connectionCount == 0)
        var allowed = HTTPRequest(url: server.url("/img"))
        allowed.addressPolicy = .publicInternetOnly.allowing([try #require(IPAddress("127.0.0.1"))])
        #expect(await transport.fetch(allowed).body == TestPictures.red)
    }

    @Test("a connection that another request opened is not used by one that may not connect there")
    func guardedConnection() async {
        #expect(await transport.fetch(server.url("/img")).error == nil)
        var request = HTTPRequest(url: server.url("/img"))
        request.addressPolicy = .publicInternetOnly
        #expect(await transport.fetch(request).error?.code == .addressRefused)
        #expect(server.requests.count == 1)
        #expect(await transport.fetch(server.url("/img")).error == nil)
    }

    @Test("a redirect to an address that is not allowed is refused, without a connection")
    func guardedRedirect() async throws {
        var configuration = DownloaderConfiguration()
        configuration.addressPolicy = .publicInternetOnly.allowing([try #require(IPAddress("127.0.0.1"))])
        let downloader = ImageDownloader(transport: transport, configuration: configuration)
        for host in ["127.0.0.2", "127.2", "[::1]"] {
            server.script("/away", .redirect(to: "http://\(host):\(server.port)/img"))
            #expect(await code(of: downloader, server.url("/away")) == .addressRefused, "\(host)")
        }
        #expect(await code(of: downloader, server.url("/redir_same")) == nil)
    }

    @Test("a proxy of the configuration is asked, with the whole URL; exceptions are reached straight")
    func proxy() async throws {
        server.script("http://pictures.invalid/a.png", .picture())
        var request = HTTPRequest(url: try #require(URL(string: "http://pictures.invalid/a.png")))
        request.proxy = .url(server.url(""), except: ["straight.invalid"])
        // The guard does not see what a proxy connects to.
        request.addressPolicy = .publicInternetOnly
        #expect(await transport.fetch(request).body == TestPictures.red)
        #expect(server.requests.map(\.target) == ["http://pictures.invalid/a.png"])
        request.url = try #require(URL(string: "http://straight.invalid/a.png"))
        #expect(await transport.fetch(request).error?.code == .cannotFindHost)
    }

    @Test("what a proxy's exceptions reach straight is guarded, by whatever way it is an exception")
    func guardedException() async throws {
        for exception in ["127.0.0.1", "*", ".0.1", "localhost"] {
            var request = HTTPRequest(url: server.url("/img"))
            if exception == "localhost" {
                request.url = try #require(URL(string: "http://localhost:\(server.port)/img"))
            }
            request.proxy = .url(try #require(URL(string: "http://127.0.0.2:1")), except: ["x.invalid", exception])
            request.addressPolicy = .publicInternetOnly
            #expect(await transport.fetch(request).error?.code == .addressRefused, "\(exception)")
            request.addressPolicy = .publicInternetOnly.allowing([try #require(IPAddress("127.0.0.1"))])
            #expect(await transport.fetch(request).body == TestPictures.red, "\(exception)")
        }
        #expect(server.requests.count == 4)
    }

    @Test("lower limits on heads hold")
    func headLimits() async {
        var configuration = CurlTransport.Configuration.patient
        configuration.maxHeaderFieldCount = 2
        server.script("/three", .status(200).adding("A", "1").adding("B", "2"))
        let fields = await CurlTransport(configuration: configuration).fetch(server.url("/three"))
        #expect(fields.error?.message.contains("maxHeaderFieldCount") == true)
        configuration.maxHeaderFieldCount = 100
        configuration.maxHeaderByteCount = 40
        let bytes = await CurlTransport(configuration: configuration).fetch(server.url("/three"))
        #expect(bytes.error?.message.contains("maxHeaderByteCount") == true)
    }

    private func code(of downloader: ImageDownloader, _ url: URL) async -> ImageError.Code? {
        await withCheckedContinuation { continuation in
            downloader.download(ImageRequest(url)) { result in
                if case .failure(let error) = result {
                    continuation.resume(returning: error.code)
                } else {
                    continuation.resume(returning: nil)
                }
            }
        }
    }
}
