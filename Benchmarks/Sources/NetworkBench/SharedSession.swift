import Foundation
import FoundationNetworking

/// FoundationNetworking's `URLSession`, with room for 64 at once and without its cache.
struct SharedSession: Fetching {
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
