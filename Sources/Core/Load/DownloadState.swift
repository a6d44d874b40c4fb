import WebImageFoundation

/// Where a download stands. A value: it decides, the download acts after unlocking.
struct DownloadState {
    /// What an exchange came to before its end.
    enum Outcome {
        case failed(ImageError)
        case follow(HTTPRequest)
    }

    /// What is to be done about something that arrived.
    enum News {
        case progress(LoadProgress)
        case ignored
        /// Nothing more that the server could send is of use.
        case useless
    }

    enum End {
        case again
        case done(Result<LoadedData, ImageError>)
    }

    private(set) var request: HTTPRequest
    var priority = LoadPriority.normal
    private(set) var transfer: (any HTTPTransfer)?
    var isCancelled = false
    private(set) var outcome: Outcome?
    /// Goes up with each exchange's end, which may come before the transfer of its beginning is known.
    private var exchange = 0
    private var start: ContinuousClock.Instant?
    private var response: HTTPResponse?
    private var body = Data()
    private var ignoredByteCount = 0
    private var redirectCount = 0
    private var hasSentCredential = false
    private static let mostBytesToIgnore = 1 << 16

    init(request: HTTPRequest) {
        self.request = request
    }

    /// What to send now, and the number of the exchange; `nil` when nobody waits any more.
    mutating func begin(at now: ContinuousClock.Instant) -> (request: HTTPRequest, exchange: Int)? {
        guard !isCancelled else { return nil }
        start = start ?? now
        return (request, exchange)
    }

    /// Notes what carries an exchange; whether it must be cancelled at once. Does nothing when the exchange is over.
    mutating func mustCancel(_ transfer: any HTTPTransfer, of exchange: Int) -> Bool {
        guard exchange == self.exchange else { return false }
        self.transfer = transfer
        return isCancelled
    }

    mutating func receive(_ response: HTTPResponse, _ configuration: DownloaderConfiguration) -> News {
        do throws(ImageError) {
            if let next = try follow(response, configuration) {
                outcome = .follow(next)
                return .ignored
            }
            guard configuration.acceptableStatusCodes.contains(response.statusCode) else {
                throw .badStatus(response.statusCode)
            }
            if let expected = response.expectedByteCount, expected > configuration.maxBodyByteCount {
                throw .bodyTooLarge(limit: configuration.maxBodyByteCount)
            }
            self.response = response
            // An announced length is a promise of strangers: room is made for some of it, the rest as it comes.
            body.reserveCapacity(min(response.expectedByteCount ?? 0, 1 << 22))
            return .progress(LoadProgress(receivedByteCount: 0, expectedByteCount: response.expectedByteCount))
        } catch {
            outcome = .failed(error)
            // Hearing out a short error page keeps the connection for the next download.
            let isShort = (response.expectedByteCount ?? .max) <= Self.mostBytesToIgnore
            return isShort ? .ignored : .useless
        }
    }

    mutating func receive(
        _ bytes: UnsafeRawBufferPointer, _ configuration: DownloaderConfiguration, at now: ContinuousClock.Instant
    ) -> News {
        // A server that is silent for long is the transport's to find; here it is one that trickles.
        let limit = configuration.maxDownloadDuration
        if let start, limit > 0, start.duration(to: now) > .seconds(min(limit, 1e9)) {
            outcome = outcome ?? .failed(.takesTooLong(limit: limit))
            return .useless
        }
        guard outcome == nil, let response else {
            ignoredByteCount += bytes.count
            return ignoredByteCount > Self.mostBytesToIgnore ? .useless : .ignored
        }
        guard bytes.count <= configuration.maxBodyByteCount - body.count else {
            outcome = .failed(.bodyTooLarge(limit: configuration.maxBodyByteCount))
            return .useless
        }
        unsafe body.append(contentsOf: bytes)
        return .progress(
            LoadProgress(receivedByteCount: body.count, expectedByteCount: response.expectedByteCount))
    }

    mutating func finish(_ error: ImageError?) -> End {
        transfer = nil
        exchange += 1
        if isCancelled { return .done(.failure(.cancelled(.load))) }
        switch outcome {
        case .failed(let error):
            return .done(.failure(error))
        case .follow(let next):
            outcome = nil
            request = next
            return .again
        case nil:
            break
        }
        if let error { return .done(.failure(error)) }
        guard !body.isEmpty else {
            return .done(.failure(ImageError(.badImageData, .load, "the server sent an empty body")))
        }
        defer { body = Data() }
        return .done(.success(LoadedData(data: body, response: response)))
    }

    private mutating func follow(
        _ response: HTTPResponse, _ configuration: DownloaderConfiguration
    ) throws(ImageError) -> HTTPRequest? {
        if let authorised = request(authorisedFor: response, configuration.credential) {
            hasSentCredential = true
            return authorised
        }
        let policy = RedirectPolicy(maxCount: configuration.maxRedirectCount)
        let next = try policy.next(after: request, response, followed: redirectCount)
        if next != nil { redirectCount += 1 }
        return next
    }

    /// The request with the configured credential, where the server asks for it and has not refused it yet.
    private func request(
        authorisedFor response: HTTPResponse, _ credential: DownloaderConfiguration.Credential?
    ) -> HTTPRequest? {
        guard response.statusCode == 401, !hasSentCredential, redirectCount == 0, let credential,
            request.headers["Authorization"] == nil, response.headers.offerBasicAuthentication
        else { return nil }
        var authorised = request
        let pair = Data("\(credential.user):\(credential.password)".utf8)
        authorised.headers["Authorization"] = "Basic \(pair.base64EncodedString())"
        return authorised
    }
}

extension HTTPHeaders {
    /// Whether Basic is among the ways to authenticate, which may be several in one line or in more than one.
    fileprivate var offerBasicAuthentication: Bool {
        fields.contains { field in
            Self.isSame(field.name, "WWW-Authenticate")
                && field.value.split(separator: ",").contains { way in
                    way.drop(while: \.isWhitespace).prefix(6).lowercased() == "basic "
                }
        }
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
}
