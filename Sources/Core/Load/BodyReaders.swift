/// Who reads a body while it arrives, and how far each has come.
///
/// A value. The server is held back only for the one who is furthest: the body is kept whole anyway, and a slow reader
/// must not slow down a fast one.
struct BodyReaders {
    private var offsets: [Identity: Int] = [:]

    /// At most so much is handed out at once, so that a late reader does not copy a whole body.
    static let maxReadByteCount = 1 << 20
    /// How far the furthest reader may be behind before the server is held back.
    static let maxLag = 1 << 22

    /// The part to hand out next to a reader, of a body of so many bytes.
    mutating func advance(_ reader: Identity, _ byteCount: Int) -> Range<Int> {
        let start = min(offsets[reader, default: 0], byteCount)
        let end = min(byteCount, start + Self.maxReadByteCount)
        offsets[reader] = end
        return start..<end
    }

    mutating func remove(_ reader: Identity) {
        offsets[reader] = nil
    }

    /// Whether the server should wait, with so many bytes here.
    func mustHoldBack(_ byteCount: Int) -> Bool {
        guard !offsets.isEmpty else { return false }
        return offsets.values.max().map { byteCount - $0 > Self.maxLag } ?? false
    }
}
