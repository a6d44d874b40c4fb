import Foundation
import Testing
import WebImageTesting

@Suite(.timeLimit(.minutes(20))) struct ChildProcessTests {
    /// A shell, and what it prints.
    private func shell(
        _ script: String, in folder: String? = nil, environment: [String: String]? = nil, input: Int32? = nil
    ) throws -> (process: ChildProcess, output: ChildPipe) {
        let output = try ChildPipe()
        let process = try ChildProcess(
            "/bin/sh", ["-c", script], in: folder, environment: environment,
            streams: .init(input: input, output: output.writing))
        output.closeWriting()
        return (process, output)
    }

    private func allText(of output: ChildPipe) async -> String {
        _ = await output.wait { _ in false }
        return output.text
    }

    @Test func statusOutputFolderAndVariables() async throws {
        let (process, output) = try shell("pwd; echo $A; cat; exit 7", in: "/usr", environment: ["A": "b c"])
        #expect(try await process.end() == .exited(7))
        #expect(await allText(of: output) == "/usr\nb c\n")
    }

    @Test("its end is told by the signal that ended it, and signals sent afterwards go nowhere")
    func signals() async throws {
        // What it waits for never comes: this process keeps the writing end.
        let held = Pipe()
        defer { withExtendedLifetime(held) {} }
        let (process, output) = try shell("echo up; read line", input: held.fileHandleForReading.fileDescriptor)
        #expect(await output.wait { !$0.isEmpty })
        process.send(SIGKILL)
        #expect(try await process.end() == .killed(bySignal: SIGKILL))
        process.send(SIGKILL)
        #expect(try await process.end() == .killed(bySignal: SIGKILL))
    }

    @Test("threads that block signals have children that do not")
    func signalMask() async throws {
        let process = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try shell("kill -TERM $$; echo alive").process })
            }
        }
        #expect(try await process.end() == .killed(bySignal: SIGTERM))
    }

    @Test("a child has its three streams, whatever other threads open meanwhile")
    func descriptors() async throws {
        let isOver = Gate()
        Thread.detachNewThread {
            while !isOver.isOpen {
                // Ends of pipes that a program which is started would keep.
                var ends: [Int32] = [-1, -1]
                guard pipe(&ends) == 0 else { continue }
                for end in ends { close(end) }
            }
        }
        defer { isOver.open() }
        for _ in 0..<20 {
            // The fourth is the folder itself.
            let (_, output) = try shell("exec ls /proc/self/fd")
            #expect(await allText(of: output) == "0\n1\n2\n3\n")
        }
    }

    @Test func whatDoesNotEndIsKilledAndTold() async throws {
        let held = Pipe()
        defer { withExtendedLifetime(held) {} }
        let process = try ChildProcess(
            "/bin/cat", ["-"], streams: .init(input: held.fileHandleForReading.fileDescriptor), longestRun: .zero)
        let fault = await #expect(throws: ChildProcess.Fault.self) { try await process.end() }
        #expect(fault?.description == "killed, for it had not ended after 0.0 seconds: /bin/cat -")
    }

    @Test func noSuchProgram() {
        let fault = #expect(throws: ChildProcess.Fault.self) { try ChildProcess("/nowhere/at-all", []) }
        #expect(fault?.description == "cannot run /nowhere/at-all: No such file or directory")
    }
}
