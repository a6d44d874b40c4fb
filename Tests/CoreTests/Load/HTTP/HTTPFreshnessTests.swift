import Foundation
import Testing

@testable import WebImageCore

@Suite("How long an answer is good, by the server's word")
struct HTTPFreshnessTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let seconds: Int64 = 784_111_777

    /// An answer that came `age` seconds ago.
    private func freshness(
        after age: Int64 = 0, delay: Int64 = 0, _ headers: HTTPHeaders
    ) -> HTTPFreshness {
        var headers = headers
        if headers["Date"] == nil { headers["Date"] = Self.date }
        let response = HTTPResponse(url: URL(string: "https://h/a")!, statusCode: 200, headers: headers)
        let times = ExchangeTimes(
            sent: WallTime(seconds: Self.seconds - delay), received: WallTime(seconds: Self.seconds))
        let validators = DiskMetadata.Validators(response, request: HTTPHeaders(), times: times)
        return HTTPFreshness(validators, at: WallTime(seconds: Self.seconds + age))
    }

    @Test(
        "All three ways to write a date are read, and nothing else is",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Mon, 29 Feb 2016 23:59:60 GMT", 1_456_790_400), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Mon, 01 Jan 0000 00:00:00 GMT", -62_167_219_200), ("Wednesday, 31-Dec-69 23:59:59 GMT", 3_155_759_999),
            ("0", nil), ("", nil), ("-1", nil), ("Sun, 06 Nov 1994 08:49:37", nil), ("now", nil),
            ("Sun, 32 Nov 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 24:49:37 GMT", nil),
            ("Sun, 06 Nov 99999 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:+9:37 GMT", nil),
            ("Sun, 06 Nov 1994 08:49:37:1 GMT", nil), ("Sun, 06 Nov 1994 08:49:37 CET", nil),
        ] as [(String, Int64?)])
    func dates(_ text: String, _ seconds: Int64?) {
        #expect(HTTPDate.parse(text)?.seconds == seconds)
    }

    @Test(
        "Cache-Control is read as the stricter where it makes no sense",
        arguments: [
            ("max-age=60", 60), ("MAX-AGE = 60", 60), ("max-age=\"60\"", 60), ("max-age=60, max-age=5", 5),
            ("max-age=99999999999999999999999", 1 << 31), ("max-age=-1", 0), ("max-age", 0), ("max-age=1.5", 0),
            ("private=\"max-age=5\", max-age=7", 7), ("a=\"x\\\",max-age=1\",max-age=8", 8), (",,max-age=9,", 9),
            ("s-maxage=4", nil), ("", nil), ("\"max-age=4", nil),
        ] as [(String, Int64?)])
    func cacheControl(_ text: String, _ maxAge: Int64?) {
        #expect(CacheControl(text).maxAge == maxAge)
    }

    @Test("Directives are found in any case and among others")
    func directives() {
        let control = CacheControl(
            "public, No-Store, no-cache=\"Set-Cookie, X\", must-revalidate, immutable, "
                + "stale-while-revalidate=30, stale-if-error=60")
        #expect(control.isNoStore && control.isNoCache && control.mustRevalidate && control.isImmutable)
        #expect(control.staleWhileRevalidate == 30 && control.staleIfError == 60)
        #expect(CacheControl("stale-if-error=x").staleIfError == 0)
        #expect(CacheControl(nil) == CacheControl(""))
    }

    @Test("max-age goes before Expires, Age and the way here count")
    func age() {
        #expect(freshness(after: 59, ["Cache-Control": "max-age=60", "Expires": "0"]).isFresh)
        #expect(!freshness(after: 60, ["Cache-Control": "max-age=60"]).isFresh)
        #expect(!freshness(after: 20, ["Cache-Control": "max-age=60", "Age": "40"]).isFresh)
        #expect(freshness(after: 19, ["Cache-Control": "max-age=60", "Age": "40"]).isFresh)
        #expect(!freshness(after: 19, delay: 1, ["Cache-Control": "max-age=60", "Age": "40"]).isFresh)
        #expect(!freshness(["Cache-Control": "max-age=60", "Age": "nonsense"]).isFresh)
        #expect(!freshness(["Cache-Control": "max-age=60", "Date": "Sun, 06 Nov 1994 08:48:37 GMT"]).isFresh)
    }

    @Test("Expires is counted from Date; one that is no date has passed")
    func expires() {
        let headers: HTTPHeaders = ["Expires": "Sun, 06 Nov 1994 08:50:37 GMT"]
        #expect(freshness(headers).lifetime == 60)
        #expect(freshness(after: 59, headers).isFresh && !freshness(after: 60, headers).isFresh)
        for text in ["0", "-1", "never", "Sun, 06 Nov 1994 08:40:37 GMT"] {
            #expect(!freshness(["Expires": text, "Last-Modified": "Thu, 01 Jan 1970 00:00:00 GMT"]).isFresh)
        }
    }

    @Test("Without a word a tenth of the time since the last change, at most a day")
    func heuristic() {
        #expect(freshness(["Last-Modified": "Sun, 06 Nov 1994 08:32:57 GMT"]).lifetime == 100)
        #expect(freshness(["Last-Modified": "Thu, 01 Jan 1970 00:00:00 GMT"]).lifetime == 86_400)
        #expect(freshness(["Last-Modified": "Fri, 31 Dec 9999 23:59:59 GMT"]).lifetime == 0)
        #expect(!freshness([:]).isFresh)
    }

    @Test("Stale answers are used only where and as long as the server says")
    func stale() {
        let both: HTTPHeaders = ["Cache-Control": "max-age=10, stale-while-revalidate=5, stale-if-error=20"]
        #expect(freshness(after: 14, both).isUsableWhileRevalidating)
        #expect(!freshness(after: 15, both).isUsableWhileRevalidating)
        #expect(freshness(after: 29, both).isUsableOnError && !freshness(after: 30, both).isUsableOnError)
        for word in ["must-revalidate", "no-cache", "no-store"] {
            let headers: HTTPHeaders = ["Cache-Control": "max-age=0, stale-if-error=20, \(word)"]
            #expect(!freshness(after: 1, headers).isUsableOnError)
        }
        #expect(!freshness(["Cache-Control": "max-age=60, no-cache"]).isFresh)
        #expect(freshness(["Cache-Control": "max-age=60, immutable"]).isImmutable)
        #expect(!freshness(after: 60, ["Cache-Control": "max-age=60, immutable"]).isImmutable)
    }

    @Test("A clock that was set back makes nothing live for ever, and the ends of time do not trap")
    func clocks() {
        let year: HTTPHeaders = ["Cache-Control": "max-age=31536000"]
        #expect(freshness(after: -30, year).isFresh)
        #expect(!freshness(after: -3600, year).isFresh)
        var validators = DiskMetadata.Validators()
        validators.expires = "Fri, 31 Dec 9999 23:59:59 GMT"
        for first in [Int64.min, 0, .max] {
            for second in [Int64.min, 0, .max] {
                validators.receivedAt = WallTime(seconds: first)
                validators.requestedAt = WallTime(seconds: second)
                #expect(HTTPFreshness(validators, at: WallTime(seconds: second)).age >= 0)
            }
        }
        #expect(!HTTPFreshness(DiskMetadata.Validators(), at: WallTime(seconds: 0)).isFresh)
    }

    @Test("Random texts are read without a trap")
    func hostile() {
        var random = SystemRandomNumberGenerator()
        let pieces = [
            "max-age", "=", ",", "\"", "\\", " ", "99999999999999999999", "-", ":", "GMT", "Nov", "é", "\0", ";",
        ]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0..<12, using: &random)).map { _ in pieces.randomElement()! }.joined()
            _ = CacheControl(text)
            _ = HTTPDate.parse(text)
            _ = VaryDigest.of(text, ["Accept": text])
            #expect(HTTPList.elements(text).allSatisfy { !$0.isEmpty })
        }
    }
}
