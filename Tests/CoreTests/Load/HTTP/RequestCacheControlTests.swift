import Foundation
import Testing

@testable import WebImageCore

@Suite("What a request asks of a cache")
struct RequestCacheControlTests {
    private func isFresh(_ request: HTTPHeaders, age: Int64 = 10) -> Bool {
        var stored = DiskMetadata.Validators()
        stored.cacheControl = "max-age=60"
        stored.receivedAt = WallTime(seconds: 1000)
        return HTTPFreshness(stored, at: WallTime(seconds: 1000 + age)).isFresh(for: RequestCacheControl(request))
    }

    @Test("Without a wish, and with one that only permits, the server's word is enough")
    func none() {
        #expect(isFresh([:]) && isFresh(["Accept": "x"]) && isFresh(["Cache-Control": "max-stale=5, max-stale"]))
        #expect(!isFresh([:], age: 60) && !isFresh(["Cache-Control": "max-stale"], age: 60))
    }

    @Test("no-cache, in any case and on any line")
    func noCache() {
        var headers: HTTPHeaders = ["cache-control": "max-stale"]
        headers.append(name: "Cache-Control", value: " No-Cache ")
        #expect(!isFresh(headers) && RequestCacheControl(headers).isDemanding)
    }

    @Test("max-age is the most age that is wanted; what is no number is 0; of two the lesser holds")
    func maxAge() {
        #expect(isFresh(["Cache-Control": "max-age=10"]) && !isFresh(["Cache-Control": "max-age=9"]))
        #expect(!isFresh(["Cache-Control": "max-age=-1"]) && !isFresh(["Cache-Control": "max-age"]))
        #expect(isFresh(["Cache-Control": "max-age=x"], age: 0))
        #expect(!isFresh(["Cache-Control": "max-age=9, max-age=99"]) && isFresh(["Cache-Control": "max-age=\"10\""]))
        #expect(isFresh(["Cache-Control": "max-age=99999999999999999999"]))
    }

    @Test("min-fresh is the least time that it must stay fresh")
    func minFresh() {
        #expect(isFresh(["Cache-Control": "min-fresh=50"]) && !isFresh(["Cache-Control": "min-fresh=51"]))
        #expect(!isFresh(["Cache-Control": "min-fresh=x"]))
    }

    @Test("no-store forbids to keep the answer, and a 304 to it changes nothing that is kept")
    func noStore() {
        let times = ExchangeTimes(sent: WallTime(seconds: 1), received: WallTime(seconds: 1))
        let request: HTTPHeaders = ["Cache-Control": "no-store"]
        let answer = HTTPResponse(
            url: URL(string: "https://h/a")!, statusCode: 200, headers: ["Cache-Control": "max-age=60"])
        #expect(!DiskMetadata.Validators(answer, request: request, times: times).mayBeStored)
        let known = DiskMetadata.Validators(answer, request: [:], times: times)
        #expect(known.mayBeStored && known.confirmed(by: answer, request: request, times: times) == known)
    }
}
