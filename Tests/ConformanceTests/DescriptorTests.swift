import Foundation
import Testing
import WebImage
import WebImageTesting

@Suite("A process without file descriptors", .timeLimit(.minutes(20)))
struct DescriptorTests {
    private let server: ScriptedHTTPServer

    init() throws {
        server = try ScriptedHTTPServer()
        server.script("/a.png", .picture())
    }

    /// What a process says that has so many descriptors left for a download.
    private func report(_ path: String, descriptorCount: Int) async throws -> String {
        let output = try ChildPipe()
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "ResumeWorker")
        let process = try ChildProcess(
            program.path(percentEncoded: false), ["-", path, String(descriptorCount)],
            streams: .init(output: output.writing))
        output.closeWriting()
        #expect(try await process.end() == .exited(0))
        _ = await output.wait { _ in false }
        return output.text
    }

    @Test("It says so and what to do, and blames neither the server nor the network")
    func saysSo() async throws {
        let (url, whole) = (server.url("/a.png").absoluteString, "\(TestPictures.red.count)\n")
        for count in 0...12 {
            let said = try await report(url, descriptorCount: count)
            let isHonest = said.contains("this process has no file descriptors left") && said.contains("ulimit")
            // Four are for waking the transport's thread, and one is the connection.
            #expect(count < 5 ? isHonest : count > 8 ? said == whole : isHonest || said == whole, "\(count): \(said)")
        }
    }

    @Test("The name of a host cannot be looked up either, which is not said to have no address")
    func names() async throws {
        for count in 0...6 {
            let said = try await report("http://localhost:\(server.port)/a.png", descriptorCount: count)
            let isHonest = said.contains("this process has no file descriptors left")
            #expect(isHonest || count > 4 && said == "\(TestPictures.red.count)\n", "\(count): \(said)")
        }
    }
}
