#if canImport(Glibc)
import CWebImageSpawn
import Glibc
import Synchronization

/// What a child writes, read by a thread as it comes, so that the child never waits for a reader.
package final class ChildPipe: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isAtEnd = false
        var waiting: [(isEnough: @Sendable ([UInt8]) -> Bool, resume: @Sendable (Bool) -> Void)] = []

        /// Those who need not wait any longer, each with what it is told.
        mutating func takeReady() -> [@Sendable () -> Void] {
            var ready: [@Sendable () -> Void] = []
            waiting.removeAll { [bytes, isAtEnd] one in
                let isEnough = one.isEnough(bytes)
                guard isEnough || isAtEnd else { return false }
                ready.append { one.resume(isEnough) }
                return true
            }
            return ready
        }
    }

    /// For the child; `closeWriting` once it has a copy, or nothing ever ends.
    package let writing: Int32
    private let reading: Int32
    private let state = Mutex(State())

    /// A pipe, with a thread that reads until nobody can write any more.
    package init() throws(ChildProcess.Fault) {
        var ends: [Int32] = [-1, -1]
        guard pipe2(&ends, O_CLOEXEC) == 0 else { throw ChildProcess.Fault(description: "no pipe: error \(errno)") }
        (reading, writing) = (ends[0], ends[1])
        TestThread.start { self.read() }
    }

    /// Closes this process's own writing end. Once.
    package func closeWriting() {
        close(writing)
    }

    /// Whether nothing more can come.
    package var isAtEnd: Bool { state.withLock { $0.isAtEnd } }

    /// How many bytes have come.
    package var count: Int { state.withLock { $0.bytes.count } }

    /// All that has come, as text.
    package var text: String { String(decoding: state.withLock { $0.bytes }, as: UTF8.self) }

    /// Returns once what has come is enough, with `true`, or nothing more can come, with whether it is enough.
    package func wait(until isEnough: @escaping @Sendable ([UInt8]) -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            wait(until: isEnough) { continuation.resume(returning: $0) }
        }
    }

    /// The same on the calling thread, which nobody else may need.
    package func waitBlocking(until isEnough: @escaping @Sendable ([UInt8]) -> Bool) -> Bool {
        let gate = Gate()
        wait(until: isEnough) { _ in gate.open() }
        gate.waitBlocking()
        return state.withLock { isEnough($0.bytes) }
    }

    private func wait(
        until isEnough: @escaping @Sendable ([UInt8]) -> Bool, resume: @escaping @Sendable (Bool) -> Void
    ) {
        let ready = state.withLock { state in
            state.waiting.append((isEnough, resume))
            return state.takeReady()
        }
        for tell in ready { tell() }
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(reading, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            let ready = state.withLock { state in
                if count > 0 { state.bytes += buffer[..<count] } else { state.isAtEnd = true }
                return state.takeReady()
            }
            for tell in ready { tell() }
            guard count > 0 else { break }
        }
        close(reading)
    }
}
#endif
