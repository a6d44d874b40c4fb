import WebImageFoundation

/// Where a download stands. A value: it decides, the download acts after unlocking.
struct DownloadState {
    /// What an exchange came to before its end.
    private enum Outcome {
        case failed(ImageError)
        case follow(HTTPRequest)
    }

    /// What is to be done about something that arrived.
    indirect enum News: Sendable {
        case progress(LoadProgress)
        case ignored
        /// Nothing more that the server could send is of use.
        case useless
        /// The final head was judged, with this outcome.
        case head(HTTPResponse, News)
        /// The final head is to be modified, then judged.
        case modify(HTTPResponse, @Sendable (HTTPResponse) async -> HTTPResponse?)
    }

    enum End: Sendable {
        /// A modifier still has the head, or nothing ended at all.
        case waits
        case again
        case done(Result<LoadedData, ImageError>)
    }

    struct Start: Sendable {
        var request: HTTPRequest
        var exchange: Int
        var isFirst: Bool
    }

    private(set) var request: HTTPRequest
    /// Whom the request is for; kept, as to read it from the URL takes its time.
    private(set) var origin: Origin { didSet { host = origin.text } }
    private(set) var host: String
    var priority = LoadPriority.normal
    private(set) var transfer: (any HTTPTransfer)?
    var isCancelled = false
    private(set) var queueDuration = Duration.zero

    private let responseModifier: ResponseModifier?
    private var outcome: Outcome?
    private var authorisation: Authorisation
    /// Whether the `Authorization` that goes out is the answer to a question.
    private var isOwnAuthorisation = false
    /// Goes up with each exchange's end, which may come before the transfer of its beginning is known.
    private var exchange = 0
    private let creation: ContinuousClock.Instant
    private var start: ContinuousClock.Instant?
    private var waitingSince: ContinuousClock.Instant?
    private var response: HTTPResponse?
    private var isModifying = false
    /// What came to an end while a modifier had the head.
    private var heldEnd: ImageError??
    private let body: ArrivedBody
    private var readers = BodyReaders()
    private var isPaused = false
    private var reportedByteCount = 0
    private var rate = ByteRate()
    private var ignoredByteCount = 0
    private var redirectCount = 0
    private static let mostBytesToIgnore = 1 << 16

    /// How this download goes on with one that was interrupted, and lets itself be continued.
    private var resumption: Resumption
    /// Whose permission it has to begin.
    private(set) var permittedOrigin: Origin?

    init(
        _ key: DownloadKey, _ partial: PartialBody? = nil, memory: BodyMemory = BodyMemory(),
        at now: ContinuousClock.Instant
    ) {
        resumption = Resumption(key.request, partial)
        request = resumption.firstRequest
        origin = Origin(request.url)
        host = origin.text
        body = ArrivedBody(memory)
        responseModifier = key.responseModifier
        authorisation = Authorisation(for: origin)
        creation = now
        waitingSince = now
    }

    var hasStarted: Bool { start != nil }

    /// Whom to ask for permission; `nil` when it has begun already.
    func firstOrigin() -> Origin? {
        start == nil && !isCancelled ? origin : nil
    }

    func duration(until now: ContinuousClock.Instant) -> Duration { creation.duration(to: now) }

    /// What to send now, and the number of the exchange.
    mutating func begin(
        _ settings: DownloadSettings, at now: ContinuousClock.Instant
    ) throws(ImageError) -> Start {
        guard !isCancelled else { throw .cancelled(.load) }
        if let since = waitingSince.take() { queueDuration += since.duration(to: now) }
        request.clientCertificate = settings.configuration.clientCertificates[origin]
        let isFirst = start == nil
        if isFirst { permittedOrigin = origin }
        start = start ?? now
        return Start(request: request, exchange: exchange, isFirst: isFirst)
    }

    /// Notes what carries an exchange; whether it must be cancelled at once. Does nothing when the exchange is over.
    mutating func mustCancel(_ transfer: any HTTPTransfer, of exchange: Int) -> Bool {
        guard exchange == self.exchange else { return false }
        self.transfer = transfer
        return isCancelled
    }

    mutating func receive(
        _ response: HTTPResponse, _ settings: DownloadSettings, at now: ContinuousClock.Instant
    ) -> News {
        do throws(ImageError) {
            if let next = try follow(response, settings) {
                outcome = .follow(next)
                return .ignored
            }
        } catch {
            return refuse(error, response)
        }
        switch responseModifier?.body {
        case nil: return accept(response, settings, at: now)
        case .sync(let modify): return accept(modify(response), settings, at: now)
        case .async(let modify):
            isModifying = true
            return .modify(response, modify)
        }
    }

    /// Goes on with what an asynchronous modifier made of the head.
    mutating func judge(
        _ response: HTTPResponse?, _ settings: DownloadSettings, at now: ContinuousClock.Instant
    ) -> (News, End) {
        guard isModifying else { return (.ignored, .waits) }
        isModifying = false
        let news = accept(response, settings, at: now)
        guard let error = heldEnd.take() else { return (news, .waits) }
        return (news, finish(error, at: now))
    }

    mutating func receive(
        _ bytes: UnsafeRawBufferPointer, _ settings: DownloadSettings, at now: ContinuousClock.Instant
    ) -> News {
        // A server that is silent for long is the transport's to find; here it is one that trickles.
        if let error = rate.add(bytes.count, settings, from: start ?? now, at: now) {
            outcome = outcome ?? .failed(error)
            return .useless
        }
        guard outcome == nil, response != nil || isModifying else {
            ignoredByteCount += bytes.count
            return ignoredByteCount > Self.mostBytesToIgnore ? .useless : .ignored
        }
        guard bytes.count <= settings.configuration.maxBodyByteCount - body.count else {
            outcome = .failed(.bodyTooLarge(limit: settings.configuration.maxBodyByteCount))
            return .useless
        }
        unsafe body.append(bytes)
        return progress(settings)
    }

    mutating func finish(_ error: ImageError?, at now: ContinuousClock.Instant) -> End {
        if isModifying, !isCancelled {
            heldEnd = .some(error)
            transfer = nil
            return .waits
        }
        isModifying = false
        transfer = nil
        isPaused = false
        exchange += 1
        if isCancelled { return .done(.failure(.cancelled(.load))) }
        switch outcome {
        case .failed(let error):
            return .done(.failure(error))
        case .follow(let next):
            outcome = nil
            request = next
            origin = Origin(next.url)
            waitingSince = now
            return .again
        case nil:
            break
        }
        if let error { return .done(.failure(error)) }
        if resumption.isIncomplete(body.count) { return .done(.failure(.incompleteContinuation)) }
        guard body.count > 0 else {
            return .done(.failure(ImageError(.badImageData, .load, "the server sent an empty body")))
        }
        return .done(.success(LoadedData(data: body.take(), response: response)))
    }
}

extension DownloadState {
    /// Judges the final head, after any modifier.
    private mutating func accept(
        _ modified: HTTPResponse?, _ settings: DownloadSettings, at now: ContinuousClock.Instant
    ) -> News {
        guard var modified else {
            outcome = .failed(.refusedByModifier)
            return .useless
        }
        switch resumption.judge(modified, request) {
        case .whole: break
        case .rest(let start, let total):
            // Together they are what 200 would have brought.
            unsafe start.withUnsafeBytes { unsafe body.append($0) }
            modified.statusCode = 200
            modified.expectedByteCount = total
        case .useless(let whole):
            outcome = .follow(whole)
            return isShort(modified) ? .ignored : .useless
        }
        do throws(ImageError) {
            try settings.check(modified, request)
        } catch {
            return .head(modified, refuse(error, modified))
        }
        response = modified
        rate.begin(at: now)
        // An announced length is a promise of strangers: room is made for some of it, the rest as it comes.
        body.reserve(min(modified.expectedByteCount ?? 0, 1 << 22))
        return .head(
            modified,
            .progress(LoadProgress(receivedByteCount: body.count, expectedByteCount: modified.expectedByteCount)))
    }

    /// Hearing out a short error page keeps the connection for the next download.
    private mutating func refuse(_ error: ImageError, _ response: HTTPResponse) -> News {
        outcome = .failed(error)
        return isShort(response) ? .ignored : .useless
    }

    private func isShort(_ response: HTTPResponse) -> Bool {
        (response.expectedByteCount ?? .max) <= Self.mostBytesToIgnore
    }

    private mutating func progress(_ settings: DownloadSettings) -> News {
        guard let response, !isModifying else { return .ignored }
        let interval = min(max(settings.configuration.minimumProgressInterval, 0), 1)
        if interval > 0, let expected = response.expectedByteCount, body.count < expected {
            guard Double(body.count - reportedByteCount) >= interval * Double(expected) else { return .ignored }
        }
        reportedByteCount = body.count
        return .progress(LoadProgress(receivedByteCount: body.count, expectedByteCount: response.expectedByteCount))
    }

    private mutating func follow(
        _ response: HTTPResponse, _ settings: DownloadSettings
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

// MARK: What can be continued

extension DownloadState {
    /// Whether the body is the rest of an earlier one behind its beginning.
    var isContinuation: Bool { resumption.isContinuation }

    /// What is worth keeping of a download that ended so.
    mutating func takePartial(after result: Result<LoadedData, ImageError>) -> PartialBody? {
        guard case .failure(let error) = result else { return nil }
        return resumption.partial(body.take(), response, of: request, after: error)
    }
}

// MARK: Who reads while it arrives

extension DownloadState {
    /// The next bytes for a reader, and what must be let go on because of that.
    mutating func read(
        for reader: Identity, at now: ContinuousClock.Instant
    ) -> (Data, (any HTTPTransfer)?) {
        let part = readers.advance(reader, body.count)
        return (body.copy(part), resumed(at: now))
    }

    mutating func leave(_ reader: Identity, at now: ContinuousClock.Instant) -> (any HTTPTransfer)? {
        readers.remove(reader)
        return resumed(at: now)
    }

    /// Whether the server is to be held back from now on.
    mutating func mustPause() -> Bool {
        guard !isPaused, readers.mustHoldBack(body.count) else { return false }
        isPaused = true
        return true
    }

    private mutating func resumed(at now: ContinuousClock.Instant) -> (any HTTPTransfer)? {
        guard isPaused, !readers.mustHoldBack(body.count) else { return nil }
        isPaused = false
        rate.begin(at: now)
        return transfer
    }
}
