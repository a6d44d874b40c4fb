import Foundation
import Testing
import WebImageTesting

@testable import WebImageCore

@Suite("What is put on disk of a body while it arrives", .timeLimit(.minutes(20)))
struct RecordingTests {
    private static let portion = RecordingPlan.portionByteCount
    private static let url = URL(string: "https://h/a.png")!
    private static let head: HTTPHeaders = ["ETag": "\"1\""]

    private static let body: Data = {
        var generator = SeededGenerator(seed: 3)
        return Data((0..<(2 << 20)).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }()

    /// A downloader on a transport that the test answers by hand, with a store of its own.
    private final class Parts: Sendable {
        let folder = try! CacheTestFolder()
        let transport = HandTransport()
        let store: ResumeStore
        let downloader: ImageDownloader
        let ends = Ends()

        init(maxByteCount: Int = 64 << 20, _ change: (inout DownloaderConfiguration) -> Void = { _ in }) async {
            var configuration = DownloaderConfiguration.patient
            store = ResumeStore(folder: folder.url.appending(path: "store"), maxByteCount: maxByteCount)
            configuration.resumeStore = store
            change(&configuration)
            downloader = ImageDownloader(transport: transport, configuration: configuration)
            await store.settle()
        }

        /// Begins, and returns what carries it.
        func begin(_ ends: Ends? = nil, with other: ImageDownloader? = nil) async -> HandTransport.Exchange {
            await next {
                (other ?? downloader).download(ImageRequest(RecordingTests.url), completion: (ends ?? self.ends).note)
            }
        }

        /// What begins because of something.
        func next(after cause: () -> Void) async -> HandTransport.Exchange {
            await withCheckedContinuation { continuation in
                transport.onNextStart = { continuation.resume() }
                cause()
            }
            return transport.exchanges.last!
        }

        var names: [String] { folder.names("store") }

        /// What a process that starts now, after the death of this one, finds of the body.
        func found() throws -> PartialBody? {
            let name = try #require(names.first)
            let copy = folder.path + "/copy"
            try? FileManager.default.removeItem(atPath: copy)
            try FileManager.default.copyItem(atPath: folder.path + "/store/" + name, toPath: copy)
            let key = try #require(ResumeStore.key(HTTPRequest(url: RecordingTests.url, downloader)))
            return PartialFile.open(copy, key, maxByteCount: 64 << 20)?.body
        }
    }

    private func send(_ part: Range<Int>, _ exchange: HandTransport.Exchange) {
        exchange.send(Data(Self.body[part]))
    }

    @Test("A large body is there up to the last portion, and gone once it is whole")
    func grows() async throws {
        let parts = await Parts()
        let exchange = await parts.begin()
        exchange.head(200, Self.head, byteCount: Self.body.count)
        for end in stride(from: Self.portion, to: Self.body.count, by: Self.portion) {
            send(end - Self.portion..<end, exchange)
            await parts.store.settle()
            let found = try parts.found()
            #expect(found?.data == Self.body.prefix(end) && found?.identity.totalByteCount == Self.body.count)
        }
        send(Self.body.count - Self.portion..<Self.body.count, exchange)
        exchange.end()
        #expect(parts.ends.data == Self.body)
        await parts.store.settle()
        #expect(parts.names.isEmpty)
    }

    @Test("Of a body of unknown length nothing is there before the first megabyte")
    func unknownLength() async throws {
        let parts = await Parts()
        let exchange = await parts.begin()
        exchange.head(200, Self.head, byteCount: nil)
        send(0..<(1 << 20) - 1, exchange)
        await parts.store.settle()
        #expect(parts.names.isEmpty)
        send((1 << 20) - 1..<(1 << 20), exchange)
        for _ in 0..<5 { await parts.store.settle() }
        #expect(try parts.found()?.data == Self.body.prefix(1 << 20))
        exchange.end(ImageError(.connectionLost, .load, ""))
        await parts.store.settle()
    }

    @Test(
        "A small body, and one that could not be continued, leave the disk alone",
        arguments: [
            ((1 << 20) - 1, ["ETag": "\"1\""]), (2 << 20, [:]), (2 << 20, ["ETag": "W/\"1\""]),
            (2 << 20, ["ETag": "\"1\"", "Accept-Ranges": "none"]),
        ] as [(Int, HTTPHeaders)])
    func leftAlone(_ byteCount: Int, _ headers: HTTPHeaders) async {
        let parts = await Parts()
        let exchange = await parts.begin()
        exchange.head(200, headers, byteCount: byteCount)
        send(0..<1_000_000, exchange)
        await parts.store.settle()
        #expect(parts.folder.names().isEmpty)
        send(1_000_000..<byteCount, exchange)
        exchange.end()
        await parts.store.settle()
        #expect(parts.ends.codes == [0] && parts.folder.names().isEmpty)
    }

    @Test("One that is interrupted is there to its last byte; whoever goes on with it grows the same file")
    func goesOn() async throws {
        let parts = await Parts()
        let first = await parts.begin()
        first.head(200, Self.head, byteCount: Self.body.count)
        send(0..<Self.portion + 1000, first)
        first.end(ImageError(.connectionLost, .load, ""))
        await parts.store.settle()
        #expect(try parts.found()?.data.count == Self.portion + 1000)
        let names = parts.names
        let second = await parts.begin()
        #expect(second.request.headers["Range"] == "bytes=\(Self.portion + 1000)-")
        second.head(206, Self.rest(from: Self.portion + 1000), byteCount: Self.body.count - Self.portion - 1000)
        send(Self.portion + 1000..<Self.portion * 3, second)
        for _ in 0..<5 { await parts.store.settle() }
        #expect(try parts.found()?.data == Self.body.prefix(Self.portion * 3) && parts.names == names)
        send(Self.portion * 3..<Self.body.count, second)
        second.end()
        await parts.store.settle()
        #expect(parts.ends.codes.last == 0 && parts.ends.data == Self.body && parts.names.isEmpty)
    }

    private static func rest(from start: Int) -> HTTPHeaders {
        ["ETag": "\"1\"", "Content-Range": "bytes \(start)-\(body.count - 1)/\(body.count)"]
    }

    @Test("A server that sends the whole after all makes the file begin anew")
    func wholeAgain() async throws {
        let parts = await Parts()
        let first = await parts.begin()
        first.head(200, Self.head, byteCount: Self.body.count)
        send(0..<Self.portion, first)
        first.end(ImageError(.connectionLost, .load, ""))
        await parts.store.settle()
        let second = await parts.begin()
        second.head(200, ["ETag": "\"2\""], byteCount: Self.body.count)
        await parts.store.settle()
        #expect(parts.names.isEmpty)
        send(0..<Self.portion, second)
        await parts.store.settle()
        #expect(try parts.found()?.identity.validator == "\"2\"" && parts.names.count == 1)
        second.end(ImageError(.badImageData, .load, "not to be gone on with"))
        await parts.store.settle()
        #expect(parts.names.isEmpty)
    }

    @Test("Two at once do not write to one file; the second begins at the first byte, and what is whole is gone")
    func twoAtOnce() async throws {
        let parts = await Parts()
        let first = await parts.begin()
        first.head(200, Self.head, byteCount: Self.body.count)
        send(0..<Self.portion, first)
        await parts.store.settle()
        // As another process: its own store on the same folder.
        let other = ImageDownloader(transport: parts.transport, configuration: parts.downloader.configuration)
        other.configuration.resumeStore = ResumeStore(folder: parts.folder.url.appending(path: "store"))
        let ends = Ends()
        let second = await parts.begin(ends, with: other)
        #expect(second.request.headers["Range"] == nil)
        second.head(200, Self.head, byteCount: Self.body.count)
        send(0..<Self.portion, second)
        await other.configuration.resumeStore?.settle()
        #expect(parts.names.count == 2)
        for exchange in [first, second] {
            send(Self.portion..<Self.body.count, exchange)
            exchange.end()
        }
        await parts.store.settle()
        await other.configuration.resumeStore?.settle()
        #expect(ends.data == Self.body && parts.ends.data == Self.body && parts.names.isEmpty)
    }

    @Test("Of one body half of the limit is on disk at most")
    func limit() async throws {
        let parts = await Parts(maxByteCount: 1_000_000)
        let exchange = await parts.begin()
        exchange.head(200, Self.head, byteCount: Self.body.count)
        send(0..<Self.portion * 6, exchange)
        for _ in 0..<5 { await parts.store.settle() }
        #expect(try parts.found()?.data == Self.body.prefix(500_000))
        exchange.end(ImageError(.connectionLost, .load, ""))
        await parts.store.settle()
        #expect(try parts.found()?.data == Self.body.prefix(500_000))
    }

    @Test(
        "A full disk costs a download nothing, and nothing is left there",
        .enabled(if: geteuid() == 0, "only root may mount; a folder that cannot be made is tested everywhere"))
    func fullDisk() async throws {
        let parts = await Parts()
        let disk = parts.folder.path + "/store"
        guard try MemoryDisk.mount(at: disk, "size=400k") else { return print("mount is not allowed here") }
        defer { MemoryDisk.unmount(disk) }
        await downloads(parts) { #expect(parts.names.isEmpty) }
    }

    @Test("A folder that cannot be made costs a download nothing")
    func noFolder() async throws {
        let parts = await Parts()
        try Data().write(to: parts.folder.url.appending(path: "store"))
        await downloads(parts) {}
        #expect(parts.folder.names() == ["store"])
    }

    private func downloads(_ parts: Parts, check: () -> Void) async {
        let exchange = await parts.begin()
        exchange.head(200, Self.head, byteCount: Self.body.count)
        send(0..<Self.portion * 4, exchange)
        for _ in 0..<5 { await parts.store.settle() }
        check()
        send(Self.portion * 4..<Self.body.count, exchange)
        exchange.end()
        await parts.store.settle()
        #expect(parts.ends.codes == [0] && parts.ends.data == Self.body)
        check()
    }

    @Test(
        "Bytes that come while a modifier has the head of a rest stand behind the beginning, or nowhere",
        arguments: [5000, 4000])
    func modifiedRest(_ start: Int) async throws {
        let gate = Gate()
        let parts = await Parts { configuration in
            configuration.responseModifier = ResponseModifier(async: { response in
                if response.statusCode == 206 { await gate.wait() }
                return response
            })
        }
        let first = await parts.begin()
        first.head(200, Self.head, byteCount: Self.body.count)
        send(0..<5000, first)
        first.end(ImageError(.connectionLost, .load, ""))
        await parts.ends.ended.wait()
        await parts.store.settle()
        let ends = Ends()
        let second = await parts.begin(ends)
        second.head(206, Self.rest(from: start), byteCount: Self.body.count - start)
        send(start..<Self.body.count, second)
        second.end()
        if start == 5000 {
            gate.open()
        } else {
            // It begins elsewhere than was asked for: the whole is asked for.
            let third = await parts.next { gate.open() }
            #expect(third.request.headers["Range"] == nil)
            third.answer(200, Self.head, body: Self.body)
        }
        await ends.ended.wait()
        #expect(second.request.headers["Range"] == "bytes=5000-")
        #expect(ends.codes == [0])
        #expect(ends.data == Self.body)
    }
}

extension HTTPRequest {
    /// As a downloader sends it for a URL alone.
    fileprivate init(url: URL, _ downloader: ImageDownloader) {
        self.init(url: url, headers: ImageDownloader.defaultHeaders)
    }
}
