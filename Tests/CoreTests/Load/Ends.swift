import Foundation
import Synchronization
import WebImageTesting

@testable import WebImageCore

/// What downloads ended with: error codes in order, 0 for success.
final class Ends: Sendable {
    private let results = Mutex<[Result<LoadedData, ImageError>]>([])
    let ended = Gate()

    var codes: [Int] {
        results.withLock { results in
            results.map { result in
                if case .failure(let error) = result { error.code.rawValue } else { 0 }
            }
        }
    }

    var data: Data? { results.withLock { try? $0.last?.get().data } }

    @Sendable func note(_ result: Result<LoadedData, ImageError>) {
        results.withLock { $0.append(result) }
        ended.open()
    }
}
