import Foundation
import Synchronization
import WebImageCore
import WebImageCurl
import WebImageTesting

/// A receiver that keeps what it is told, and says when it is told the end.
final class Recorder: HTTPReceiver {
    struct Log: Sendable {
        var responses: [HTTPResponse] = []
        var body = Data()
        var partCount = 0
        var ends: [ImageError?] = []
        /// Calls that came out of order.
        var violations: [String] = []
        var threads: Set<ObjectIdentifier> = []

        var error: ImageError? { ends.first ?? nil }
        var response: HTTPResponse? { responses.first }
    }

    /// What a receiver is told; closures run in the call itself.
    enum Event: Equatable {
        case head
        case part
        case end
    }

    private let state = Mutex(Log())
    private let ended = Gate()
    private let onEvent: @Sendable (Event) -> Void

    init(onEvent: @escaping @Sendable (Event) -> Void = { _ in }) {
        self.onEvent = onEvent
    }

    var log: Log { state.withLock { $0 } }

    func didReceive(_ response: HTTPResponse) {
        note { log in
            if !log.responses.isEmpty { log.violations.append("second head") }
            log.responses.append(response)
        }
        onEvent(.head)
    }

    func didReceive(_ bytes: UnsafeRawBufferPointer) {
        let part = Data(bytes)
        note { log in
            if log.responses.isEmpty { log.violations.append("body before head") }
            if part.isEmpty { log.violations.append("empty part") }
            log.body.append(part)
            log.partCount += 1
        }
        onEvent(.part)
    }

    func didFinish(_ error: ImageError?) {
        note { $0.ends.append(error) }
        onEvent(.end)
        ended.open()
    }

    /// The log once the end was told.
    func finished() async -> Log {
        await ended.wait()
        return log
    }

    private func note(_ change: (inout Log) -> Void) {
        let thread = ObjectIdentifier(Thread.current)
        state.withLock { log in
            if !log.ends.isEmpty { log.violations.append("call after the end") }
            log.threads.insert(thread)
            change(&log)
        }
    }
}

/// A place for what is known only after a closure that needs it was made.
final class Box<Value: Sendable>: Sendable {
    private let state = Mutex<Value?>(nil)

    var value: Value? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

extension HTTPRequest {
    /// One that a test may hold back for long: among a thousand others on a slow machine its turn comes late.
    static func patient(_ url: URL) -> HTTPRequest { HTTPRequest(url: url, timeout: 3600) }
}

extension CurlTransport.Configuration {
    /// For tests that time must not decide, however slow the machine is.
    static var patient: CurlTransport.Configuration {
        var configuration = CurlTransport.Configuration()
        configuration.connectTimeout = 3600
        configuration.idleConnectionTimeout = 86_400
        return configuration
    }
}

extension HTTPTransport {
    /// One exchange from start to end.
    func fetch(_ request: HTTPRequest) async -> Recorder.Log {
        let recorder = Recorder()
        _ = start(request, receiver: recorder)
        return await recorder.finished()
    }

    /// An exchange that is held back when the first part of its body has come.
    func startAndPause(_ request: HTTPRequest) async -> (transfer: any HTTPTransfer, recorder: Recorder) {
        let (started, ready, paused) = (Box<any HTTPTransfer>(), Gate(), Gate())
        let recorder = Recorder { event in
            // An end that comes too early fails the test, and does not keep it waiting.
            if event == .end { paused.open() }
            guard event == .part, !paused.isOpen else { return }
            ready.waitBlocking()
            started.value?.pause()
            paused.open()
        }
        let transfer = start(request, receiver: recorder)
        started.value = transfer
        ready.open()
        await paused.wait()
        return (transfer, recorder)
    }

    func fetch(_ url: URL) async -> Recorder.Log {
        await fetch(.patient(url))
    }
}
