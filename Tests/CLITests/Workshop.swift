import Foundation
import Glibc
import Testing
import WebImage
import WebImageTesting

/// A folder of its own for one test, with a cache in it, and the built tool to run there. Removed with this object.
final class Workshop: Sendable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "webimage-cli-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// The built tool: beside the test bundle that runs.
    static let tool = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "webimage")

    /// The small inputs of our own in the repository.
    static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/cases")

    func path(_ name: String) -> String {
        folder.appending(path: name).path(percentEncoded: false)
    }

    @discardableResult
    func write(_ data: Data, _ name: String) throws -> String {
        try data.write(to: folder.appending(path: name))
        return path(name)
    }

    func contents(_ name: String) throws -> Data {
        try Data(contentsOf: folder.appending(path: name))
    }

    /// The names in a folder, hidden ones included, sorted; none where there is no such folder.
    func names(in name: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path(name))) ?? []).sorted()
    }

    /// The cache that the tool uses here.
    var cache: DiskCache { DiskCache(folder: path("cache/webimage/default")) }

    /// Everything that lies in the cache's folder, temporary files included.
    var cacheFiles: [String] { names(in: "cache/webimage/default") }

    /// Starts the tool and lets it run.
    ///
    /// - Parameters:
    ///   - output: Where its standard output goes; `nil` keeps it for the result.
    ///   - errors: Likewise its standard error.
    func start(
        _ arguments: [String], input: Data = Data(), output: FileHandle? = nil, errors: FileHandle? = nil,
        cache: String? = nil
    ) throws -> RunningTool {
        let path = try write(input, "in-\(UUID().uuidString)")
        let input = try FileHandle(forReadingFrom: URL(filePath: path))
        return try start(arguments, from: input, output: output, errors: errors, cache: cache)
    }

    /// The same, reading from a handle.
    func start(
        _ arguments: [String], from input: FileHandle, output: FileHandle? = nil, errors: FileHandle? = nil,
        cache: String? = nil
    ) throws -> RunningTool {
        // What a test holds back must not time out on a slow machine.
        let isPatient = arguments.first == "fetch" && arguments.count > 1 && !arguments.contains("--timeout")
        let arguments = isPatient ? ["fetch", "--timeout", "3600"] + arguments.dropFirst() : arguments
        return try RunningTool(arguments, in: self, cache: cache ?? path("cache"), streams: (input, output, errors))
    }

    /// Runs the tool to its end.
    func run(_ arguments: String..., input: Data = Data(), cache: String? = nil) async throws -> ToolResult {
        try await start(arguments, input: input, cache: cache).result()
    }
}

/// What a run of the tool left.
struct ToolResult {
    let end: ChildProcess.End
    let output: String
    let outputBytes: Data
    let errors: String

    /// The exit status; `nil` when a signal ended it.
    var status: Int32? { if case .exited(let status) = end { status } else { nil } }
    var lines: [String] { output.split(separator: "\n").map(String.init) }
    var errorLines: [String] { errors.split(separator: "\n").map(String.init) }

    /// Each line of standard output as a JSON object.
    func objects(sourceLocation: SourceLocation = #_sourceLocation) throws -> [[String: Any]] {
        try lines.map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(object as? [String: Any], sourceLocation: sourceLocation)
        }
    }
}

/// A process of the tool.
final class RunningTool: Sendable {
    // Its folder must live as long as it runs.
    private let workshop: Workshop
    private let process: ChildProcess
    private let output: URL
    private let errors: URL

    fileprivate init(
        _ arguments: [String], in workshop: Workshop, cache: String,
        streams: (input: FileHandle, output: FileHandle?, errors: FileHandle?)
    ) throws {
        self.workshop = workshop
        let (folder, name) = (workshop.folder, UUID().uuidString)
        output = folder.appending(path: "out-\(name)")
        errors = folder.appending(path: "err-\(name)")
        let environment = ProcessInfo.processInfo.environment.merging(
            ["XDG_CACHE_HOME": cache, "HOME": folder.path(percentEncoded: false), "TERM": "xterm"]) { $1 }
        let handles = try [
            streams.input, streams.output ?? Self.newFile(output), streams.errors ?? Self.newFile(errors),
        ]
        process = try withExtendedLifetime(handles) {
            try ChildProcess(
                Workshop.tool.path(percentEncoded: false), arguments, in: folder.path(percentEncoded: false),
                environment: environment,
                streams: .init(
                    input: handles[0].fileDescriptor, output: handles[1].fileDescriptor,
                    errors: handles[2].fileDescriptor))
        }
    }

    private static func newFile(_ url: URL) throws -> FileHandle {
        try Data().write(to: url)
        return try FileHandle(forWritingTo: url)
    }

    func interrupt() { process.send(SIGINT) }

    /// Ends it without a chance to clean up.
    func kill() { process.send(SIGKILL) }

    /// Returns once so many have come to a gate, or it has ended: then nobody may come any more.
    func waitForArrivals(_ count: Int, at gate: Gate) async {
        let either = Gate()
        Task {
            await gate.waitForArrivals(count)
            either.open()
        }
        Task { [process] in
            _ = try? await process.end()
            either.open()
        }
        await either.wait()
    }

    /// What it left, once it has ended.
    func result() async throws -> ToolResult {
        let end = try await process.end()
        let bytes = (try? Data(contentsOf: output)) ?? Data()
        return ToolResult(
            end: end, output: String(decoding: bytes, as: UTF8.self), outputBytes: bytes,
            errors: String(decoding: (try? Data(contentsOf: errors)) ?? Data(), as: UTF8.self))
    }
}
