import Dispatch
import Foundation
import Synchronization
import WebImageCore

/// A transport whose exchanges a test answers by hand.
final class HandTransport: HTTPTransport {
    final class Exchange: HTTPTransfer {
        let request: HTTPRequest
        /// Let go of at the end, as by a real transport.
        private let receiver: Mutex<(any HTTPReceiver)?>
        private let cancelled = Mutex(false)
        private let pauses = Mutex<[Bool]>([])
        private let priorities = Mutex<[LoadPriority]>([])

        init(_ request: HTTPRequest, _ receiver: any HTTPReceiver) {
            self.request = request
            self.receiver = Mutex(receiver)
        }

        var isCancelled: Bool { cancelled.withLock { $0 } }
        func cancel() { cancelled.withLock { $0 = true } }
        /// `true` for each pause, `false` for each going on.
        var pauseLog: [Bool] { pauses.withLock { $0 } }
        func pause() { pauses.withLock { $0.append(true) } }
        func resume() { pauses.withLock { $0.append(false) } }
        var priorityLog: [LoadPriority] { priorities.withLock { $0 } }
        func setPriority(_ priority: LoadPriority) { priorities.withLock { $0.append(priority) } }

        /// An answer, on another thread; returns when the receiver has heard it.
        func answer(_ status: Int = 200, _ headers: HTTPHeaders = HTTPHeaders(), body: Data = Data()) {
            head(status, headers, byteCount: body.count)
            if !body.isEmpty { send(body) }
            end()
        }

        func head(_ status: Int = 200, _ headers: HTTPHeaders = HTTPHeaders(), byteCount: Int?) {
            let response = HTTPResponse(
                url: request.url, statusCode: status, headers: headers, expectedByteCount: byteCount)
            elsewhere { $0?.didReceive(response) }
        }

        func send(_ body: Data) {
            elsewhere { receiver in body.withUnsafeBytes { receiver?.didReceive($0) } }
        }

        func end(_ error: ImageError? = nil) {
            elsewhere { $0?.didFinish(error) }
            receiver.withLock { $0 = nil }
        }

        private func elsewhere(_ work: @escaping @Sendable ((any HTTPReceiver)?) -> Void) {
            let done = DispatchSemaphore(value: 0)
            let receiver = receiver.withLock { $0 }
            // A thread of its own, for this one may be of those that queues share, and waits.
            Thread {
                work(receiver)
                done.signal()
            }.start()
            done.wait()
        }
    }

    private let started = Mutex<[Exchange]>([])
    private let onStart: @Sendable (Exchange) -> Void
    private let nextStart = Mutex<(@Sendable () -> Void)?>(nil)

    /// - Parameter onStart: Called before the start of an exchange returns.
    init(onStart: @escaping @Sendable (Exchange) -> Void = { _ in }) {
        self.onStart = onStart
    }

    /// Called once, when the next exchange has been noted.
    var onNextStart: (@Sendable () -> Void)? {
        get { nextStart.withLock { $0 } }
        set { nextStart.withLock { $0 = newValue } }
    }

    var exchanges: [Exchange] { started.withLock { $0 } }

    func start(_ request: HTTPRequest, receiver: any HTTPReceiver) -> any HTTPTransfer {
        let exchange = Exchange(request, receiver)
        started.withLock { $0.append(exchange) }
        onStart(exchange)
        nextStart.withLock { $0.take() }?()
        return exchange
    }
}

extension DownloaderConfiguration {
    /// For tests that time must not decide, however slow the machine is.
    static var patient: DownloaderConfiguration {
        var configuration = DownloaderConfiguration()
        configuration.minimumByteRate = 0
        return configuration
    }
}
