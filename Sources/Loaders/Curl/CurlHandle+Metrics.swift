import CWebImageCurl
import WebImageCore

extension CurlHandle {
    /// How the exchange went so far; asked before the handle is cleared.
    var metrics: TransferMetrics {
        var metrics = TransferMetrics(total: duration(CURLINFO_TOTAL_TIME_T) ?? .zero)
        metrics.isReusedConnection = unsafe cwebimage_curl_get_long(easy, CURLINFO_NUM_CONNECTS) == 0
        if !metrics.isReusedConnection {
            metrics.nameLookup = duration(CURLINFO_NAMELOOKUP_TIME_T)
            metrics.connect = duration(CURLINFO_CONNECT_TIME_T)
            metrics.secureConnect = duration(CURLINFO_APPCONNECT_TIME_T)
        }
        metrics.requestStart = duration(CURLINFO_PRETRANSFER_TIME_T)
        metrics.firstByte = duration(CURLINFO_STARTTRANSFER_TIME_T)
        metrics.sentByteCount =
            unsafe cwebimage_curl_get_long(easy, CURLINFO_REQUEST_SIZE)
            + Int(cwebimage_curl_get_offset(easy, CURLINFO_SIZE_UPLOAD_T))
        metrics.receivedByteCount =
            unsafe cwebimage_curl_get_long(easy, CURLINFO_HEADER_SIZE)
            + Int(cwebimage_curl_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T))
        metrics.protocolName = protocolName
        metrics.remoteAddress = unsafe cwebimage_curl_get_string(easy, CURLINFO_PRIMARY_IP).flatMap {
            unsafe address(String(cString: $0))
        }
        return metrics
    }

    private var protocolName: String {
        switch unsafe cwebimage_curl_get_long(easy, CURLINFO_HTTP_VERSION) {
        case Int(CURL_HTTP_VERSION_1_0): "http/1.0"
        case Int(CURL_HTTP_VERSION_1_1): "http/1.1"
        case Int(CURL_HTTP_VERSION_2_0): "h2"
        case Int(CURL_HTTP_VERSION_3): "h3"
        default: ""
        }
    }

    /// libcurl's microseconds; 0 is a step that did not happen.
    private func duration(_ info: CURLINFO) -> Duration? {
        let microseconds = unsafe cwebimage_curl_get_offset(easy, info)
        return microseconds > 0 ? .microseconds(microseconds) : nil
    }
}
