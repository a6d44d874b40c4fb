import CWebImageCurl
import WebImageCore

/// An easy handle of libcurl's, and the memory that it points to; used for one exchange after the other.
///
/// Only the transport's thread touches it.
@safe final class CurlHandle {
    let easy: UnsafeMutableRawPointer
    private let errorText: UnsafeMutablePointer<CChar>
    private var headerLines: UnsafeMutablePointer<curl_slist>?
    /// What the lines were made from; `nil` while there are none.
    private var lineSource: LineSource?

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

    /// Forgets the last exchange; what it shares with others (connections, names, TLS sessions) is the multi handle's.
    func clear() {
        // A reset leaves the share in place.
        unsafe cwebimage_curl_set_pointer(easy, CURLOPT_SHARE, nil)
        unsafe curl_easy_reset(easy)
        unsafe errorText[0] = 0
    }

    /// What libcurl says about the last failure; empty where it says nothing.
    var detail: String { unsafe String(cString: errorText) }

    var isMultiplexed: Bool {
        unsafe cwebimage_curl_get_long(easy, CURLINFO_HTTP_VERSION) >= Int(CURL_HTTP_VERSION_2_0)
    }

    func set(_ option: CURLoption, _ value: Int) {
        unsafe cwebimage_curl_set_long(easy, option, value)
    }

    /// libcurl copies the text.
    func set(_ option: CURLoption, _ value: String) {
        unsafe cwebimage_curl_set_string(easy, option, value)
    }

    /// Sends these lines, those of the last request again where they are the same; libcurl uses the memory until
    /// `clear`.
    func setHeaderLines(_ source: LineSource) throws(ImageError) {
        if lineSource != source { try makeHeaderLines(source) }
        unsafe cwebimage_curl_set_pointer(easy, CURLOPT_HTTPHEADER, headerLines)
    }

    private func makeHeaderLines(_ source: LineSource) throws(ImageError) {
        lineSource = nil
        unsafe curl_slist_free_all(headerLines)
        unsafe headerLines = nil
        for line in try source.lines() {
            guard let longer = unsafe curl_slist_append(headerLines, line) else { throw CurlFault.noMemory }
            unsafe headerLines = longer
        }
        lineSource = source
    }

    /// Has libcurl tell the exchange, which must live until its handle is taken out of the multi handle.
    func setReceiver(_ transfer: CurlTransfer) {
        let context = unsafe Unmanaged.passUnretained(transfer).toOpaque()
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
    guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
    let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
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
    guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
    let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    let line = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
    return unsafe transfer.didReceive(line: line) ? count : 0
}

/// Called once the connection stands, new or used again, just before the request goes out.
private func beforeRequest(
    _ context: UnsafeMutableRawPointer?, _ remoteAddress: UnsafeMutablePointer<CChar>?,
    _ localAddress: UnsafeMutablePointer<CChar>?, _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
    guard let context = unsafe context else { return CURL_PREREQFUNC_ABORT }
    let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    // Most exchanges are not guarded and need no address.
    let isAllowed = transfer.willSend { unsafe remoteAddress.flatMap { unsafe IPAddress(String(cString: $0)) } }
    return isAllowed ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

/// Called before a connection to each address that the host's name has, until one stands.
private func openSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context = unsafe context, let address = unsafe address else { return CURL_SOCKET_BAD }
    let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    guard !transfer.isGuarded || transfer.mayConnect(to: unsafe IPAddress(address)) else { return CURL_SOCKET_BAD }
    var lacksDescriptors: Int32 = 0
    let socket = unsafe cwebimage_curl_open_socket(address, &lacksDescriptors)
    if lacksDescriptors != 0 { transfer.didLackDescriptors() }
    return socket
}

extension IPAddress {
    fileprivate init?(_ address: UnsafeMutablePointer<curl_sockaddr>) {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = unsafe cwebimage_curl_address_bytes(address, &bytes)
        self.init(bytes: Array(bytes.prefix(count)))
    }
}
