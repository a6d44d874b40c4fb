import CWebImageCurl
import Synchronization
import WebImageCore

/// One exchange: its request, what has arrived, and whom to tell.
///
/// `@unchecked Sendable`: the `var`s belong to the transport's thread from the moment `start` posts the exchange to it;
/// other threads only read the `let`s and set the atomic flag.
@safe final class CurlTransfer: HTTPTransfer, @unchecked Sendable {
    let request: HTTPRequest
    private let inbox: CurlInbox
    private let cancellation = Atomic(false)

    private var receiver: (any HTTPReceiver)?
    private var handle: CurlHandle?
    /// The place in the engine's list.
    private var place = 0
    private var head = HeadParser()
    private var bodyByteCount = 0
    /// Why our own callback stopped libcurl.
    private var refusal: String?

    private let timeout: Duration?
    /// Whether the request has gone out; before that the connect timeout rules, and none in libcurl's queue.
    private var isSent = false
    /// Whether something happened since the last look of the `SilenceWatch`.
    private var hasNews = true
    private var silence = Duration.zero

    init(_ request: HTTPRequest, receiver: any HTTPReceiver, inbox: CurlInbox) {
        self.request = request
        self.receiver = receiver
        self.inbox = inbox
        // A billion seconds: a bound within what `Duration` holds.
        timeout = request.hasTimeout ? .seconds(min(request.timeout, 1e9)) : nil
    }

    var isCancelled: Bool { cancellation.load(ordering: .acquiring) }

    func cancel() {
        guard !cancellation.exchange(true, ordering: .acquiringAndReleasing) else { return }
        _ = inbox.post(.cancel(self))
    }

    // MARK: On the transport's thread

    func begin(with handle: CurlHandle, at place: Int) {
        self.handle = handle
        self.place = place
    }

    func move(to place: Int) {
        self.place = place
    }

    /// Gives the handle and the place back, once.
    func detach() -> (CurlHandle, Int)? {
        guard let handle else { return nil }
        self.handle = nil
        return (handle, place)
    }

    /// Tells the end, once; a cancellation that came before wins.
    func finish(_ error: ImageError?) {
        guard let receiver else { return }
        self.receiver = nil
        receiver.didFinish(isCancelled ? .cancelled(.load) : error)
    }

    func isSilent(for elapsed: Duration) -> Bool {
        guard let timeout, isSent else { return false }
        if hasNews {
            hasNews = false
            silence = .zero
            return false
        }
        silence += elapsed
        return silence >= timeout
    }

    func didSend() {
        isSent = true
        hasNews = true
    }

    /// Whether libcurl may go on.
    func didReceive(line: UnsafeRawBufferPointer) -> Bool {
        hasNews = true
        guard !isCancelled else { return false }
        switch unsafe head.read(line) {
        case .more: return true
        case .refused(let reason):
            refusal = reason
            return false
        case .complete:
            receiver?.didReceive(response())
            return !isCancelled
        }
    }

    /// Whether libcurl may go on.
    func didReceive(body: UnsafeRawBufferPointer) -> Bool {
        hasNews = true
        guard !isCancelled, head.isComplete else { return false }
        bodyByteCount &+= body.count
        unsafe receiver?.didReceive(body)
        return !isCancelled
    }

    /// What libcurl's verdict means; asked before the handle is given back.
    func outcome(of code: CURLcode) -> ImageError? {
        if let refusal { return CurlFault.refused(refusal, request) }
        guard code == CURLE_OK else {
            return CurlFault(code: code, detail: handle?.detail ?? "", bodyByteCount: bodyByteCount, request: request)
                .error
        }
        guard head.isComplete else { return CurlFault.refused("closed the connection without an answer", request) }
        // libcurl calls a compressed stream that breaks off a success; here nothing of it could be decoded.
        let isHollow = bodyByteCount == 0 && head.isEncoded && (handle?.receivedByteCount ?? 0) > 0
        return isHollow ? CurlFault.hollowBody(request) : nil
    }

    private func response() -> HTTPResponse {
        HTTPResponse(
            url: request.url, statusCode: head.statusCode, headers: head.headers,
            version: handle?.isMultiplexed == true ? .multiplexed : .http1,
            expectedByteCount: request.method == "HEAD" ? nil : head.expectedByteCount)
    }
}

extension HTTPRequest {
    var hasTimeout: Bool { timeout > 0 && timeout.isFinite }
}
