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
        try await report(path, String(descriptorCount))
    }

    private func report(_ path: String, _ state: String) async throws -> String {
        let output = try ChildPipe()
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "ResumeWorker")
        let process = try ChildProcess(
            program.path(percentEncoded: false), ["-", path, state],
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

    @Test("A server that refuses is said to, however few descriptors are left besides the connection's")
    func refused() async throws {
        // Nobody listens there, and nobody else can.
        let (socket, port) = try bound()
        defer { close(socket) }
        for count in 5...9 {
            let said = try await report("http://127.0.0.1:\(port)/a.png", descriptorCount: count)
            #expect(said.contains("nothing answers at 127.0.0.1:\(port)"), "\(count): \(said)")
        }
    }

    /// A socket that has a port, and the port.
    private func bound() throws -> (socket: Int32, port: Int) {
        let bound = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let hasPort = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(bound, generic, length) == 0 && getsockname(bound, generic, &length) == 0
            }
        }
        try #require(hasPort)
        return (bound, Int(UInt16(bigEndian: address.sin_port)))
    }

    @Test("Where the system does not tell which sockets have news, exchanges go on, without a busy loop")
    func blind() async throws {
        let gate = Gate()
        server.script("/silent.png", .picture().held(by: gate, after: 100))
        let said = try await report(server.url("/silent.png").absoluteString, "blind").split(separator: "\n")
        #expect(said.first?.contains("sent nothing for 1.0 seconds") == true, "\(said)")
        // Of about a second.
        let milliseconds = try #require(said.last.flatMap { Int($0) })
        #expect(milliseconds < 200)
        gate.open()
    }
}
