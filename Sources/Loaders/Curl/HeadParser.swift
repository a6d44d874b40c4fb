import WebImageCore

/// Reads the head of an answer line by line, as libcurl hands it over, in bounded memory.
struct HeadParser {
    private let maxFieldCount: Int
    /// Of all lines together, informational heads and trailers included.
    private let maxByteCount: Int

    private(set) var statusCode = 0
    private(set) var isComplete = false
    private var fields: [HTTPHeaders.Field] = []
    private var byteCount = 0

    init(_ configuration: CurlTransport.Configuration) {
        maxFieldCount = max(1, configuration.maxHeaderFieldCount)
        maxByteCount = max(1, configuration.maxHeaderByteCount)
    }

    enum Step: Equatable {
        case more
        /// The final head is here.
        case complete
        /// What the server did wrong, as the end of a sentence about it.
        case refused(String)
    }

    var headers: HTTPHeaders { HTTPHeaders(fields) }

    var contentEncoding: ContentEncoding { headers["Content-Encoding"].map { ContentEncoding($0) } ?? .identity }

    /// The announced length of the body, where it is that of the decoded body too.
    var expectedByteCount: Int? {
        guard statusCode >= 200, statusCode != 204, statusCode != 304, contentEncoding == .identity,
            headers["Transfer-Encoding"] == nil, let length = headers["Content-Length"],
            length.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int(length)
    }

    mutating func read(_ line: UnsafeRawBufferPointer) -> Step {
        byteCount += line.count
        guard byteCount <= maxByteCount else {
            return .refused(
                "sent a head of more than \(maxByteCount) bytes, CurlTransport.Configuration.maxHeaderByteCount")
        }
        // What comes after the head is a trailer of a chunked body.
        guard !isComplete else { return .more }
        let content = unsafe Self.trimmed(line, isLeading: false)
        if unsafe content.isEmpty { return unsafe Self.isBlank(line) ? .more : end() }
        if unsafe content[0] == 0x48, unsafe content.starts(with: "HTTP/".utf8) { return unsafe readStatus(content) }
        return unsafe readField(content)
    }

    private mutating func end() -> Step {
        // 100, 102, 103: another head follows. 101 ends HTTP on the connection; nobody asked for it.
        if (100..<200).contains(statusCode), statusCode != 101 { return .more }
        // Whoever else reads the connection might take the other one (RFC 9112, 6.3).
        let length = headers["Content-Length"]
        for place in fields.indices
        where HTTPHeaders.isSame(fields[place].name, "Content-Length") && fields[place].value != length {
            return .refused("sent two lengths of one body")
        }
        // libcurl takes a length that it cannot count for none, and any body for the whole.
        if let length, headers["Transfer-Encoding"] == nil, !length.isEmpty,
            length.utf8.allSatisfy({ (0x30...0x39).contains($0) }), Int(length) == nil
        {
            return .refused("announced a body of \(length.prefix(40)) bytes")
        }
        isComplete = true
        return .complete
    }

    private mutating func readStatus(_ line: UnsafeRawBufferPointer) -> Step {
        fields.removeAll(keepingCapacity: true)
        fields.reserveCapacity(12)
        let digits = unsafe line.drop { $0 != 0x20 }.drop { $0 == 0x20 }.prefix { $0 != 0x20 }
        guard unsafe digits.count == 3, let code = unsafe Int(String(decoding: digits, as: UTF8.self)), code >= 100
        else {
            return .refused("sent a status line without a status")
        }
        statusCode = code
        return .more
    }

    private mutating func readField(_ line: UnsafeRawBufferPointer) -> Step {
        if unsafe Self.isBlank(line) { return unsafe continueField(line) }
        guard fields.count < maxFieldCount else {
            return .refused(
                "sent more than \(maxFieldCount) header fields, CurlTransport.Configuration.maxHeaderFieldCount")
        }
        guard let colon = unsafe line.firstIndex(of: 0x3A) else { return .more }
        let name = unsafe Self.trimmed(UnsafeRawBufferPointer(rebasing: line[..<colon]), isLeading: true)
        let value = unsafe Self.trimmed(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]), isLeading: true)
        unsafe fields.append(HTTPHeaders.Field(name: Self.text(name), value: Self.text(value)))
        return .more
    }

    /// A line that begins with a blank carries on the one before (RFC 9112, 5.2).
    private mutating func continueField(_ line: UnsafeRawBufferPointer) -> Step {
        guard !fields.isEmpty else { return .more }
        unsafe fields[fields.count - 1].value += " " + Self.text(Self.trimmed(line, isLeading: true))
        return .more
    }

    /// Without blanks and line ends at the end, and at the start where asked.
    private static func trimmed(_ bytes: UnsafeRawBufferPointer, isLeading: Bool) -> UnsafeRawBufferPointer {
        var (start, end) = (0, bytes.count)
        while end > 0, unsafe isBlank(bytes[end - 1]) { end -= 1 }
        while isLeading, start < end, unsafe isBlank(bytes[start]) { start += 1 }
        return unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    /// Whether an empty-looking line carries on the one before, rather than ends the head.
    private static func isBlank(_ line: UnsafeRawBufferPointer) -> Bool {
        unsafe line.first == 0x20 || line.first == 0x09
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
    }

    /// UTF-8, or else Latin-1, which knows every byte: nothing is lost.
    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        // Nearly all is ASCII, which is never repaired.
        if unsafe isASCII(bytes) { return unsafe String(decoding: bytes, as: UTF8.self) }
        if let text = unsafe String(validating: bytes, as: UTF8.self) { return text }
        var text = String.UnicodeScalarView()
        for index in 0..<bytes.count { unsafe text.append(Unicode.Scalar(bytes[index])) }
        return String(text)
    }

    private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var (bits, index) = (UInt64(0), 0)
        while index + 8 <= bytes.count {
            unsafe bits |= bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < bytes.count {
            unsafe bits |= UInt64(bytes[index])
            index += 1
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }
}
