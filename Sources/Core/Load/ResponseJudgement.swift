import WebImageFoundation

extension DownloadSettings {
    /// Whether a URL may be asked for, redirects included.
    func check(_ url: URL) throws(ImageError) {
        let origin = Origin(url)
        guard configuration.allowedSchemes.contains(origin.scheme) else {
            throw ImageError(
                .addressRefused, .load,
                "the scheme \"\(origin.scheme)\" is not in DownloaderConfiguration.allowedSchemes")
        }
        if let ports = configuration.allowedPorts, !ports.contains(origin.port) {
            throw ImageError(
                .addressRefused, .load, "the port \(origin.port) is not in DownloaderConfiguration.allowedPorts")
        }
        if !configuration.addressPolicy.allowsAll, let address = IPAddress(host: origin.host),
            !configuration.addressPolicy.allows(address)
        {
            throw .addressRefused(address)
        }
    }

    /// Whether an answer's body is wanted.
    func check(_ response: HTTPResponse, _ request: HTTPRequest) throws(ImageError) {
        if response.statusCode == 304 { throw .cacheNotModified(response) }
        guard configuration.acceptableStatusCodes.contains(response.statusCode) else {
            var error = ImageError.badStatus(response.statusCode)
            error.response = response
            throw error
        }
        if response.statusCode == 206, request.headers["Range"] == nil {
            throw ImageError(
                .invalidDownloadResponse, .load,
                "the server sent a part (206) where the whole was asked for; try again",
                statusCode: 206)
        }
        if let types = configuration.acceptableContentTypes {
            let type = response.mediaType
            guard types.contains(type) else { throw .badContentType(type) }
        }
        if let expected = response.expectedByteCount, expected > configuration.maxBodyByteCount {
            throw .bodyTooLarge(limit: configuration.maxBodyByteCount)
        }
    }
}

extension HTTPResponse {
    /// The content type in lower case without parameters; empty where there is none.
    public var mediaType: String {
        let type = (headers["Content-Type"] ?? "").prefix { $0 != ";" }
        return type.filter { !$0.isWhitespace }.lowercased()
    }
}

extension ImageError {
    static func badStatus(_ status: Int) -> ImageError {
        let advice =
            switch status {
            case 401, 407: "give credentials, or ask for another picture"
            case 403: "the server does not allow it"
            case 404, 410: "check the URL"
            case 429, 503: "try again later"
            default: "nothing was stored"
            }
        return ImageError(
            .invalidDownloadStatusCode, .load, "the server answered \(status); \(advice)", statusCode: status)
    }

    static func cacheNotModified(_ response: HTTPResponse) -> ImageError {
        var error = ImageError(
            .cacheNotModified, .load,
            "the server says that the picture is unchanged; load it without conditions of your own to get it",
            statusCode: 304)
        error.response = response
        return error
    }

    static func badContentType(_ type: String) -> ImageError {
        let what = type.isEmpty ? "no content type" : "the content type \(type.prefix(100))"
        return ImageError(
            .invalidDownloadContentType, .load,
            "the server sent \(what), which is not in DownloaderConfiguration.acceptableContentTypes")
    }

    static func bodyTooLarge(limit: Int) -> ImageError {
        ImageError(
            .limitExceeded, .load,
            "the body is over the limit of \(limit) bytes; raise DownloaderConfiguration.maxBodyByteCount")
    }

    static func takesTooLong(limit: Double) -> ImageError {
        ImageError(
            .limitExceeded, .load,
            "the download took longer than the limit of \(limit) seconds; "
                + "raise DownloaderConfiguration.maxDownloadDuration")
    }

    static func tooSlow(_ rate: Int, _ duration: Double) -> ImageError {
        ImageError(
            .timedOut, .load,
            "the body came with less than \(rate) bytes a second over \(duration) seconds; try again, or lower "
                + "DownloaderConfiguration.minimumByteRate")
    }

    static let digestMismatch = ImageError(
        .digestMismatch, .load,
        "the bytes do not have the digest that the server announced (Repr-Digest or Content-Digest); try again")

    static func hostUnavailable(_ origin: Origin, _ wait: Duration) -> ImageError {
        ImageError(
            .hostUnavailable, .load,
            "\(origin.host) has failed too often and is left alone for another \(wait.components.seconds) seconds; "
                + "try again later, or change DownloaderConfiguration.circuitBreaker")
    }

    static let refusedByModifier = ImageError(
        .invalidDownloadResponse, .load, "the response modifier refused the server's answer")

    /// The address policy does not allow a connection.
    package static func addressRefused(_ address: IPAddress) -> ImageError {
        ImageError(
            .addressRefused, .load,
            "a connection to \(address) is not allowed; if that is right, allow it in "
                + "DownloaderConfiguration.addressPolicy")
    }
}
