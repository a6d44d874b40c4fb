/// What a coder makes of a file that is still coming. `PortionedDecoder` keeps the order of calls.
package protocol ImageArrival: AnyObject {
    /// Takes the next bytes, checks them against the limits and decodes what they allow. There may be few of them, but
    /// not often. Before the first call of `preview`, what is small may be left for `finish` to decode in one go.
    func take(_ bytes: UnsafeRawBufferPointer) throws(ImageError)

    /// The picture so far, in its full size; `nil` when there is nothing new.
    func preview() throws(ImageError) -> DecodedImage?

    /// The whole picture. Called once, after the last bytes.
    func finish() throws(ImageError) -> DecodedImage
}

/// The incremental decoder of every coder: gathers bytes into portions, and keeps the first error and the last picture.
///
/// A decoder loses a little work whenever it runs out of bytes, so portions are few, however the bytes are cut. The
/// first is what tells the size of most files. Each of the others is 16 KiB where nobody asks for partial pictures.
/// From the first time that somebody does, it is 1 KiB, or a quarter of what came before it where that is more: some
/// ten of them while a file grows tenfold, one with every 16 KiB from 64 KiB on. Between two portions there is no news,
/// and asking for some costs nothing.
///
/// `@unchecked Sendable`: the contract is one call at a time, and no call leaves anything running.
@safe
package final class PortionedDecoder: IncrementalDecoder, @unchecked Sendable {
    private enum Outcome {
        case picture(DecodedImage)
        case failure(ImageError)
    }

    private static let firstPortion = 64
    private static let minPortion = 1 << 10
    private static let maxPortion = 1 << 14

    private let format: ImageFormat
    private let limits: DecodeLimits
    private let begin: () throws(ImageError) -> any ImageArrival
    private var arrival: (any ImageArrival)?
    private var outcome: Outcome?
    private let waiting: UnsafeMutableRawPointer
    private var waitingCount = 0
    /// How many bytes to wait for; 0 when none are wanted any more.
    private var portion = PortionedDecoder.firstPortion
    /// Whether a partial picture was ever asked for.
    private var isWatched = false
    /// Whether bytes were handed on, or something ended, since a partial picture was asked for; at first it is true.
    private var hasNews = true
    private var byteCount = 0

    /// - Parameter begin: Called with the first portion.
    package init(
        of format: ImageFormat, limits: DecodeLimits, _ begin: @escaping () throws(ImageError) -> any ImageArrival
    ) {
        self.format = format
        self.limits = limits
        self.begin = begin
        unsafe waiting = .allocate(byteCount: Self.maxPortion, alignment: 16)
    }

    deinit {
        unsafe waiting.deallocate()
    }

    // Inlined in what callers call, for a single byte must cost next to nothing.
    @inline(__always) package func append(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        let count = waitingCount &+ 1
        if bytes.count == 1, count < portion {
            unsafe waiting.storeBytes(of: bytes[0], toByteOffset: count &- 1, as: UInt8.self)
            waitingCount = count
        } else {
            try unsafe appendSome(bytes)
        }
    }

    @inline(never) private func appendSome(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        guard bytes.count < portion - waitingCount else { return try unsafe appendPortion(bytes) }
        guard let start = bytes.baseAddress else { return }
        unsafe (waiting + waitingCount).copyMemory(from: start, byteCount: bytes.count)
        waitingCount += bytes.count
    }

    private func appendPortion(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        switch outcome {
        case .failure(let error): throw error
        case .picture: return
        case nil: try keepingErrors { () throws(ImageError) in try unsafe pass(bytes) }
        }
    }

    @inline(__always) package func partialImage() throws(ImageError) -> DecodedImage? {
        // The path of a caller that asks after every byte.
        guard hasNews else { return nil }
        return try nextPartialImage()
    }

    @inline(never) private func nextPartialImage() throws(ImageError) -> DecodedImage? {
        switch outcome {
        case .failure(let error): throw error
        case .picture: return nil
        case nil:
            return try keepingErrors { () throws(ImageError) in
                try watch()
                hasNews = false
                return try arrival?.preview()
            }
        }
    }

    /// From the first question on, portions are small.
    private func watch() throws(ImageError) {
        guard !isWatched else { return }
        isWatched = true
        guard byteCount > 0 else { return }
        portion = nextPortion
        if waitingCount >= portion { try unsafe pass(UnsafeRawBufferPointer(start: nil, count: 0)) }
    }

    private var nextPortion: Int {
        // One byte over the limit is enough to say so.
        let most = min(Self.maxPortion, limits.maxByteCount - byteCount + 1)
        return isWatched ? min(most, max(Self.minPortion, byteCount >> 2)) : most
    }

    package func finish() throws(ImageError) -> DecodedImage {
        switch outcome {
        case .failure(let error): throw error
        case .picture(let image): return image
        case nil:
            return try keepingErrors { () throws(ImageError) in
                let image = try wholePicture()
                end(.picture(image))
                return image
            }
        }
    }

    private func wholePicture() throws(ImageError) -> DecodedImage {
        try unsafe pass(UnsafeRawBufferPointer(start: nil, count: 0))
        guard byteCount > 0, let arrival else {
            throw ImageError(.badImageData, .decode, "the \(format) has no bytes")
        }
        return try arrival.finish()
    }

    /// Hands on what waits, and then the given bytes.
    private func pass(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        byteCount += waitingCount + bytes.count
        guard byteCount <= limits.maxByteCount else {
            throw ImageError(
                .limitExceeded, .decode,
                "the \(format) is over the limit of \(limits.maxByteCount) bytes; raise DecodeLimits.maxByteCount")
        }
        hasNews = true
        let arrival = try begun()
        let before = unsafe UnsafeRawBufferPointer(start: waiting, count: waitingCount)
        waitingCount = 0
        portion = nextPortion
        if before.count > 0 { try unsafe arrival.take(before) }
        if bytes.count > 0 { try unsafe arrival.take(bytes) }
    }

    private func begun() throws(ImageError) -> any ImageArrival {
        if let arrival { return arrival }
        let begun = try begin()
        arrival = begun
        return begun
    }

    private func keepingErrors<Value>(_ body: () throws(ImageError) -> Value) throws(ImageError) -> Value {
        do throws(ImageError) {
            return try body()
        } catch {
            end(.failure(error))
            throw error
        }
    }

    private func end(_ outcome: Outcome) {
        self.outcome = outcome
        arrival = nil
        // From here on every call has something to say, or nothing to do.
        (portion, waitingCount, hasNews) = (0, 0, true)
    }
}
