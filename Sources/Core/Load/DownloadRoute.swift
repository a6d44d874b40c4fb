import WebImageFoundation

/// Whom a download asks: over redirects, and again where a server wants credentials. A value.
struct DownloadRoute {
    private(set) var request: HTTPRequest
    /// Whom the request is for; kept, as to read it from the URL takes its time.
    private(set) var origin: Origin { didSet { host = origin.text } }
    private(set) var host: String
    private var authorisation: Authorisation
    /// Whether the `Authorization` that goes out is the answer to a question.
    private var isOwnAuthorisation = false
    private var redirectCount = 0

    init(_ request: HTTPRequest) {
        self.request = request
        origin = Origin(request.url)
        host = origin.text
        authorisation = Authorisation(for: origin)
    }

    /// Shows the one who is asked now the certificate that is for them.
    mutating func show(_ certificates: [Origin: ClientCertificate]) {
        request.clientCertificate = certificates[origin]
    }

    mutating func goOn(with next: HTTPRequest) {
        request = next
        origin = Origin(next.url)
    }

    /// What to ask because of an answer; `nil` where the answer is the last.
    mutating func next(
        after response: HTTPResponse, _ settings: DownloadSettings
    ) throws(ImageError) -> HTTPRequest? {
        // A header of the caller's own is not overruled.
        if request.headers["Authorization"] == nil || isOwnAuthorisation,
            let answer = authorisation.answer(to: response, request, settings)
        {
            isOwnAuthorisation = true
            var next = request
            next.headers["Authorization"] = answer
            return next
        }
        let policy = RedirectPolicy(maxCount: settings.configuration.maxRedirectCount)
        guard var next = try policy.next(after: request, response, followed: redirectCount) else { return nil }
        try settings.check(next.url)
        redirectCount += 1
        if isOwnAuthorisation {
            next.headers["Authorization"] = nil
            isOwnAuthorisation = false
            authorisation.forget(request.url)
        }
        return next
    }
}
