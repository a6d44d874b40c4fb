import Foundation
import Testing
import WebImage
import WebImageTesting

@Suite("B12 a download that was interrupted goes on, and glues nothing together", .timeLimit(.minutes(20)))
struct ResumeTests {
    private static let red = TestPictures.red
    private static let sent = 6000

    /// A server whose first answer is cut, and what it is asked and says after that.
    private struct Parts {
        let harness: RealHarness
        let folder: URL

        init(_ answers: @escaping @Sendable (ScriptedHTTPRequest) -> ScriptedAnswer) throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "webimage-\(UUID().uuidString)")
            var configuration = DownloaderConfiguration()
            configuration.resumeStore = ResumeStore(folder: folder)
            harness = try RealHarness(configuration)
            harness.server.script("/a.png") { request in
                request.hitNumber == 1
                    ? .picture().adding("ETag", "\"1\"").cut(after: ResumeTests.sent) : answers(request)
            }
        }

        var requests: [ScriptedHTTPRequest] { harness.server.requests(to: "/a.png") }

        /// Fails, then loads again as a new process would; the bytes are right, and what was asked is returned.
        func loadsAfterCut() async throws -> [ScriptedHTTPRequest] {
            await #expect(throws: ImageError.self) { try await harness.load("/a.png") }
            #expect(harness.files.isEmpty)
            let result = try await harness.load("/a.png")
            #expect(result.data == ResumeTests.red)
            try? FileManager.default.removeItem(at: folder)
            return requests
        }
    }

    private static func rest(from start: Int, tag: String = "\"1\"", total: Int = red.count) -> ScriptedAnswer {
        ScriptedAnswer(
            statusCode: 206,
            headers: [
                "Content-Type": "image/png", "ETag": tag, "Content-Range": "bytes \(start)-\(total - 1)/\(total)",
            ], body: red.dropFirst(start).prefix(total - start).withUnsafeBytes { Data($0) })
    }

    private static func start(_ request: ScriptedHTTPRequest) -> Int? {
        guard let range = request.headers["Range"], range.hasPrefix("bytes="), range.hasSuffix("-") else { return nil }
        return Int(range.dropFirst(6).dropLast())
    }

    @Test("B12 /range206: the rest is asked for with If-Range, and put behind the beginning")
    func B12_range206() async throws {
        let parts = try Parts { request in Self.start(request).map { Self.rest(from: $0) } ?? .status(500) }
        let requests = try await parts.loadsAfterCut()
        #expect(requests.count == 2 && requests[1].headers["Range"] == "bytes=\(Self.sent)-")
        #expect(requests[1].headers["If-Range"] == "\"1\"" && requests[1].headers["Accept-Encoding"] == "identity")
    }

    @Test("B12 /range200: a server that sends the whole is believed")
    func B12_range200() async throws {
        let parts = try Parts { _ in .picture().adding("ETag", "\"1\"") }
        #expect(try await parts.loadsAfterCut().count == 2)
    }

    @Test("B12 /range_shift: a part that begins elsewhere is thrown away, and the whole is asked for")
    func B12_rangeShift() async throws {
        let parts = try Parts { request in
            Self.start(request).map { Self.rest(from: $0 - 1000) } ?? .picture().adding("ETag", "\"1\"")
        }
        #expect(try await parts.loadsAfterCut().map { Self.start($0) } == [nil, Self.sent, nil])
    }

    @Test("B12 another version: by 200 as it should, and by a wrong 206")
    func B12_changedTag() async throws {
        let whole = try Parts { _ in .picture().adding("ETag", "\"2\"") }
        #expect(try await whole.loadsAfterCut().count == 2)
        let wrong = try Parts { request in
            Self.start(request).map { Self.rest(from: $0, tag: "\"2\"") } ?? .picture()
        }
        #expect(try await wrong.loadsAfterCut().map { Self.start($0) } == [nil, Self.sent, nil])
    }

    @Test("B12 416 is answered by asking for the whole")
    func B12_416() async throws {
        let parts = try Parts { request in Self.start(request) == nil ? .picture() : .status(416) }
        #expect(try await parts.loadsAfterCut().map { Self.start($0) } == [nil, Self.sent, nil])
    }

    @Test("B12 another length of the whole is another body")
    func B12_otherLength() async throws {
        let parts = try Parts { request in
            Self.start(request).map { Self.rest(from: $0, total: Self.red.count - 10) } ?? .picture()
        }
        #expect(try await parts.loadsAfterCut().count == 3)
    }

    @Test("B12 without a strong validator the whole is asked for")
    func B12_weak() async throws {
        for tag in ["W/\"1\"", "1"] {
            let harness = try RealHarness()
            harness.downloader.configuration.retryPolicy = Self.atOnce
            harness.server.script("/a.png") { request in
                let answer = ScriptedAnswer.picture().adding("ETag", tag)
                return request.hitNumber == 1 ? answer.cut(after: Self.sent) : answer
            }
            #expect(try await harness.load("/a.png").data == Self.red)
            #expect(harness.server.requests(to: "/a.png").allSatisfy { $0.headers["Range"] == nil })
        }
    }

    @Test("B12 a retry goes on too, without a store, and again where the rest is cut as well")
    func B12_retry() async throws {
        let harness = try RealHarness()
        harness.downloader.configuration.retryPolicy = Self.atOnce
        harness.server.script("/a.png") { request in
            guard let start = Self.start(request) else {
                return .picture().adding("ETag", "\"1\"").cut(after: Self.sent)
            }
            return request.hitNumber == 2 ? Self.rest(from: start).cut(after: 2000) : Self.rest(from: start)
        }
        #expect(try await harness.load("/a.png").data == Self.red)
        #expect(harness.server.requests(to: "/a.png").map { Self.start($0) } == [nil, 6000, 8000])
    }

    @Test("B12 an answer from another URL after a redirect is not of the same body")
    func B12_redirect() async throws {
        let parts = try Parts { request in
            .redirect(to: "/b.png")
        }
        parts.harness.server.script("/b.png") { request in
            Self.start(request).map { Self.rest(from: $0) } ?? .picture()
        }
        _ = try await parts.loadsAfterCut()
        #expect(parts.harness.server.requests(to: "/b.png").map { Self.start($0) } == [Self.sent, nil])
    }

    @Test("A cancelled download goes on too")
    func cancelled() async throws {
        let parts = try Parts { _ in .status(500) }
        let gate = Gate()
        parts.harness.server.script("/c.png") { request in
            guard let start = Self.start(request) else {
                return .picture().adding("ETag", "\"1\"").held(by: gate, after: Self.sent)
            }
            return Self.rest(from: start)
        }
        let ended = LoadRecorder()
        let arrived = Gate()
        let operation = parts.harness.manager.load(parts.harness.request("/c.png")) { news in
            if news.receivedByteCount == Self.sent { arrived.open() }
        } completion: {
            ended.record($0)
        }
        await arrived.wait()
        operation.cancel()
        await ended.ended.wait()
        gate.open()
        while parts.harness.downloader.currentDownloadCount > 0, !Task.isCancelled { await Task.yield() }
        // The transport hears of the cancel on its own thread; what it leaves is kept after that.
        while (try? FileManager.default.contentsOfDirectory(atPath: parts.folder.path).isEmpty) ?? true,
            !Task.isCancelled
        {
            await Task.yield()
        }
        #expect(try await parts.harness.load("/c.png").data == Self.red)
        #expect(parts.harness.server.requests(to: "/c.png").map { Self.start($0) } == [nil, Self.sent])
        try? FileManager.default.removeItem(at: parts.folder)
    }

    @Test("Bytes without the announced digest are an error, and nothing is stored; the next try may be right")
    func digest() async throws {
        let wrong = "sha-256=:\(Data(count: 32).base64EncodedString()):"
        for name in ["Repr-Digest", "Content-Digest"] {
            let harness = try RealHarness()
            harness.server.script("/a.png", .picture().adding(name, wrong), .picture())
            let code = await code { () async throws(ImageError) in try await harness.load("/a.png") }
            #expect(code == .digestMismatch && harness.files.isEmpty)
            #expect(try await harness.load("/a.png").data == Self.red)
        }
        let harness = try RealHarness()
        harness.downloader.configuration.retryPolicy = Self.atOnce
        harness.server.script("/a.png", .picture().adding("Repr-Digest", wrong), .picture())
        #expect(try await harness.load("/a.png").data == Self.red)
    }

    @Test("A continued body with a wrong digest is loaded as a whole")
    func continuedDigest() async throws {
        let wrong = "sha-256=:\(Data(count: 32).base64EncodedString()):"
        let parts = try Parts { request in
            Self.start(request).map { Self.rest(from: $0).adding("Repr-Digest", wrong) } ?? .picture()
        }
        #expect(try await parts.loadsAfterCut().map { Self.start($0) } == [nil, Self.sent, nil])
    }

    private static var atOnce: RetryPolicy {
        var policy = RetryPolicy(maxRetryCount: 3)
        policy.baseDelay = 0
        return policy
    }
}
