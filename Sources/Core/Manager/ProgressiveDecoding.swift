import Synchronization
import WebImageFoundation

/// Shows a picture while its bytes arrive: one decode at a time, on the decode queue, and none after the end.
///
/// It reads the body at its own pace; the loader holds the server back when it is far behind. Whatever goes wrong here
/// only means that no more partial pictures come: the whole file is decoded for itself.
final class ProgressiveDecoding: Sendable {
    private struct State {
        var latest: LoadProgress?
        var reader: (any BodyReader)?
        var isDecoding = false
        var hasNews = false
        var isOver = false
        var onIdle: (@Sendable () -> Void)?

        /// Whom to read from; what came up to now counts as seen.
        mutating func takeReader() -> (any BodyReader)? {
            hasNews = false
            return isOver ? nil : reader
        }
    }

    private let plan: LoadPlan
    private let queue: StageQueue
    private let step: CurrentOperation
    private let report: LoadOperation.Progress
    /// The place of a partial decode in the queue; the step's own is the download's.
    private let turn: CurrentOperation
    private let state = Mutex(State())
    private let input: Mutex<ArrivingPicture>

    init(_ plan: LoadPlan, on queue: StageQueue, for step: CurrentOperation, report: @escaping LoadOperation.Progress) {
        self.plan = plan
        self.queue = queue
        self.step = step
        self.report = report
        turn = CurrentOperation(priority: step.priority)
        input = Mutex(ArrivingPicture(plan.coder, plan.decodeOptions))
    }

    /// Takes the loader's news. Returns at once.
    func note(_ progress: LoadProgress) {
        report(progress)
        let mustStart = state.withLock { state in
            guard !state.isOver, let body = progress.body else { return false }
            if state.reader == nil, state.latest == nil { state.reader = body.reader() }
            state.latest = progress
            state.hasNews = true
            guard !state.isDecoding, state.reader != nil else { return false }
            state.isDecoding = true
            return true
        }
        if mustStart { start() }
    }

    /// Begins no other decode, and returns when the one under way is over.
    func end() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                state.isOver = true
                state.reader = nil
                guard state.isDecoding else { return true }
                state.onIdle = { continuation.resume() }
                return false
            }
            if isIdle { continuation.resume() }
            // One that only waits for its turn is over at once.
            turn.cancel()
        }
        input.withLock { $0 = ArrivingPicture(plan.coder, plan.decodeOptions) }
    }

    private func start() {
        turn.priority = step.priority
        queue.run(for: turn, stage: .decode) {
            self.decodeWhatIsHere()
            return .success(())
        } completion: { (_: Result<Void, ImageError>) in
            self.becomeIdle()
        }
    }

    private func decodeWhatIsHere() {
        while let reader = state.withLock({ $0.takeReader() }) {
            let bytes = reader.read()
            guard !bytes.isEmpty else { return }
            do throws(ImageError) {
                let picture = try input.withLock { input throws(ImageError) in try input.take(bytes) }
                if let picture { tell(picture) }
            } catch {
                return state.withLock { $0.reader = nil }
            }
        }
    }

    private func tell(_ picture: DecodedImage) {
        guard var progress = state.withLock({ $0.isOver ? nil : $0.latest }) else { return }
        progress.body = nil
        progress.partialImage = picture
        report(progress)
    }

    private func becomeIdle() {
        let (mustStart, onIdle): (Bool, (@Sendable () -> Void)?) = state.withLock { state in
            if state.hasNews, !state.isOver, state.reader != nil { return (true, nil) }
            state.isDecoding = false
            return (false, state.onIdle.take())
        }
        if mustStart { start() }
        onIdle?()
    }
}

/// The bytes of a picture that is still coming, and the decoder that was found for them.
private struct ArrivingPicture {
    private let coder: any ImageCoder
    private let options: DecodeOptions
    private var start = Data()
    private var decoder: (any IncrementalDecoder)?
    /// As many bytes as any format needs to be known.
    private static let mostBytesToSniff = 4096

    init(_ coder: any ImageCoder, _ options: DecodeOptions) {
        self.coder = coder
        self.options = options
    }

    /// The picture so far, when there is more of it than before.
    ///
    /// - Throws: When nothing can be shown of this file before its end.
    mutating func take(_ bytes: Data) throws(ImageError) -> DecodedImage? {
        let decoder = try decoder(with: bytes)
        guard let decoder, let picture = try decoder.partialImage() else { return nil }
        let image = try picture.attributes.isThumbnail ? picture : picture.thumbnail(options)
        return image.incremental
    }

    private mutating func decoder(with bytes: Data) throws(ImageError) -> (any IncrementalDecoder)? {
        if let decoder {
            try Self.append(bytes, to: decoder)
            return decoder
        }
        start.append(bytes)
        guard let coder = try progressiveCoder() else { return nil }
        let decoder = coder.incrementalDecoder(options: options)
        try Self.append(start, to: decoder)
        start = Data()
        self.decoder = decoder
        return decoder
    }

    private func progressiveCoder() throws(ImageError) -> (any ProgressiveImageCoder)? {
        if let coder = coder as? any ProgressiveImageCoder { return coder }
        guard let coder = (coder as? CodersManager)?.coder(for: start) else {
            guard start.count < Self.mostBytesToSniff else { throw .unknownFormat(start) }
            return nil
        }
        guard let progressive = coder as? any ProgressiveImageCoder else { throw .unknownFormat(start) }
        return progressive
    }

    private static func append(_ bytes: Data, to decoder: any IncrementalDecoder) throws(ImageError) {
        let result = unsafe bytes.withUnsafeBytes { bytes in
            Result { () throws(ImageError) in try unsafe decoder.append(bytes) }
        }
        try result.get()
    }
}

extension DecodedImage {
    /// The picture, marked as one that more is to come of.
    var incremental: DecodedImage {
        var attributes = attributes
        attributes.isIncremental = true
        return with(attributes)
    }
}
