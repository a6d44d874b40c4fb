import Foundation
import Testing

@testable import WebImageCore

@Suite("Answers to servers that ask who is there", .timeLimit(.minutes(20)))
struct AuthenticationTests {
    private let url = URL(string: "https://h/a?b=c#d")!
    private let credential = DownloaderConfiguration.Credential(user: "Mufasa", password: "Circle of Life")

    @Test(
        "The examples of RFC 7616, 3.9.1",
        arguments: [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
            ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ])
    func examples(_ algorithm: String, _ response: String) throws {
        let header: HTTPHeaders = [
            "WWW-Authenticate": """
            Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """
        ]
        let digest = try #require(HTTPChallenge.all(in: header).first.flatMap(DigestAuthentication.init))
        let request = HTTPRequest(url: try #require(URL(string: "http://www.example.org/dir/index.html")))
        let answer = digest.answer(
            to: request, with: credential, clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        #expect(answer.contains("response=\"\(response)\"") && answer.contains("uri=\"/dir/index.html\""))
        #expect(answer.contains("opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\""))
    }

    @Test("The example of RFC 2069, which knows no quality of protection")
    func withoutQuality() throws {
        let header: HTTPHeaders = [
            "WWW-Authenticate":
                "Digest realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\", opaque=\"5ccc\""
        ]
        let digest = try #require(HTTPChallenge.all(in: header).first.flatMap(DigestAuthentication.init))
        let request = HTTPRequest(url: try #require(URL(string: "http://www.nowhere.org/dir/index.html")))
        let answer = digest.answer(
            to: request, with: .init(user: "Mufasa", password: "CircleOfLife"), clientNonce: "unused")
        #expect(answer.contains("response=\"1949323746fe6a43ef61f9606e7febea\""))
        #expect(!answer.contains("cnonce"))
    }

    @Test("Several challenges in one line, or in more, are told apart")
    func challenges() {
        var headers: HTTPHeaders = ["WWW-Authenticate": "Newauth realm=\"a, b\", type=1, Basic realm = \"simple\""]
        headers.append(name: "www-authenticate", value: "Negotiate, Digest nonce=\"x\\\"y\",realm=r")
        let all = HTTPChallenge.all(in: headers)
        #expect(all.map(\.scheme) == ["newauth", "basic", "negotiate", "digest"])
        #expect(all[0].parameters == ["realm": "a, b", "type": "1"])
        #expect(all[1].parameters == ["realm": "simple"])
        #expect(all[2].parameters == [:] && all[3].parameters["realm"] == "r")
    }

    @Test("Any bytes give challenges, never a trap")
    func anyBytes() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let text = String((0..<20).compactMap { _ in "ab =,\"\\\t".randomElement(using: &random) })
            #expect(HTTPChallenge.all(in: ["WWW-Authenticate": text]).count <= 20)
        }
    }

    private func exchanges(
        _ challenges: [String], _ change: (inout DownloaderConfiguration) -> Void = { _ in }
    ) -> [HTTPRequest] {
        var configuration = DownloaderConfiguration.patient
        configuration.credential = .init(user: "u", password: "p")
        change(&configuration)
        let transport = HandTransport()
        let downloader = ImageDownloader(transport: transport, configuration: configuration)
        downloader.download(ImageRequest(url)) { _ in }
        var headers = HTTPHeaders()
        for challenge in challenges { headers.append(name: "WWW-Authenticate", value: challenge) }
        var answered = 0
        while answered < transport.exchanges.count, answered < 5 {
            answered += 1
            transport.exchanges[answered - 1].answer(401, headers)
        }
        return transport.exchanges.map(\.request)
    }

    @Test(
        "Basic is found among other ways, and is said once",
        arguments: [
            (["Negotiate", "Basic realm=\"r\""], 2), (["Digest realm=\"r\", Basic realm=\"r\""], 2),
            (["basic realm=\"r\""], 2), (["Digest realm=\"basic\""], 1), (["Bearer"], 1),
        ])
    func basic(_ challenges: [String], _ count: Int) {
        let requests = exchanges(challenges)
        #expect(requests.count == count)
        if count == 2 { #expect(requests[1].headers["Authorization"] == "Basic dTpw") }
    }

    @Test("Digest goes before Basic, SHA-256 before MD5; a stale nonce is answered once more")
    func digest() {
        let basic = "Basic realm=\"r\""
        let digests = ["MD5", "SHA-256", "MAGIC"].map {
            "Digest realm=\"r\", nonce=\"n\", algorithm=\($0), qop=\"auth\""
        }
        let requests = exchanges([basic] + digests)
        #expect(requests.count == 2)
        let answer = requests[1].headers["Authorization"] ?? ""
        #expect(
            answer.hasPrefix("Digest ") && answer.contains("algorithm=SHA-256") && answer.contains("uri=\"/a?b=c\""))
        #expect(exchanges(["Digest realm=\"r\", nonce=\"n\", stale=true"]).count == 3)
    }

    @Test("A credential is for its origin: not for where a redirect leads, unless that has its own")
    func origins() throws {
        let other = try #require(URL(string: "https://other/b"))
        for hasOwn in [false, true] {
            var configuration = DownloaderConfiguration.patient
            configuration.credential = .init(user: "u", password: "p")
            if hasOwn { configuration.credentials[Origin(other)] = .init(user: "o", password: "o") }
            let transport = HandTransport()
            let downloader = ImageDownloader(transport: transport, configuration: configuration)
            downloader.download(ImageRequest(url)) { _ in }
            transport.exchanges[0].answer(401, ["WWW-Authenticate": "Basic realm=x"])
            transport.exchanges[1].answer(302, ["Location": "https://other/b"])
            transport.exchanges[2].answer(401, ["WWW-Authenticate": "Basic realm=x"])
            let sent = transport.exchanges.map { $0.request.headers["Authorization"] }
            #expect(sent == [nil, "Basic dTpw", nil] + (hasOwn ? ["Basic bzpv"] : []))
        }
    }

    @Test("A client certificate is shown to its origin only")
    func certificate() throws {
        var configuration = DownloaderConfiguration.patient
        configuration.clientCertificates[Origin(url)] = ClientCertificate(file: URL(fileURLWithPath: "/c.pem"))
        let transport = HandTransport()
        let downloader = ImageDownloader(transport: transport, configuration: configuration)
        downloader.download(ImageRequest(url)) { _ in }
        transport.exchanges[0].answer(302, ["Location": "https://other/b"])
        #expect(transport.exchanges.map { $0.request.clientCertificate != nil } == [true, false])
        downloader.cancelAllDownloads()
    }
}
