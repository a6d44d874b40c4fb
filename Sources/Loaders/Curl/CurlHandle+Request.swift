import CWebImageCurl
import WebImageCore
import WebImageFoundation

extension CurlHandle {
    /// What all exchanges of a kind have alike.
    func setOptions(of kind: Kind, _ configuration: CurlTransport.Configuration) {
        set(CURLOPT_NOSIGNAL, 1)
        // An exchange that ends while its host's name is looked up leaves the look-up to end by itself; without this
        // libcurl waits for it, and all other exchanges with it.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_REDIR_PROTOCOLS_STR, "")
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_BUFFERSIZE, min(max(configuration.receiveBufferByteCount, 1024), 512 * 1024))
        // HTTP/2 only ever over TLS; on plain HTTP waiting for a connection to multiplex on would be in vain.
        set(CURLOPT_HTTP_VERSION, Int(kind.isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
        set(CURLOPT_PIPEWAIT, kind.isSecure ? 1 : 0)
        set(CURLOPT_MAXAGE_CONN, Self.idleSeconds(configuration))
        if let file = configuration.certificateAuthorities { set(CURLOPT_CAINFO, file.path(percentEncoded: false)) }
    }

    /// What each exchange has of its own, in place of that of the one before.
    func setOptions(of transfer: CurlTransfer, _ configuration: CurlTransport.Configuration) {
        set(CURLOPT_URL, transfer.request.url.absoluteString)
        set(CURLOPT_CONNECTTIMEOUT_MS, Self.connectMilliseconds(transfer.request, configuration))
        set(CURLOPT_STREAM_WEIGHT, transfer.streamWeight)
    }

    /// What a special request wants besides. Only for a handle that is reset before the next one.
    func setSpecialOptions(of transfer: CurlTransfer) throws(ImageError) {
        let request = transfer.request
        if request.allowsInvalidCertificate {
            // libcurl shares connections only between handles that check alike: a later request is not let in by this.
            set(CURLOPT_SSL_VERIFYPEER, 0)
            set(CURLOPT_SSL_VERIFYHOST, 0)
        }
        if let certificate = request.clientCertificate { setCertificate(certificate) }
        setWay(of: transfer)
        try setMethod(request)
    }

    /// The guard cannot see what a proxy connects to; see `AddressPolicy`.
    private func setWay(of transfer: CurlTransfer) {
        let request = transfer.request
        switch request.proxy {
        case .environment where request.addressPolicy.allowsAll: break
        case .environment, .none: set(CURLOPT_PROXY, "")
        case .url where transfer.isGuarded: set(CURLOPT_PROXY, "")
        case .url(let url, _) where !request.addressPolicy.allowsAll:
            set(CURLOPT_PROXY, url.absoluteString)
            // Who is reached straight is guarded: libcurl must not find more of them.
            set(CURLOPT_NOPROXY, "")
        case .url(let url, let exceptions):
            set(CURLOPT_PROXY, url.absoluteString)
            set(CURLOPT_NOPROXY, exceptions.joined(separator: ","))
        }
    }

    private func setCertificate(_ certificate: ClientCertificate) {
        set(CURLOPT_SSLCERTTYPE, certificate.format.rawValue)
        set(CURLOPT_SSLCERT, certificate.file.path(percentEncoded: false))
        if let key = certificate.keyFile { set(CURLOPT_SSLKEY, key.path(percentEncoded: false)) }
        if let password = certificate.password { set(CURLOPT_KEYPASSWD, password) }
    }

    private func setMethod(_ request: HTTPRequest) throws(ImageError) {
        guard Self.isToken(request.method) else {
            throw CurlFault.invalid("\"\(request.method)\" is no HTTP method", request.url)
        }
        switch request.method {
        case "GET" where request.body == nil: set(CURLOPT_HTTPGET, 1)
        case "HEAD": set(CURLOPT_NOBODY, 1)
        default:
            if let body = request.body ?? Self.emptyBody(of: request.method) { setBody(body) }
            set(CURLOPT_CUSTOMREQUEST, request.method)
        }
    }

    /// libcurl copies the bytes; the length must be set before them.
    private func setBody(_ body: Data) {
        unsafe cwebimage_curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
        var bytes = body
        // One byte of memory at least: no address would mean no body.
        if bytes.isEmpty { bytes.append(0) }
        unsafe bytes.withUnsafeMutableBytes { bytes in
            _ = unsafe cwebimage_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress)
        }
    }

    private static func connectMilliseconds(
        _ request: HTTPRequest, _ configuration: CurlTransport.Configuration
    ) -> Int {
        let limit = configuration.connectTimeout
        var seconds = limit > 0 && limit.isFinite ? limit : 1e6
        if request.hasTimeout { seconds = min(seconds, request.timeout) }
        return Int(min(max(seconds * 1000, 1), 1e9))
    }

    /// In libcurl 0 is its own default, hence not none.
    private static func idleSeconds(_ configuration: CurlTransport.Configuration) -> Int {
        let limit = configuration.idleConnectionTimeout
        return limit.isFinite ? Int(min(max(limit, 1), 1e9)) : 1_000_000_000
    }

    /// These two announce a body even if there is none (RFC 9110, 8.6).
    fileprivate static func emptyBody(of method: String) -> Data? {
        method == "POST" || method == "PUT" ? Data() : nil
    }

    /// Whether a text is a token of RFC 9110, 5.6.2, as method and field names must be.
    fileprivate static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x5E...0x7A, 0x7C, 0x7E, 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E: true
                default: false
                }
            }
    }
}

extension CurlHandle.Kind {
    /// The kind of a request to a URL; the error when that is not for this transport.
    init(_ url: URL, _ origin: Origin) throws(ImageError) {
        switch origin.scheme {
        case "http": isSecure = false
        case "https": isSecure = true
        default:
            let what = url.scheme.map { "the scheme \"\($0)\" is not for this transport" } ?? "the URL has no scheme"
            throw CurlFault.invalid("\(what); use http or https", url)
        }
        // libcurl would take `http:///a` for the host `a`.
        guard !origin.host.isEmpty else { throw CurlFault.invalid("the URL names no host", url) }
    }
}

extension CurlHandle {
    /// What the lines of a request's head are made from: nearly all requests have the same.
    struct LineSource: Equatable {
        private let headers: HTTPHeaders
        private let hasBody: Bool
        private let url: URL

        init(_ request: HTTPRequest) {
            headers = request.headers
            hasBody = request.body != nil || CurlHandle.emptyBody(of: request.method) != nil
            url = request.url
        }

        static func == (first: LineSource, second: LineSource) -> Bool {
            first.hasBody == second.hasBody && first.headers == second.headers
        }

        func lines() throws(ImageError) -> [String] {
            var lines: [String] = []
            for field in headers.fields {
                guard CurlHandle.isToken(field.name),
                    field.value.utf8.allSatisfy({ $0 != 0x0A && $0 != 0x0D && $0 != 0 })
                else {
                    throw CurlFault.invalid("the header \"\(field.name)\" holds what HTTP does not allow", url)
                }
                // The semicolon is libcurl's spelling of a field without a value; a colon would take the field out.
                lines.append(field.value.isEmpty ? field.name + ";" : field.name + ": " + field.value)
            }
            if headers["Accept-Encoding"] == nil { lines.append("Accept-Encoding: \(ContentEncoding.accepted)") }
            if hasBody {
                // No waiting for a "100 Continue", and no content type of libcurl's choice.
                lines.append("Expect:")
                if headers["Content-Type"] == nil { lines.append("Content-Type:") }
            }
            return lines
        }
    }
}
