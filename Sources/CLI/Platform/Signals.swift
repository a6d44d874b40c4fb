import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What the terminal, or whoever runs this process, has to say to it.
enum Signals {
    /// A socket or a pipe that nobody reads is then an error of the call that writes, and ends nothing by itself.
    static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Calls back, on a thread of the system, for each interrupt (Ctrl-C) and each request to end.
    ///
    /// - Returns: What watches; it ends when it is let go.
    static func watchEnding(_ body: @escaping @Sendable (_ number: Int32) -> Void) -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInteractive))
            source.setEventHandler { body(number) }
            source.resume()
            return source
        }
    }

    /// The status by which a shell tells that a signal ended a process.
    static func exitStatus(_ number: Int32) -> Int32 { 128 + number }

    static var brokenPipeStatus: Int32 { exitStatus(SIGPIPE) }

    /// Ends the process at once, with nothing more done by it.
    static func exitNow(_ status: Int32) -> Never {
        _exit(status)
    }
}
