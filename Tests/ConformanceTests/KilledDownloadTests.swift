import Foundation
import Testing
import WebImage
import WebImageTesting

@Suite("B12 a download whose process is killed goes on in the next process", .timeLimit(.minutes(20)))
struct KilledDownloadTests {
    private let server: ScriptedHTTPServer
    private let gate = Gate()
    private let folder = FileManager.default.temporaryDirectory.appending(path: "webimage-\(UUID().uuidString)")

    private static let body: Data = {
        var generator = SeededGenerator(seed: 12)
        return Data((0..<(3 << 20)).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }()
    /// What each process gets of the body before it is killed.
    private static let share = 1 << 20

    /// A server that sends a megabyte of what is asked for, and holds back the rest.
    init() throws {
        server = try ScriptedHTTPServer()
        server.script("/a.png") { [gate] request in
            let start = Self.start(request)
            var answer = ScriptedAnswer.body(Data(Self.body[start...])).adding("ETag", "\"1\"")
            if start > 0 {
                answer.statusCode = 206
                answer = answer.adding("Content-Range", "bytes \(start)-\(Self.body.count - 1)/\(Self.body.count)")
            }
            return start < Self.share * 2 ? answer.held(by: gate, after: Self.share) : answer
        }
    }

    private static func start(_ request: ScriptedHTTPRequest) -> Int {
        guard let range = request.headers["Range"], range.hasPrefix("bytes="), range.hasSuffix("-") else { return 0 }
        return Int(range.dropFirst(6).dropLast()) ?? 0
    }

    private var files: [URL] {
        ((try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? [])
    }

    /// Returns once the files of the folder have so many bytes together at least, which a worker writes.
    private func waitForBytes(_ count: Int, from worker: Worker) async throws {
        while files.reduce(0, { $0 + ((try? Data(contentsOf: $1).count) ?? 0) }) < count, !Task.isCancelled {
            try #require(!worker.output.isAtEnd, "the worker ended before it had written what the server sent")
            await Task.yield()
        }
    }

    private typealias Worker = (process: ChildProcess, output: ChildPipe)

    private func kill(_ worker: Worker) async throws {
        worker.process.send(SIGKILL)
        try await worker.process.end()
    }

    private func worker() throws -> Worker {
        let output = try ChildPipe()
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "ResumeWorker")
        let process = try ChildProcess(
            program.path(percentEncoded: false),
            [folder.path(percentEncoded: false), server.url("/a.png").absoluteString],
            streams: .init(output: output.writing))
        output.closeWriting()
        return (process, output)
    }

    /// Downloads in this process; the store's files are gone when this returns.
    private func download() async throws -> Data {
        var configuration = DownloaderConfiguration()
        configuration.resumeStore = ResumeStore(folder: folder)
        let transport = CurlTransport(configuration: .patient)
        let downloader = ImageDownloader(transport: transport, configuration: configuration)
        let result = await withCheckedContinuation { continuation in
            downloader.download(ImageRequest(server.url("/a.png"))) { continuation.resume(returning: $0) }
        }
        let data = try result.get().data
        // Until the suite's time is over.
        while !files.isEmpty, !Task.isCancelled { await Task.yield() }
        #expect(files.isEmpty)
        return data
    }

    private func end() {
        gate.open()
        server.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    @Test("B12 killed twice: each process asks for what is missing, and what there is at the end is right")
    func killedTwice() async throws {
        defer { end() }
        for count in 1...2 {
            let worker = try worker()
            try await waitForBytes(Self.share * count, from: worker)
            try await kill(worker)
            #expect(files.count == 1)
        }
        #expect(try await download() == Self.body)
        let starts = server.requests(to: "/a.png").map(Self.start)
        #expect(starts == [0, Self.share, Self.share * 2])
        #expect(server.requests(to: "/a.png").dropFirst().allSatisfy { $0.headers["If-Range"] == "\"1\"" })
    }

    @Test("B12 killed in the middle of a write: what is whole of it is gone on with", arguments: [1, 21, 200_000])
    func torn(_ lost: Int) async throws {
        defer { end() }
        let worker = try worker()
        try await waitForBytes(Self.share, from: worker)
        try await kill(worker)
        let file = try #require(files.first)
        let bytes = try Data(contentsOf: file)
        try bytes.dropLast(lost).write(to: file)
        // The first goes on; the others only add to what the server must hold back no more.
        gate.open()
        #expect(try await download() == Self.body)
        let starts = server.requests(to: "/a.png").map(Self.start)
        #expect(starts.count == 2 && starts[1] > 0 && starts[1] < Self.share)
    }

    @Test("B12 two processes at once have a file each; what the killed one leaves is gone on with")
    func twoProcesses() async throws {
        defer { end() }
        let first = try worker()
        try await waitForBytes(Self.share, from: first)
        let second = try worker()
        try await waitForBytes(Self.share * 2, from: second)
        #expect(files.count == 2)
        try await kill(first)
        gate.open()
        try await second.process.end()
        _ = await second.output.wait { _ in false }
        #expect(second.output.text == "\(Self.body.count)\n")
        #expect(try await download() == Self.body)
        // A process that exits at once may leave what it has just finished; both are of use.
        let starts = server.requests(to: "/a.png").map(Self.start)
        #expect(starts.count == 3 && starts[1] == 0 && starts[2] >= Self.share)
    }
}
