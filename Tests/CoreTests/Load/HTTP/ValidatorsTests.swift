import Foundation
import Testing

@testable import WebImageCore

@Suite("What is kept of an answer, and what 304 makes of it")
struct ValidatorsTests {
    private let times = ExchangeTimes(sent: WallTime(seconds: 10), received: WallTime(seconds: 12, nanoseconds: 5))

    private func validators(_ headers: HTTPHeaders, request: HTTPHeaders = [:]) -> DiskMetadata.Validators {
        DiskMetadata.Validators(response(headers), request: request, times: times)
    }

    private func response(_ headers: HTTPHeaders) -> HTTPResponse {
        HTTPResponse(url: URL(string: "https://h/a")!, statusCode: 200, headers: headers)
    }

    @Test("Vary compares the fields that it names, in any order and case, and no others")
    func vary() {
        let sent: HTTPHeaders = ["Accept": "image/webp", "Accept-Language": "de", "X": "1"]
        let stored = validators(["Vary": "accept-language, ACCEPT"], request: sent)
        #expect(stored.matches(["X": "2", "accept": "image/webp", "ACCEPT-LANGUAGE": "de"]))
        #expect(!stored.matches(["Accept": "image/webp", "Accept-Language": "fr"]))
        #expect(!stored.matches(["Accept": "image/webp"]))
        #expect(!stored.matches(["Accept": "image/webp", "Accept-Language": ""]))
        #expect(validators(["Vary": "X"]).matches([:]) && !validators(["Vary": "X"]).matches(["X": ""]))
        #expect(validators([:]).matches(sent))
    }

    @Test("Vary: * is like no other request, on a line of its own too")
    func varyStar() {
        var headers: HTTPHeaders = ["Vary": "Accept"]
        headers.append(name: "vary", value: "*")
        #expect(!validators(headers).matches([:]) && !validators(["Vary": "*"]).matches([:]))
    }

    @Test("No value of a header lies in what is stored")
    func secret() {
        let stored = validators(["Vary": "Authorization"], request: ["Authorization": "Bearer SECRET"])
        #expect(!"\(stored)".contains("SECRET"))
        #expect(stored.matches(["Authorization": "Bearer SECRET"]) && !stored.matches(["Authorization": "Bearer X"]))
    }

    @Test("No value can pose as two")
    func injective() {
        #expect(VaryDigest.of("A, B", ["A": "1\nb:1:2"]) != VaryDigest.of("A, B", ["A": "1", "B": "2"]))
    }

    @Test("304 renews what it says and keeps the rest; Age and Date are its own")
    func confirmed() throws {
        var stored = validators([
            "ETag": "\"1\"", "Cache-Control": "max-age=5", "Age": "5", "Date": "x", "Last-Modified": "y",
        ])
        stored.bodyDigest = "digest"
        let later = ExchangeTimes(sent: WallTime(seconds: 100), received: WallTime(seconds: 101))
        let answer = response(["Cache-Control": "max-age=7", "ETag": "W/\"1\""])
        let new = try #require(stored.confirmed(by: answer, request: [:], times: later))
        #expect(new.cacheControl == "max-age=7" && new.etag == "W/\"1\"" && new.lastModified == "y")
        #expect(new.age == nil && new.date == nil && new.receivedAt?.seconds == 101 && new.bodyDigest == "digest")
    }

    @Test("304 for another version confirms nothing")
    func otherVersion() {
        let stored = validators(["ETag": "\"1\""])
        #expect(stored.confirmed(by: response(["ETag": "\"2\""]), request: [:], times: times) == nil)
    }

    @Test("304 without a tag: a later date is of another version, an earlier one may be another server's")
    func otherDate() {
        let stored = validators(["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"])
        func isConfirmed(_ headers: HTTPHeaders) -> Bool {
            stored.confirmed(by: response(headers), request: [:], times: times) != nil
        }
        #expect(!isConfirmed(["Last-Modified": "Sun, 06 Nov 1994 08:49:38 GMT"]))
        #expect(!isConfirmed(["Last-Modified": "Sun, 06 Nov 1994 08:49:38 GMT", "ETag": "\"1\""]))
        #expect(isConfirmed(["Last-Modified": "Sun, 06 Nov 1994 08:49:36 GMT"]))
        #expect(isConfirmed(["Last-Modified": "yesterday"]) && isConfirmed([:]))
        let tagged = validators(["ETag": "\"1\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"])
        let same = response(["ETag": "\"1\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:38 GMT"])
        #expect(tagged.confirmed(by: same, request: [:], times: times) != nil)
    }

    @Test("304 that says something else of caching leaves Expires as it was: no guess takes its place")
    func expiresStays() throws {
        func isFresh(_ headers: HTTPHeaders) throws -> Bool {
            var stored = headers
            stored["Last-Modified"] = "Sun, 06 Nov 1994 08:49:37 GMT"
            let answer = response(["Cache-Control": "public", "Date": "Tue, 01 Dec 2026 00:00:00 GMT"])
            let new = try #require(validators(stored).confirmed(by: answer, request: [:], times: times))
            return HTTPFreshness(new, at: times.received).isFresh
        }
        #expect(try isFresh([:]) && !isFresh(["Expires": "0"]))
    }

    @Test("All of it survives the record on disk")
    func record() throws {
        var metadata = DiskMetadata(url: "https://h/a")
        metadata.validators = validators(["Vary": "Accept", "ETag": "\"1\""], request: ["Accept": "image/*"])
        metadata.validators.bodyDigest = "abc"
        let record = DiskRecord(
            key: "k", storedAt: WallTime(seconds: 1), byteCount: 1, digest: BodyDigest(Data()),
            metadata: metadata)
        let bytes = try #require(record.encoded())
        let read = try #require(DiskRecord(bytes))
        #expect(read.metadata.validators == metadata.validators)
    }
}
