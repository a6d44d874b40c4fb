import WebImageFoundation

/// What to ask next when a server says that the picture is elsewhere (RFC 9110, 15.4).
struct RedirectPolicy: Sendable {
    var maxCount: Int

    /// The next request, or `nil` for an answer that is no redirect.
    ///
    /// Only http and https are followed, and never from https back to http. Credentials and cookies stay with the
    /// origin (scheme, host, port) that they were meant for.
    func next(
        after request: HTTPRequest, _ response: HTTPResponse, followed count: Int
    ) throws(ImageError) -> HTTPRequest? {
        guard [301, 302, 303, 307, 308].contains(response.statusCode) else { return nil }
        guard count < maxCount else {
            throw ImageError(
                .redirectRefused, .load,
                "more than \(maxCount) redirects, the last to \(request.url.withoutCredentials); "
                    + "raise DownloaderConfiguration.maxRedirectCount if that is right")
        }
        guard let location = response.headers["Location"], !location.isEmpty else {
            throw ImageError(
                .invalidDownloadResponse, .load,
                "the server answered \(response.statusCode), a redirect, without saying where to",
                statusCode: response.statusCode)
        }
        guard let target = URL(string: location, relativeTo: request.url)?.absoluteURL else {
            throw ImageError(.redirectRefused, .load, "the redirect's target is no URL; the server must be put right")
        }
        try Self.checkScheme(of: target, from: request.url)
        return Self.request(request, to: target, status: response.statusCode)
    }

    private static func checkScheme(of target: URL, from source: URL) throws(ImageError) {
        let scheme = target.scheme?.lowercased()
        guard scheme == "https" || (scheme == "http" && source.scheme?.lowercased() == "http") else {
            throw ImageError(
                .redirectRefused, .load,
                "a redirect from \(source.scheme ?? "") to \(scheme ?? "no scheme") is not followed")
        }
    }

    private static func request(_ request: HTTPRequest, to target: URL, status: Int) -> HTTPRequest {
        var next = request
        next.url = target
        let changesToGet = status == 303 || (request.method == "POST" && status != 307 && status != 308)
        if changesToGet, request.method != "HEAD" {
            next.method = "GET"
            next.body = nil
            next.headers["Content-Type"] = nil
        }
        if Origin(target) != Origin(request.url) {
            for name in ["Authorization", "Cookie", "Proxy-Authorization"] { next.headers[name] = nil }
        }
        return next
    }
}
