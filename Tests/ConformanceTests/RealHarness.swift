import Foundation
import Testing
import WebImage
import WebImageTesting

/// The real parts (libcurl, the C libraries, a folder on disk) in front of a server that a test scripts.
final class RealHarness: Sendable {
    let server: ScriptedHTTPServer
    let other: ScriptedHTTPServer
    let gates: ScriptedHTTPServer.StandardGates
    let folder: URL
    let cache: ImageCache
    let downloader: ImageDownloader
    let manager: ImageManager

    init(_ configuration: DownloaderConfiguration = .init()) throws {
        var configuration = configuration
        // What a test holds back must not time out on a slow machine.
        configuration.downloadTimeout = 3600
        configuration.minimumByteRate = 0
        server = try ScriptedHTTPServer()
        other = try ScriptedHTTPServer()
        gates = server.scriptStandardCases(redirectingTo: other)
        folder = FileManager.default.temporaryDirectory.appending(path: "webimage-\(UUID().uuidString)")
        cache = ImageCache(directory: folder)
        downloader = ImageDownloader(transport: CurlTransport(configuration: .patient), configuration: configuration)
        manager = Self.manager(cache, downloader)
    }

    deinit {
        gates.slow.open()
        gates.sleep.open()
        server.stop()
        other.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The same folder as a new process would see it: nothing in memory, no failure remembered.
    func restarted() -> ImageManager {
        Self.manager(ImageCache(directory: folder), ImageDownloader(transport: CurlTransport(configuration: .patient)))
    }

    private static func manager(_ cache: ImageCache, _ downloader: ImageDownloader) -> ImageManager {
        ImageManager(
            cache: cache, loader: LoadersManager([DataURLLoader(), FileLoader(), downloader]),
            coder: CodersManager([.webP, .gif, .png, .jpeg]))
    }

    func request(_ path: String, _ options: LoadOptions = []) -> ImageRequest {
        var request = ImageRequest(server.url(path), options: options.union(.waitStoreCache))
        request.context.callbackQueue = .immediate
        return request
    }

    func load(_ path: String, _ options: LoadOptions = []) async throws(ImageError) -> LoadResult {
        try await manager.image(for: request(path, options))
    }

    /// Returns when the server answers nobody any more; lets go of what it holds at gates. Connections that were made
    /// and not needed, or have done their work, may stay.
    func allExchangesOver() async {
        gates.slow.open()
        gates.sleep.open()
        await server.waitForExchanges(atMost: 0)
    }

    /// Serves a file of `Tests/Fixtures/cases`.
    func serve(_ name: String) throws {
        server.script("/f/\(name)", .body(try fixture(name)))
    }

    /// The names of all files in the cache's folder.
    var files: [String] {
        (FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? [])
            .filter { !$0.hasSuffix("default") }
    }
}

extension CurlTransport.Configuration {
    /// For tests that time must not decide, however slow the machine is.
    static var patient: CurlTransport.Configuration {
        var configuration = CurlTransport.Configuration()
        configuration.connectTimeout = 3600
        configuration.idleConnectionTimeout = 86_400
        return configuration
    }
}

func fixture(_ name: String, _ file: String = #filePath) throws -> Data {
    let tests = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
    return try Data(contentsOf: tests.appending(path: "Fixtures/cases/\(name)"))
}

let red = PixelColor(255, 0, 0)

/// Runs the load and gives the code of the one error it must end with.
func code(_ load: () async throws(ImageError) -> some Sendable) async -> ImageError.Code? {
    do {
        _ = try await load()
        Issue.record("the load succeeded")
        return nil
    } catch {
        return error.code
    }
}
