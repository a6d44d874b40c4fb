import Foundation
import Testing

@testable import WebImageCore

@Suite("Failed URLs")
struct FailedURLsTests {
    private let error = ImageError(.badImageData, .decode, "damaged")

    private func url(_ number: Int) -> URL { URL(string: "https://h/\(number)")! }

    @Test("A failure is forgotten after its time")
    func expiry() {
        var failed = FailedURLs(limit: 10, lifetime: .seconds(60))
        let now = ContinuousClock.now
        failed.add(url(1), error, at: now)
        #expect(failed.reason(for: url(1), at: now + .seconds(59))?.message == "damaged")
        #expect(failed.reason(for: url(1), at: now + .seconds(60)) == nil)
        #expect(failed.reason(for: url(2), at: now) == nil)
    }

    @Test("The set is bounded, the oldest go first")
    func bound() {
        var failed = FailedURLs(limit: 8, lifetime: .seconds(60))
        let now = ContinuousClock.now
        for number in 0..<100 { failed.add(url(number), error, at: now + .milliseconds(number)) }
        let kept = (0..<100).filter { failed.reason(for: url($0), at: now + .seconds(1)) != nil }
        #expect(kept.count <= 8 && kept.last == 99)
    }
}
