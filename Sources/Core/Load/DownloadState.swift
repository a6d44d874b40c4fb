import WebImageFoundation

/// Where a download stands. A value: it decides, the download acts after unlocking.
struct DownloadState {
    /// What an exchange came to before its end.
    private enum Outcome {
        case failed(ImageError)
        case follow(HTTPRequest)
    }

    /// What is to be done about something that arrived.
    enum News: Sendable {
        case progress(LoadProgress)
        case ignored
        /// Nothing more that the server could send is of use.
        case useless
        /// The final head was judged, with this outcome.
        indirect case head(HTTPResponse, News)
        /// The final head is to be modified, then judged.
        case modify(HTTPResponse, @Sendable (HTTPResponse) async -> HTTPResponse?)
    }

    enum End: Sendable {
        /// A modifier still has the head, or nothing ended at all.
        case waits
        case again
        case done(Result<LoadedData, ImageError>)
    }

    /// What was decided about an exchange before it was known what carries it.
    enum Owed {
        case nothing
        case cancel
        case pause
    }

    struct Start: Sendable {
        var request: HTTPRequest
        var exchange: Int
        var isFirst: Bool
    }

    private(set) var route: DownloadRoute
    var body: DownloadBody
    var priority = LoadPriority.normal
    private(set) var transfer: (any HTTPTransfer)?
    /// Whether an exchange began whose transfer is not known yet; and whether it is to be cancelled as soon as it is.
    private var (awaitsTransfer, isUseless) = (false, false)
    var isCancelled = false
    private(set) var queueDuration = Duration.zero

    private let responseModifier: ResponseModifier?
    private var outcome: Outcome?
    /// Goes up with each exchange's end, which may come before the transfer of its beginning is known.
    private var exchange = 0
    private let creation: ContinuousClock.Instant
    private var start: ContinuousClock.Instant?
    private var waitingSince: ContinuousClock.Instant?
    /// When the exchange began that is under way, or was the last.
    private var requestedAt: ContinuousClock.Instant?
    private var response: HTTPResponse?
    private var isModifying = false
    /// What came to an end while a modifier had the head.
    private var heldEnd: ImageError??
    private var ignoredByteCount = 0
    private static let mostBytesToIgnore = 1 << 16

    /// How this download goes on with one that was interrupted, and lets itself be continued.
    private var resumption: Resumption
    /// When the next bytes are to be put on disk.
    private var recording: RecordingPlan?
    /// Whose permission it has to begin.
    private(set) var permittedOrigin: Origin?

    init(
        _ key: DownloadKey, _ partial: PartialBody? = nil, memory: BodyMemory = BodyMemory(),
        at now: ContinuousClock.Instant
    ) {
        resumption = Resumption(key.request, partial)
        route = DownloadRoute(resumption.firstRequest)
        body = DownloadBody(memory)
        responseModifier = key.responseModifier
        creation = now
        waitingSince = now
    }

    var hasStarted: Bool { start != nil }

    /// Whom to ask for permission; `nil` when it has begun already.
    func firstOrigin() -> Origin? {
        start == nil && !isCancelled ? route.origin : nil
    }

    func duration(until now: ContinuousClock.Instant) -> Duration { creation.duration(to: now) }

    /// What to send now, and the number of the exchange.
    mutating func begin(
        _ settings: DownloadSettings, at now: ContinuousClock.Instant
    ) throws(ImageError) -> Start {
        guard !isCancelled else { throw .cancelled(.load) }
        if let since = waitingSince.take() { queueDuration += since.duration(to: now) }
        route.show(settings.configuration.clientCertificates)
        let isFirst = start == nil
        if isFirst { permittedOrigin = route.origin }
        start = start ?? now
        requestedAt = now
        (awaitsTransfer, isUseless) = (true, false)
        return Start(request: route.request, exchange: exchange, isFirst: isFirst)
    }

    /// Notes what carries an exchange; what it must be told at once. Does nothing when the exchange is over.
    mutating func note(_ transfer: any HTTPTransfer, of exchange: Int) -> Owed {
        guard exchange == self.exchange, awaitsTransfer else { return .nothing }
        self.transfer = transfer
        awaitsTransfer = false
        return isCancelled || isUseless ? .cancel : body.isPaused ? .pause : .nothing
    }

    /// What is to be cancelled, for it is of no use any more; `nil` when it is over, or not known yet: then it is
    /// cancelled when it is.
    mutating func abandon() -> (any HTTPTransfer)? {
        isUseless = awaitsTransfer
        return transfer
    }

    mutating func receive(
        _ response: HTTPResponse, _ settings: DownloadSettings, at now: ContinuousClock.Instant
    ) -> News {
        do throws(ImageError) {
            if let next = try route.next(after: response, settings) {
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
        if let error = body.count(bytes.count, settings, from: start ?? now, at: now) {
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
        guard response != nil, !isModifying, let progress = body.report(settings) else { return .ignored }
        return .progress(progress)
    }

    mutating func finish(_ error: ImageError?, at now: ContinuousClock.Instant) -> End {
        if isModifying, !isCancelled {
            heldEnd = .some(error)
            (transfer, awaitsTransfer) = (nil, false)
            return .waits
        }
        isModifying = false
        (transfer, awaitsTransfer) = (nil, false)
        body.end()
        exchange += 1
        if isCancelled { return .done(.failure(.cancelled(.load))) }
        switch outcome {
        case .failed(let error):
            return .done(.failure(error))
        case .follow(let next):
            outcome = nil
            route.goOn(with: next)
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
        modified.requestedAt = requestedAt
        switch resumption.judge(modified, route.request) {
        case .whole: break
        case .rest(let start, let total):
            // Together they are what 200 would have brought.
            body.put(start, of: total)
            modified.statusCode = 200
            modified.expectedByteCount = total
        case .useless(let whole):
            outcome = .follow(whole)
            // Some may have come while a modifier had the head.
            _ = body.take()
            return isShort(modified) ? .ignored : .useless
        }
        do throws(ImageError) {
            try settings.check(modified, route.request)
        } catch {
            return .head(modified, refuse(error, modified))
        }
        response = modified
        body.begin(expecting: modified.expectedByteCount, at: now)
        recording = recordingPlan(modified)
        return .head(modified, .progress(body.progress))
    }

    private func recordingPlan(_ response: HTTPResponse) -> RecordingPlan? {
        guard RecordingPlan.isWorthwhile(response.expectedByteCount) else { return nil }
        return resumption.identity(of: response, route.request).flatMap { RecordingPlan($0, behind: body.count) }
    }

    /// Hearing out a short error page keeps the connection for the next download.
    private mutating func refuse(_ error: ImageError, _ response: HTTPResponse) -> News {
        outcome = .failed(error)
        return isShort(response) ? .ignored : .useless
    }

    private func isShort(_ response: HTTPResponse) -> Bool {
        (response.expectedByteCount ?? .max) <= Self.mostBytesToIgnore
    }
}

// MARK: What can be continued

extension DownloadState {
    /// Whether the body is the rest of an earlier one behind its beginning.
    var isContinuation: Bool { resumption.isContinuation }

    /// Whether a body has begun that is no such rest.
    var hasBegunAnew: Bool { response != nil && !isContinuation }

    /// What is to be put on disk now, as far as it is here; `nil` while there is too little of it.
    mutating func dueRecording() -> BodyIdentity? {
        recording?.due(body.count)
    }

    /// What is worth keeping of a download that ended so.
    mutating func takePartial(after result: Result<LoadedData, ImageError>) -> PartialBody? {
        guard case .failure(let error) = result else { return nil }
        return resumption.partial(body.take(), response, of: route.request, after: error)
    }
}

// MARK: Who reads while it arrives

extension DownloadState {
    /// What carries the exchange, and whether it is to be held back; `nil` while that is not known.
    var pausing: (transfer: any HTTPTransfer, isPaused: Bool)? {
        transfer.map { ($0, body.isPaused) }
    }

    /// The next bytes for a reader, and whether the server is let go on because of that.
    mutating func read(for reader: Identity, at now: ContinuousClock.Instant) -> (Data, Bool) {
        let part = body.read(for: reader)
        return (part, body.mustResume(at: now))
    }

    mutating func leave(_ reader: Identity, at now: ContinuousClock.Instant) -> Bool {
        body.leave(reader)
        return body.mustResume(at: now)
    }
}
