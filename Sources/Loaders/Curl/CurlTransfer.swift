import CWebImageCurl
import Synchronization
import WebImageCore
import WebImageFoundation

/// One exchange: its request, what has arrived, and whom to tell.
///
/// `@unchecked Sendable`: the `var`s belong to the transport's thread from the moment `start` posts the exchange to it;
/// other threads only read the `let`s and set the atomic flags.
@safe final class CurlTransfer: HTTPTransfer, @unchecked Sendable {
    let request: HTTPRequest
    let origin: Origin
    /// Whether the request needs no more options than those of its kind. It is special for whatever else a request may
    /// have, and for a URL that may name a user.
    let isPlain: Bool
    private let inbox: CurlInbox
    private let cancellation = Atomic(false)
    private let isPaused = Atomic(false)
    private let priority = Atomic(LoadPriority.normal.rawValue)

    private var receiver: (any HTTPReceiver)?
    private var handle: CurlHandle?
    /// The place in the engine's list.
    private var place = 0
    private var head: HeadParser
    private var contentEncoding = ContentEncoding.identity
    /// There once the first bytes of a compressed body are.
    private var decoder: ContentDecoder?
    private var bodyByteCount = 0
    /// Why our own callback stopped libcurl.
    private var refusal: String?
    /// The last address that the request's policy did not allow.
    private var refusedAddress: IPAddress?
    /// Whether there was no descriptor for the last socket that libcurl wanted.
    private var lacksDescriptors = false

    private let timeout: Duration?
    /// Whether the request has gone out; before that the connect timeout rules, and none in libcurl's queue.
    private var isSent = false
    /// Whether something happened since the last look of the `SilenceWatch`.
    private var hasNews = true
    private var silence = Duration.zero

    init(_ request: HTTPRequest, receiver: any HTTPReceiver, inbox: CurlInbox) {
        head = HeadParser(inbox.configuration)
        self.request = request
        let plainOrigin = Origin(plain: request.url.absoluteString)
        origin = plainOrigin ?? Origin(request.url)
        isPlain = plainOrigin != nil && request.isPlain
        self.receiver = receiver
        self.inbox = inbox
        // A billion seconds: a bound within what `Duration` holds.
        timeout = request.hasTimeout ? .seconds(min(request.timeout, 1e9)) : nil
    }

    var isSecure: Bool { origin.scheme == "https" }

    var isCancelled: Bool { cancellation.load(ordering: .acquiring) }

    func cancel() {
        guard !cancellation.exchange(true, ordering: .acquiringAndReleasing) else { return }
        _ = inbox.post(.cancel(self))
    }

    func pause() {
        isPaused.store(true, ordering: .releasing)
    }

    func resume() {
        guard isPaused.exchange(false, ordering: .acquiringAndReleasing) else { return }
        _ = inbox.post(.adjust(self))
    }

    func setPriority(_ priority: LoadPriority) {
        guard self.priority.exchange(priority.rawValue, ordering: .acquiringAndReleasing) != priority.rawValue else {
            return
        }
        _ = inbox.post(.adjust(self))
    }

    /// HTTP/2's weight, 1 to 256; 16 is the default.
    var streamWeight: Int {
        switch LoadPriority(rawValue: priority.load(ordering: .acquiring)) {
        case .low: 1
        case .high: 256
        default: 16
        }
    }

    // MARK: On the transport's thread

    /// Lets libcurl know what has changed; it may receive in here, and what came of that is returned.
    func adjust() -> CURLcode {
        guard let handle else { return CURLE_OK }
        handle.set(CURLOPT_STREAM_WEIGHT, streamWeight)
        guard !isPaused.load(ordering: .acquiring) else { return CURLE_OK }
        let code = unsafe curl_easy_pause(handle.easy, CURLPAUSE_CONT)
        // Before there is a connection nothing is held back; libcurl calls that a bad argument.
        return code == CURLE_BAD_FUNCTION_ARGUMENT ? CURLE_OK : code
    }

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
        if hasNews || isPaused.load(ordering: .acquiring) {
            hasNews = false
            silence = .zero
            return false
        }
        silence += elapsed
        return silence >= timeout
    }

    /// Whether addresses are to be checked: those of a proxy that the program itself names are not.
    var isGuarded: Bool {
        !request.addressPolicy.allowsAll && request.proxy.reachesStraight(request.url.host() ?? "")
    }

    func mayConnect(to address: IPAddress?) -> Bool {
        if let address, request.addressPolicy.allows(address) { return true }
        refusedAddress = address
        return false
    }

    func didOpenSocket(lacksDescriptors: Bool) {
        self.lacksDescriptors = lacksDescriptors
    }

    /// The connection stands, new or used again; whether the request may go out on it.
    func willSend(to address: () -> IPAddress?) -> Bool {
        guard !isGuarded || mayConnect(to: address()) else { return false }
        didSend()
        return true
    }

    func didSend() {
        lacksDescriptors = false
        isSent = true
        hasNews = true
    }

    func tell(_ metrics: TransferMetrics) {
        receiver?.didMeasure(metrics)
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
            contentEncoding = head.contentEncoding
            receiver?.didReceive(response())
            return !isCancelled
        }
    }

    enum Answer {
        case goOn
        /// libcurl keeps the bytes and tells them again.
        case pause
        case stop
    }

    func didReceive(body: UnsafeRawBufferPointer) -> Answer {
        hasNews = true
        guard !isCancelled, head.isComplete else { return .stop }
        guard !isPaused.load(ordering: .acquiring) else { return .pause }
        unsafe decode(body)
        return isCancelled || refusal != nil ? .stop : .goOn
    }

    private func decode(_ body: UnsafeRawBufferPointer) {
        let encoding = contentEncoding
        guard encoding != .identity else { return unsafe tell(body) }
        guard let decoder = decoder ?? ContentDecoder(encoding, firstByte: unsafe body[0]) else {
            refusal = "sent a body in an encoding that was not asked for, \"\(encoding)\""
            return
        }
        self.decoder = decoder
        let isSound = unsafe decoder.decode(body) { part in
            unsafe tell(part)
            return !isCancelled
        }
        if !isSound { refusal = "sent a body that is not \(encoding) as its Content-Encoding says, or is damaged" }
    }

    private func tell(_ body: UnsafeRawBufferPointer) {
        bodyByteCount &+= body.count
        unsafe receiver?.didReceive(body)
    }

    /// What libcurl's verdict means; asked before the handle is given back.
    func outcome(of code: CURLcode) -> ImageError? {
        if let refusal { return CurlFault.refused(refusal, request) }
        guard code == CURLE_OK else {
            if let refusedAddress { return .addressRefused(refusedAddress) }
            if lacksDescriptors || CurlFault.isForWantOfDescriptors(code) { return CurlFault.noDescriptors }
            return CurlFault(code: code, detail: handle?.detail ?? "", bodyByteCount: bodyByteCount, request: request)
                .error
        }
        guard head.isComplete else { return CurlFault.refused("closed the connection without an answer", request) }
        return decoder?.isComplete ?? true ? nil : CurlFault.brokenOff(request, after: bodyByteCount)
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
