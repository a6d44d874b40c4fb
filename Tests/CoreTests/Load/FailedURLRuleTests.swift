import Foundation
import Testing

@testable import WebImageCore

@Suite("Which failures block a URL")
struct FailedURLRuleTests {
    private let downloader = ImageDownloader(transport: HandTransport())
    private let url = URL(string: "https://h/a")!

    private func isBlocked(_ code: ImageError.Code, status: Int? = nil) -> Bool {
        downloader.shouldBlockFailedURL(url, error: ImageError(code, .load, "failed", statusCode: status))
    }

    @Test("What stays as it is blocks it; the network, a cancel, and what the configuration says never do")
    func codes() {
        let blocking: [ImageError.Code] = [.invalidURL, .badImageData, .unknownFormat, .redirectRefused]
        let others: [ImageError.Code] = [
            .cacheNotModified, .blackListed, .invalidDownloadOperation, .cancelled, .invalidDownloadResponse,
            .invalidDownloadContentType, .limitExceeded, .noLoader, .notInCache, .storeFailed, .cannotFindHost,
            .cannotConnect, .timedOut, .connectionLost, .truncatedBody, .secureConnectionFailed, .transportFailed,
            .addressRefused, .digestMismatch, .hostUnavailable,
        ]
        #expect(blocking.filter { !isBlocked($0) } == [] && others.filter { isBlocked($0) } == [])
    }

    @Test("Of the statuses those block it that a server will say again")
    func statuses() {
        let blocking = (100..<600).filter { isBlocked(.invalidDownloadStatusCode, status: $0) }
        #expect(blocking == [400, 404, 405, 410, 414, 451, 500, 501])
        #expect(!isBlocked(.invalidDownloadStatusCode))
    }
}
