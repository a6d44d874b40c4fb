import Foundation
import FoundationNetworking

/// FoundationNetworking's `URLSession`, with room for 64 at once and without its cache: `SessionBench LIST` fetches the
/// URLs of a file, asked for all at once, and prints how many bytes came.
///
/// A program of its own, so that ours need not load Foundation.
@main
struct SessionBench {
    static func main() async throws {
        let list = try String(contentsOfFile: CommandLine.arguments[1], encoding: .utf8)
        let session = SharedSession()
        let byteCount = try await withThrowingTaskGroup(of: Int.self) { group in
            let lines = list.utf8.split(separator: UInt8(ascii: "\n"))
            for url in lines.compactMap({ URL(string: String(Substring($0))) }) {
                group.addTask { try await session.byteCount(of: url) }
            }
            var sum = 0
            for try await count in group { sum += count }
            return sum
        }
        print("bytes \(byteCount)")
    }
}

private struct SharedSession: Sendable {
    private let session: URLSession

    init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 64
        configuration.urlCache = nil
        session = URLSession(configuration: configuration)
    }

    func byteCount(of url: URL) async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            session.dataTask(with: url) { data, _, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(data?.count ?? 0))
            }.resume()
        }
    }
}
