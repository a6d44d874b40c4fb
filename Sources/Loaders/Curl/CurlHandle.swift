import CWebImageCurl
import WebImageCore

/// An easy handle of libcurl's, and the memory that it points to; used for one exchange after the other.
///
/// Nothing that is set for one exchange may reach another. A handle is reset before it gets the options of a kind of
/// requests, which then stand; a request that wants anything more takes the kind away (`prepare`).
///
/// Only the transport's thread touches it.
@safe final class CurlHandle {
    let easy: UnsafeMutableRawPointer
    /// What the handle is used for; `nil` between two exchanges.
    private(set) var transfer: CurlTransfer?
    /// Of which requests the options stand in it, and nothing else; `nil` where it must be reset.
    private(set) var kind: Kind?
    private let errorText: UnsafeMutablePointer<CChar>
    private var headerLines: UnsafeMutablePointer<curl_slist>?
    /// What the lines were made from; `nil` while there are none.
    private var lineSource: LineSource?

    /// The last address that was asked for: mostly it is the next one too.
    private var lastAddress: (text: String, address: IPAddress?)?

    /// What requests have alike that want nothing special.
    struct Kind: Equatable {
        var isSecure: Bool
    }

    init?() {
        guard let easy = unsafe curl_easy_init() else { return nil }
        unsafe self.easy = easy
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        unsafe curl_easy_cleanup(easy)
        unsafe curl_slist_free_all(headerLines)
        unsafe errorText.deallocate()
    }

    /// Sets everything up for one exchange.
    func prepare(for transfer: CurlTransfer, _ configuration: CurlTransport.Configuration) throws(ImageError) {
        let request = transfer.request
        let kind = try Kind(request.url, transfer.origin)
        let isPlain = transfer.isPlain
        if !isPlain || self.kind != kind {
            reset()
            setOptions(of: kind, configuration)
            if isPlain { self.kind = kind } else { try setSpecialOptions(of: transfer) }
        }
        self.transfer = transfer
        setOptions(of: transfer, configuration)
        try setHeaderLines(LineSource(request))
    }

    /// Forgets everything that was set; what it shares with others (connections, names, TLS sessions) is the multi
    /// handle's.
    private func reset() {
        kind = nil
        // A reset leaves the share in place.
        unsafe cwebimage_curl_set_pointer(easy, CURLOPT_SHARE, nil)
        unsafe curl_easy_reset(easy)
        setReceiver()
    }

    /// Forgets the last exchange, once the handle is out of the multi handle.
    ///
    /// - Parameter wentWell: Else nothing that was set stands: what libcurl remembers of a failure is its own affair.
    func clear(wentWell: Bool) {
        transfer = nil
        unsafe errorText[0] = 0
        if !wentWell || kind == nil { reset() }
    }

    /// The exchange that a handle of libcurl's is used for.
    static func transfer(of easy: UnsafeMutableRawPointer?) -> CurlTransfer? {
        unsafe transfer(in: cwebimage_curl_get_private(easy))
    }

    /// - Parameter context: What `setReceiver` has libcurl hand to our functions.
    fileprivate static func transfer(in context: UnsafeMutableRawPointer?) -> CurlTransfer? {
        guard let context = unsafe context else { return nil }
        return unsafe Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue().transfer
    }

    /// What libcurl says about the last failure; empty where it says nothing.
    var detail: String { unsafe String(cString: errorText) }

    var isMultiplexed: Bool {
        unsafe cwebimage_curl_get_long(easy, CURLINFO_HTTP_VERSION) >= Int(CURL_HTTP_VERSION_2_0)
    }

    /// The address that libcurl spells so.
    func address(_ text: String) -> IPAddress? {
        if let lastAddress, lastAddress.text == text { return lastAddress.address }
        let address = IPAddress(text)
        lastAddress = (text, address)
        return address
    }

    func set(_ option: CURLoption, _ value: Int) {
        unsafe cwebimage_curl_set_long(easy, option, value)
    }

    /// libcurl copies the text.
    func set(_ option: CURLoption, _ value: String) {
        unsafe cwebimage_curl_set_string(easy, option, value)
    }

    /// Sends these lines, those of the last request again where they are the same; libcurl uses the memory until others
    /// are set.
    private func setHeaderLines(_ source: LineSource) throws(ImageError) {
        if lineSource != source { try makeHeaderLines(source) }
        unsafe cwebimage_curl_set_pointer(easy, CURLOPT_HTTPHEADER, headerLines)
    }

    private func makeHeaderLines(_ source: LineSource) throws(ImageError) {
        lineSource = nil
        unsafe cwebimage_curl_set_pointer(easy, CURLOPT_HTTPHEADER, nil)
        unsafe curl_slist_free_all(headerLines)
        unsafe headerLines = nil
        for line in try source.lines() {
            guard let longer = unsafe curl_slist_append(headerLines, line) else { throw CurlFault.noMemory }
            unsafe headerLines = longer
        }
        lineSource = source
    }

    /// Has libcurl tell this handle's exchange.
    private func setReceiver() {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe cwebimage_curl_set_pointer(easy, CURLOPT_PRIVATE, context)
        unsafe cwebimage_curl_set_pointer(easy, CURLOPT_WRITEDATA, context)
        unsafe cwebimage_curl_set_pointer(easy, CURLOPT_HEADERDATA, context)
        unsafe cwebimage_curl_set_pointer(easy, CURLOPT_PREREQDATA, context)
        unsafe cwebimage_curl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, context)
        unsafe cwebimage_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
        unsafe cwebimage_curl_set_write(easy, CURLOPT_WRITEFUNCTION, receiveBody)
        unsafe cwebimage_curl_set_write(easy, CURLOPT_HEADERFUNCTION, receiveLine)
        unsafe cwebimage_curl_set_before_request(easy, beforeRequest)
        unsafe cwebimage_curl_set_open_socket(easy, openSocket)
    }
}

/// `count` goes on; libcurl keeps what it is told to pause with, and any other answer stops it.
private func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes = unsafe bytes, let transfer = unsafe CurlHandle.transfer(in: context) else { return 0 }
    let body = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
    // libcurl may call with no bytes for an empty body; 0 is then the right answer anyway.
    guard count > 0 else { return 0 }
    return switch unsafe transfer.didReceive(body: body) {
    case .goOn: count
    case .pause: Int(CURL_WRITEFUNC_PAUSE)
    case .stop: 0
    }
}

private func receiveLine(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes = unsafe bytes, let transfer = unsafe CurlHandle.transfer(in: context) else { return 0 }
    let line = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
    return unsafe transfer.didReceive(line: line) ? count : 0
}

/// Called once the connection stands, new or used again, just before the request goes out.
private func beforeRequest(
    _ context: UnsafeMutableRawPointer?, _ remoteAddress: UnsafeMutablePointer<CChar>?,
    _ localAddress: UnsafeMutablePointer<CChar>?, _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
    guard let transfer = unsafe CurlHandle.transfer(in: context) else { return CURL_PREREQFUNC_ABORT }
    // Most exchanges are not guarded and need no address.
    let isAllowed = transfer.willSend { unsafe remoteAddress.flatMap { unsafe IPAddress(String(cString: $0)) } }
    return isAllowed ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

/// Called before a connection to each address that the host's name has, until one stands.
private func openSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let transfer = unsafe CurlHandle.transfer(in: context), let address = unsafe address else {
        return CURL_SOCKET_BAD
    }
    guard !transfer.isGuarded || transfer.mayConnect(to: unsafe IPAddress(address)) else { return CURL_SOCKET_BAD }
    var lacksDescriptors: Int32 = 0
    let socket = unsafe cwebimage_curl_open_socket(address, &lacksDescriptors)
    transfer.didOpenSocket(lacksDescriptors: lacksDescriptors != 0)
    return socket
}

extension IPAddress {
    fileprivate init?(_ address: UnsafeMutablePointer<curl_sockaddr>) {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = unsafe cwebimage_curl_address_bytes(address, &bytes)
        self.init(bytes: Array(bytes.prefix(count)))
    }
}
