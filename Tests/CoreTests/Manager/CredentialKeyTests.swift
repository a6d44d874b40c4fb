import Foundation
import Testing
import WebImageTesting

@testable import WebImageCore

@Suite("User names and passwords in URLs")
struct CredentialKeyTests {
    private func key(_ url: String, _ harness: ManagerHarness) throws -> CacheKey {
        var request = harness.request()
        request.url = URL(string: url)
        return try #require(harness.manager.cacheKey(for: request))
    }

    @Test("They are not in the cache key, but tell keys apart")
    func keys() throws {
        let harness = ManagerHarness()
        let key = try key("https://someone:s3cret@h/a@2x.png?b", harness)
        #expect(key.base == "https://h/a@2x.png?b")
        #expect(!key.text.contains("s3cret") && !key.text.contains("someone"))
        let others = ["https://h/a@2x.png?b", "https://someone:other@h/a@2x.png?b", "https://s3cret@h/a@2x.png?b"]
        #expect(try Set(others.map { try self.key($0, harness) } + [key]).count == 4)
        #expect(try self.key(others[0], harness).text == others[0])
    }

    @Test("They do not come to lie on disk, and a picture that was stored is found again")
    func disk() async throws {
        let harness = ManagerHarness()
        harness.cache.scriptAllMissing()
        var request = harness.request([.waitStoreCache])
        let url = try #require(URL(string: "https://someone:s3cret@h/a.png"))
        request.url = url
        harness.loader.script(url, .data(ManagerHarness.bytes))
        _ = try await harness.manager.image(for: request)
        let entry = try #require(harness.cache.disk.first)
        #expect(!entry.key.text.contains("s3cret") && entry.value.metadata.url == "https://h/a.png")
        await harness.cache.clear(.memory)
        #expect(try await harness.manager.image(for: request).source == .disk)
    }
}
