import Foundation
import Glibc
import WebImageCore
import WebImageCurl

/// The network's measurements, one a run: `NetworkBench ours|urlsession|memory|slow|cancel …`.
@main
struct NetworkBench {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let mode = arguments.first else { fail("which measurement?") }
        switch mode {
        case "ours": try await fetchAll(listed(arguments), with: Ours(certificate: option("certificate", arguments)))
        case "urlsession": try await fetchAll(listed(arguments), with: SharedSession())
        case "memory": try await Memory.run(listed(arguments))
        case "slow": try await SlowConsumer.run(listed(arguments)[0])
        case "cancel": try await Cancelling.run()
        default: fail("there is no measurement \(mode)")
        }
    }

    /// The URLs of the file that `--list` names.
    private static func listed(_ arguments: [String]) throws -> [URL] {
        guard let list = option("list", arguments) else { fail("--list is missing") }
        return try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n").compactMap {
            URL(string: String($0))
        }
    }

    private static func option(_ name: String, _ arguments: [String]) -> String? {
        arguments.first { $0.hasPrefix("--\(name)=") }.map { String($0.dropFirst(name.count + 3)) }
    }

    static func fail(_ reason: String) -> Never {
        FileHandle.standardError.write(Data("NetworkBench: \(reason)\n".utf8))
        exit(1)
    }
}

/// One way to get the bytes of a URL.
protocol Fetching: Sendable {
    func byteCount(of url: URL) async throws -> Int
}

/// All URLs, 64 in flight; prints how many bytes came.
func fetchAll(_ urls: [URL], with fetcher: some Fetching) async throws {
    let byteCount = try await withThrowingTaskGroup(of: Int.self) { group in
        var (rest, sum) = (urls[...], 0)
        for url in rest.prefix(64) { group.addTask { try await fetcher.byteCount(of: url) } }
        rest = rest.dropFirst(64)
        while let count = try await group.next() {
            sum += count
            if let url = rest.popFirst() { group.addTask { try await fetcher.byteCount(of: url) } }
        }
        return sum
    }
    print("bytes \(byteCount)")
}

/// `ImageDownloader` over libcurl, with room for 64 at once.
struct Ours: Fetching {
    let downloader: ImageDownloader

    init(certificate: String? = nil) {
        var transport = CurlTransport.Configuration()
        transport.maxConnectionsPerHost = 64
        transport.certificateAuthorities = certificate.map { URL(fileURLWithPath: $0) }
        var configuration = DownloaderConfiguration()
        configuration.maxConcurrentDownloadsPerHost = 64
        downloader = ImageDownloader(
            transport: CurlTransport(configuration: transport), configuration: configuration)
    }

    func byteCount(of url: URL) async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            downloader.download(ImageRequest(url)) { continuation.resume(with: $0.map(\.data.count)) }
        }
    }
}
