#if canImport(Glibc)
import CWebImageSpawn
import Dispatch
import Glibc
import Synchronization

/// A program that a test runs beside itself; one that has not ended after twenty minutes is killed.
///
/// Foundation's `Process` hands to a child whatever other threads open at that very moment, learns of its end only when
/// nobody holds a certain descriptor any more, and is waited for on the caller's thread. With many tests at once two of
/// them can so wait for each other for ever. Here a child has its three streams and nothing else, and a thread of its
/// own waits for it.
package final class ChildProcess: Sendable {
    /// How a process ended.
    package enum End: Sendable, Hashable {
        case exited(Int32)
        case killed(bySignal: Int32)
    }

    /// What a child reads and writes, as descriptors of this process that it gets copies of; `nil` is the null device.
    package struct Streams: Sendable {
        package var input: Int32?
        package var output: Int32?
        package var errors: Int32?

        package init(input: Int32? = nil, output: Int32? = nil, errors: Int32? = nil) {
            self.input = input
            self.output = output
            self.errors = errors
        }
    }

    /// Why there is no child, or no end of it.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    private struct State {
        /// The system may give a number to another process once the end was asked for.
        var isReaped = false
        var isOverdue = false
        var end: End?
    }

    private let number: pid_t
    private let command: String
    private let state = Mutex(State())
    private let ended = Gate()
    private let longestRun: Duration

    private static let deadlines = DispatchQueue(label: "webimage.testing.deadlines")

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - folder: Where it runs; `nil` is where this process does.
    ///   - environment: All of its variables; `nil` are those of this process.
    ///   - longestRun: When it is killed, in whole seconds.
    package init(
        _ program: String, _ arguments: [String], in folder: String? = nil, environment: [String: String]? = nil,
        streams: Streams = Streams(), longestRun: Duration = .seconds(20 * 60)
    ) throws(Fault) {
        self.longestRun = longestRun
        let words = [program] + arguments
        command = words.joined(separator: " ")
        var child = ChildDescription()
        child.setStreams(streams)
        if let folder { child.setFolder(folder) }
        number = try child.start(words, environment.map { $0.map { "\($0)=\($1)" } })
        TestThread.start { self.waitForEnd() }
        let deadline = DispatchTime.now() + .seconds(Int(longestRun.components.seconds))
        Self.deadlines.asyncAfter(deadline: deadline) { [weak self] in self?.giveUp() }
    }

    /// Sends a signal, unless it has ended.
    package func send(_ signal: Int32) {
        state.withLock { state in
            if !state.isReaped { _ = Glibc.kill(number, signal) }
        }
    }

    /// How it ended, once it has.
    ///
    /// - Throws: What did not end, when it had to be killed for that.
    @discardableResult
    package func end() async throws(Fault) -> End {
        await ended.wait()
        return try outcome()
    }

    /// The same, for threads that nobody else needs and for programs that end soon by themselves.
    @discardableResult
    package func waitForEndBlocking() throws(Fault) -> End {
        ended.waitBlocking()
        return try outcome()
    }

    private func outcome() throws(Fault) -> End {
        let (end, isOverdue) = state.withLock { ($0.end, $0.isOverdue) }
        guard let end, !isOverdue else {
            throw Fault(description: "killed, for it had not ended after \(longestRun): \(command)")
        }
        return end
    }

    private func waitForEnd() {
        var information = siginfo_t()
        // It stays known to the system until nobody can be about to send it a signal.
        while waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        state.withLock { state in
            var status: Int32 = 0
            while waitpid(number, &status, 0) == -1, errno == EINTR {}
            let signal = status & 0x7F
            state.end = signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(bySignal: signal)
            state.isReaped = true
        }
        ended.open()
    }

    private func giveUp() {
        state.withLock { state in
            guard !state.isReaped else { return }
            state.isOverdue = true
            _ = Glibc.kill(number, SIGKILL)
        }
    }
}

/// What `posix_spawn` is told of a child.
private struct ChildDescription: ~Copyable {
    private var actions = posix_spawn_file_actions_t()
    private var attributes = posix_spawnattr_t()

    init() {
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        // Threads of Dispatch block signals, and a test may have one ignored: a child would do so as well.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    }

    deinit {
        var (actions, attributes) = (actions, attributes)
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
    }

    mutating func setFolder(_ folder: String) {
        posix_spawn_file_actions_addchdir_np(&actions, folder)
    }

    mutating func setStreams(_ streams: ChildProcess.Streams) {
        for (number, own) in [streams.input, streams.output, streams.errors].enumerated() {
            if let own {
                posix_spawn_file_actions_adddup2(&actions, own, Int32(number))
            } else {
                posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0)
            }
        }
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
    }

    mutating func start(_ words: [String], _ environment: [String]?) throws(ChildProcess.Fault) -> pid_t {
        let arguments = words.map { strdup($0) } + [nil]
        let variables = environment.map { $0.map { strdup($0) } + [nil] }
        defer { for text in arguments + (variables ?? []) { free(text) } }
        var number = pid_t()
        let fault = posix_spawn(&number, words[0], &actions, &attributes, arguments, variables ?? Self.ownVariables())
        guard fault == 0 else {
            throw ChildProcess.Fault(description: "cannot run \(words[0]): \(String(cString: strerror(fault)))")
        }
        return number
    }

    /// `environ` as it is now, ended by `nil`.
    private static func ownVariables() -> [UnsafeMutablePointer<CChar>?] {
        var variables: [UnsafeMutablePointer<CChar>?] = []
        var next = environ
        while let text = next.pointee {
            variables.append(text)
            next += 1
        }
        return variables + [nil]
    }
}
#endif
