import CWebImageCurl

/// Undoes a body's content encoding as it comes, in bounded memory, and knows whether it came whole.
///
/// Only the transport's thread touches it.
@safe final class ContentDecoder {
    private enum Place {
        case inStream
        /// A gzip file may go on with another stream (RFC 1952, 2.2).
        case atEnd
        /// What follows belongs to no stream; it is ignored, as gzip itself does.
        case afterEnd
    }

    private let inflater: OpaquePointer
    private let output: UnsafeMutableRawBufferPointer
    private let mayHaveMembers: Bool
    private var place = Place.inStream

    private static let partByteCount = 32 * 1024

    /// `nil` for an encoding that it cannot undo, or without memory.
    init?(_ encoding: ContentEncoding, firstByte: UInt8) {
        // zlib's head begins so; a stream without one practically never does.
        let hasHead = firstByte & 0x0F == 8 && firstByte >> 4 <= 7
        switch encoding {
        case .gzip: mayHaveMembers = true
        case .deflate: mayHaveMembers = false
        case .identity, .other: return nil
        }
        let isRaw = encoding == .deflate && !hasHead
        guard let inflater = unsafe cwebimage_curl_new_inflater(isRaw ? 1 : 0) else { return nil }
        unsafe self.inflater = inflater
        unsafe output = .allocate(byteCount: Self.partByteCount, alignment: 16)
    }

    deinit {
        unsafe cwebimage_curl_free_inflater(inflater)
        unsafe output.deallocate()
    }

    /// Whether the stream's end, and its checksum, came.
    var isComplete: Bool { place != .inStream }

    /// Takes the next bytes of the body and tells what they unpack to, in parts, until told to stop by `false`.
    ///
    /// - Returns: `false` for damaged bytes.
    func decode(_ bytes: UnsafeRawBufferPointer, tell: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        var rest = unsafe bytes
        while unsafe begin(rest) {
            var (left, room) = unsafe (rest.count, output.count)
            let result = unsafe cwebimage_curl_inflate(inflater, rest.baseAddress, &left, output.baseAddress, &room)
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest.suffix(left))
            let part = unsafe UnsafeRawBufferPointer(rebasing: output.dropLast(room))
            if unsafe !part.isEmpty, unsafe !tell(part) { return true }
            switch result {
            case cwebimage_curl_inflate_full: continue
            case cwebimage_curl_inflate_end: place = .atEnd
            case cwebimage_curl_inflate_more: return true
            default: return false
            }
        }
        return true
    }

    /// Whether the next bytes are a stream's.
    private func begin(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard place == .atEnd, let first = unsafe bytes.first else { return place == .inStream }
        guard mayHaveMembers, first == 0x1F else {
            place = .afterEnd
            return false
        }
        unsafe cwebimage_curl_reset_inflater(inflater)
        place = .inStream
        return true
    }
}
