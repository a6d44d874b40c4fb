import WebImageFoundation

/// How one download goes on with a body that was interrupted, and how it lets itself be continued. A value.
///
/// The rest is put behind the beginning only where the server leaves no doubt that both are of one body; anything else
/// is answered by asking for the whole.
struct Resumption {
    /// What an answer is to what was asked.
    enum Judgement {
        /// An answer for itself, to be judged as any.
        case whole
        /// The rest of the beginning given, of so many bytes in all.
        case rest(Data, total: Int)
        /// Of no use: this is to be asked instead.
        case useless(HTTPRequest)
    }

    private let original: HTTPRequest
    private var partial: PartialBody?
    private var total: Int?

    init(_ request: HTTPRequest, _ partial: PartialBody?) {
        original = request
        self.partial = request.isResumable ? partial : nil
    }

    var firstRequest: HTTPRequest { partial?.asked(of: original) ?? original }

    var isContinuation: Bool { total != nil }

    /// - Parameter request: What this is the answer to, after redirects.
    mutating func judge(_ response: HTTPResponse, _ request: HTTPRequest) -> Judgement {
        guard var partial, total == nil else { return .whole }
        switch response.statusCode {
        case 206:
            if let total = partial.continuation(in: response, of: request) {
                self.total = total
                // The body has it from now on: it is not to be there twice.
                let beginning = exchange(&partial.data, with: Data())
                self.partial = partial
                return .rest(beginning, total: total)
            }
            self.partial = nil
            return .useless(whole(request))
        case 416:
            self.partial = nil
            return .useless(whole(request))
        case 200...299:
            self.partial = nil
            return .whole
        default: return .whole
        }
    }

    /// Whether a continued body ended before its end, or after it.
    ///
    /// - Parameter byteCount: Of the whole.
    func isIncomplete(_ byteCount: Int) -> Bool {
        total.map { byteCount != $0 } ?? false
    }

    /// What a body is of; `nil` where it cannot be continued.
    ///
    /// - Parameters:
    ///   - response: The head, as of an answer with the whole.
    ///   - request: What it is the answer to.
    func identity(of response: HTTPResponse, _ request: HTTPRequest) -> BodyIdentity? {
        guard original.isResumable else { return nil }
        guard let total, var identity = partial?.identity else { return BodyIdentity(response, of: request) }
        identity.totalByteCount = total
        return identity
    }

    /// What is worth keeping after a failure.
    ///
    /// - Parameters:
    ///   - body: What is here, of which `response` is the head.
    ///   - request: What it is the answer to.
    func partial(
        _ body: Data, _ response: HTTPResponse?, of request: HTTPRequest, after error: ImageError
    ) -> PartialBody? {
        guard original.isResumable, error.isCancelled || Self.isInterruption(error) else { return nil }
        guard let response else { return isContinuation ? nil : partial }
        return identity(of: response, request).flatMap { PartialBody(body, of: $0) }
    }

    /// The request without what this added.
    private func whole(_ request: HTTPRequest) -> HTTPRequest {
        var request = request
        for name in ["Range", "If-Range"] { request.headers[name] = nil }
        request.headers["Accept-Encoding"] = original.headers["Accept-Encoding"]
        return request
    }

    /// Whether a failure leaves what came before it good.
    private static func isInterruption(_ error: ImageError) -> Bool {
        switch error.code {
        case .digestMismatch: false
        case .hostUnavailable: true
        default: RetryPolicy.isPassing(error)
        }
    }
}

extension ImageError {
    static let incompleteContinuation = ImageError(
        .truncatedBody, .load, "the server ended the rest of an interrupted body elsewhere than it said; try again")
}
