import CWebImageCurl
import WebImageCore
import WebImageFoundation

/// What went wrong in libcurl's words, and how to say it in ours.
struct CurlFault {
    var code: CURLcode
    /// libcurl's own sentence; may be empty.
    var detail: String
    var bodyByteCount: Int
    var request: HTTPRequest

    var error: ImageError {
        let kind = Self.kind(of: code)
        return ImageError(kind, .load, message(of: kind))
    }

    private static func kind(of code: CURLcode) -> ImageError.Code {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .cannotFindHost
        case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_INTERFACE_FAILED: .cannotConnect
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_PARTIAL_FILE: .truncatedBody
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM: .connectionLost
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
            .secureConnectionFailed
        case CURLE_URL_MALFORMAT: .invalidDownloadOperation
        default: .transportFailed
        }
    }

    private func message(of kind: ImageError.Code) -> String {
        let host = Self.name(of: request.url)
        switch kind {
        case .cannotFindHost:
            return "the name of \(host) has no address (\(reason)); check its spelling and the network"
        case .cannotConnect:
            return "nothing answers at \(host) (\(reason)); check that the server runs and the network is up"
        case .timedOut:
            return "no connection to \(host) came about in time (\(reason)); try again, or raise "
                + "CurlTransport.Configuration.connectTimeout and the request's timeout"
        case .truncatedBody:
            return "\(host) closed the connection after \(bodyByteCount) bytes, before the body's end; try again"
        case .connectionLost:
            return "the connection to \(host) broke after \(bodyByteCount) bytes (\(reason)); try again"
        case .secureConnectionFailed:
            return "the TLS connection to \(host) was refused (\(reason)); have the server's certificate put right, or "
                + "allow an invalid certificate for this request"
        case .invalidDownloadOperation:
            return "the URL of \(host) cannot be asked for (\(reason)); check its spelling"
        default:
            return "the exchange with \(host) failed (\(reason)); check that the server speaks proper HTTP"
        }
    }

    private var reason: String {
        let text = unsafe detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
        return "libcurl \(code.rawValue): \(text)"
    }

    /// The host, and the port where the URL names one.
    private static func name(of url: URL) -> String {
        guard let host = url.host(), !host.isEmpty else { return "an unnamed host" }
        return url.port.map { "\(host):\($0)" } ?? host
    }
}

extension CurlFault {
    /// libcurl, or the thread for it, could not be started.
    static var noTransport: ImageError {
        if cwebimage_curl_lacks_descriptors(4) != 0 { return noDescriptors }
        return ImageError(
            .transportFailed, .load, "no thread could be started for libcurl; the process is at a limit of the system")
    }

    static let noDescriptors = ImageError(
        .transportFailed, .load,
        "this process has no file descriptors left, so that no connection can be opened; close files and sockets, let "
            + "fewer downloads run at once, or raise the limit (ulimit -n)")

    /// Whether a failure that libcurl blames on others came of there being no descriptors.
    static func isForWantOfDescriptors(_ code: CURLcode) -> Bool {
        switch code {
        // A look-up of a name has a pair of sockets, one for the question and perhaps a file.
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_FAILED_INIT, CURLE_OUT_OF_MEMORY:
            cwebimage_curl_lacks_descriptors(4) != 0
        // Certificates are files, read one after the other. Whether there was one for a connection, `openSocket` knows.
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CONNECT_ERROR:
            cwebimage_curl_lacks_descriptors(1) != 0
        default: false
        }
    }

    static let noMemory = ImageError(.transportFailed, .load, "libcurl has no memory for another exchange")

    static func multi(_ code: CURLMcode) -> ImageError {
        let text = unsafe String(cString: curl_multi_strerror(code))
        return ImageError(.transportFailed, .load, "libcurl cannot go on (\(text)); try again")
    }

    /// The request itself is not fit to be sent.
    static func invalid(_ what: String, _ url: URL) -> ImageError {
        ImageError(.invalidDownloadOperation, .load, "\(what) (\(url.withoutCredentials.prefix(200)))")
    }

    static func silence(of request: HTTPRequest) -> ImageError {
        ImageError(
            .timedOut, .load,
            "\(name(of: request.url)) sent nothing for \(request.timeout) seconds; try again, or raise the timeout")
    }

    static func refused(_ what: String, _ request: HTTPRequest) -> ImageError {
        ImageError(
            .transportFailed, .load,
            "\(name(of: request.url)) \(what); the server must be put right")
    }

    static func brokenOff(_ request: HTTPRequest, after byteCount: Int) -> ImageError {
        ImageError(
            .truncatedBody, .load,
            "the compressed body from \(name(of: request.url)) breaks off after \(byteCount) unpacked bytes, before "
                + "its end; try again")
    }
}
