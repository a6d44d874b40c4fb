import WebImageFoundation

/// A body while it arrives: its bytes, how fast they come, who reads them, and what is told of it.
///
/// A value, but for the bytes. Time is handed in.
struct DownloadBody {
    private let bytes: ArrivedBody
    private var readers = BodyReaders()
    private var rate = ByteRate()
    private var reportedByteCount = 0
    /// Of the whole, where the head said it.
    private var expectedByteCount: Int?
    /// Whether the server is to be held back.
    private(set) var isPaused = false

    init(_ memory: BodyMemory) {
        bytes = ArrivedBody(memory)
    }

    var count: Int { bytes.count }

    var progress: LoadProgress {
        LoadProgress(receivedByteCount: bytes.count, expectedByteCount: expectedByteCount)
    }

    /// The head was accepted: the body begins, behind what is here of it.
    mutating func begin(expecting expectedByteCount: Int?, at now: ContinuousClock.Instant) {
        self.expectedByteCount = expectedByteCount
        rate.begin(at: now)
        bytes.expect(expectedByteCount ?? 0)
    }

    /// Counts bytes that came, of use or not; the error when they come too slowly, or have taken too long in all.
    mutating func count(
        _ byteCount: Int, _ settings: DownloadSettings, from start: ContinuousClock.Instant,
        at now: ContinuousClock.Instant
    ) -> ImageError? {
        rate.add(byteCount, settings, from: start, at: now)
    }

    mutating func append(_ part: UnsafeRawBufferPointer) {
        unsafe bytes.append(part)
    }

    /// Puts the beginning of the body, of so many bytes in all, before what is here.
    mutating func put(_ beginning: Data, of byteCount: Int) {
        let late = bytes.take()
        bytes.expect(byteCount)
        bytes.append(beginning)
        bytes.append(late)
    }

    /// All bytes; from then on there are none.
    mutating func take() -> Data { bytes.take() }

    /// The transport has no more to do with it.
    mutating func end() { isPaused = false }

    /// What to report of the bytes that have just come; `nil` where that would be too often.
    mutating func report(_ settings: DownloadSettings) -> LoadProgress? {
        let interval = min(max(settings.configuration.minimumProgressInterval, 0), 1)
        if interval > 0, let expectedByteCount, count < expectedByteCount {
            guard Double(count - reportedByteCount) >= interval * Double(expectedByteCount) else { return nil }
        }
        reportedByteCount = count
        return progress
    }
}

// MARK: Who reads while it arrives

extension DownloadBody {
    /// The bytes from a place on, at most so many.
    func part(from offset: Int, maxByteCount: Int) -> Data {
        let start = min(offset, count)
        return bytes.copy(start..<min(count, start + maxByteCount))
    }

    /// The next bytes for a reader.
    mutating func read(for reader: Identity) -> Data {
        bytes.copy(readers.advance(reader, count))
    }

    mutating func leave(_ reader: Identity) {
        readers.remove(reader)
    }

    /// Whether the server is to be held back from now on.
    mutating func mustPause() -> Bool {
        guard !isPaused, readers.mustHoldBack(count) else { return false }
        isPaused = true
        return true
    }

    /// Whether the server was held back and is let go on from now.
    mutating func mustResume(at now: ContinuousClock.Instant) -> Bool {
        guard isPaused, !readers.mustHoldBack(count) else { return false }
        isPaused = false
        rate.begin(at: now)
        return true
    }
}
