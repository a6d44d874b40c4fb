import Foundation
import Synchronization
import Testing
import WebImagePixels
import WebImageTesting

@testable import WebImageCore

@Suite("No secret stands in what is shown or logged")
struct SecretTextTests {
    private static let url = URL(string: "https://ann:SECRET@h/a.png?x=1")!

    private func texts(_ values: Any...) -> [String] {
        values.flatMap { [String(describing: $0), String(reflecting: $0), "\([$0])"] }
    }

    @Test("Requests, answers, header fields, settings")
    func values() {
        let headers: HTTPHeaders = [
            "Authorization": "Bearer SECRET", "cookie": "SECRET", "Set-Cookie": "SECRET",
            "Proxy-Authorization": "SECRET",
            "X-Api-Key": "SECRET", "X-Auth-Token": "SECRET", "Accept": "image/*",
        ]
        var wire = HTTPRequest(url: Self.url, headers: headers)
        wire.proxy = .url(Self.url, except: [])
        wire.clientCertificate = ClientCertificate(file: URL(filePath: "/c.pem"), password: "SECRET")
        let response = HTTPResponse(url: Self.url, statusCode: 200, headers: headers)
        var request = ImageRequest(Self.url)
        request.context.headers = headers
        var configuration = DownloaderConfiguration()
        configuration.credential = .init(user: "ann", password: "SECRET")
        configuration.credentials = [Origin(Self.url): .init(user: "ann", password: "SECRET")]
        configuration.proxy = wire.proxy
        let event = DownloadEvent(id: 1, request: wire, kind: .receivedResponse(response))
        let shown = texts(
            headers, wire, response, request, request.context, configuration, event,
            LoadedData(data: Data(), response: response))
        for text in shown { #expect(!text.contains("SECRET"), "\(text)") }
        #expect(headers.description.contains("Accept: image/*"))
        #expect("\(response)" == "200 https://h/a.png?x=1" && "\(request)" == "https://h/a.png?x=1")
    }

    @Test("Results, and what is known of a view's picture")
    func results() throws {
        let image = DecodedImage(pixels: try #require(PixelBuffer(size: PixelSize(2, 1))))
        let result = LoadResult(inMemory: image, of: Self.url)
        let data = DataResult(
            data: Data(count: 7), source: .network, url: Self.url, freshness: .loaded, storeError: nil)
        let state = ViewLoadState(operationKey: "picture", url: Self.url, phase: .loaded(.disk))
        for text in texts(result, data, state, LoadEvent.finished(result)) {
            #expect(!text.contains("SECRET"), "\(text)")
        }
        #expect("\(result)" == "2×1 from memory, https://h/a.png?x=1")
        #expect("\(data)" == "7 bytes from network, https://h/a.png?x=1")
        #expect("\(state)" == "picture: from disk, https://h/a.png?x=1")
    }

    @Test("Errors, what observers are told, metrics, keys and names of files")
    func ofLoads() async throws {
        let cache = FakeCache()
        cache.scriptAllMissing()
        let told = Told()
        var configuration = ImageManager.Configuration()
        configuration.observers = [LoadObserver { told.add("\($0)") }]
        let transport = HandTransport { exchange in
            DispatchQueue.global().async { exchange.answer(404, ["Set-Cookie": "SECRET"], body: Data("SECRET".utf8)) }
        }
        let manager = ImageManager(
            cache: cache, loader: ImageDownloader(transport: transport, configuration: .patient), coder: FakeCoder(),
            configuration: configuration)
        for _ in 0..<2 {
            await #expect {
                try await manager.image(for: ImageRequest(Self.url))
            } throws: { error in
                texts(error).allSatisfy { !$0.contains("SECRET") && !$0.contains("ann") }
            }
        }
        #expect(!told.all.isEmpty && told.all.allSatisfy { !$0.contains("SECRET") })
        #expect(!manager.metrics.prometheusText.contains("SECRET"))
        #expect(try #require(manager.cacheKey(for: ImageRequest(Self.url))).text.contains("SECRET") == false)
        #expect(try #require(ResumeStore.key(HTTPRequest(url: Self.url))).text.contains("SECRET") == false)
    }

    @Test(
        "Credentials go from a URL however it is written",
        arguments: [
            "https://ann:SECRET@h/", "https://SECRET@h/", "https://:SECRET@h/", "https://ann:SE%20SECRET@h/",
            "https://a:SECRET@[::1]:1/x", "HTTPS://ann:SECRET@H/#f", "https://ann:SECRET:x@h/a@b",
        ])
    func urls(_ text: String) throws {
        let url = try #require(URL(string: text))
        #expect(!url.withoutCredentials.contains("SECRET") && !"\(ImageRequest(url))".contains("SECRET"))
    }

    private final class Told: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }
}
