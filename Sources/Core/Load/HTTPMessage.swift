public import WebImageFoundation

/// Header fields of a request or an answer, in order. Names are compared without regard to case.
public struct HTTPHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// Name and value as written.
    public private(set) var fields: [Field]

    /// One header line.
    public struct Field: Sendable, Hashable {
        /// The name as written.
        public var name: String
        /// The value without space around it.
        public var value: String

        /// One header line.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Lines in order; a name may come more than once.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// Lines in order: `["Accept": "image/*"]`.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { Field(name: $0, value: $1) })
    }

    /// The first value of a name; setting replaces all values of the name, setting `nil` removes them.
    public subscript(name: String) -> String? {
        get { fields.first { Self.isSame($0.name, name) }?.value }
        set {
            fields.removeAll { Self.isSame($0.name, name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// Adds a line beside those of the same name.
    public mutating func append(name: String, value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Whether two names are one, as RFC 9110 compares them: ASCII letters without regard to case.
    static func isSame(_ first: String, _ second: String) -> Bool {
        first.utf8.count == second.utf8.count
            && zip(first.utf8, second.utf8).allSatisfy { lowercased($0) == lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}

/// What goes on the wire, or is compared to tell whether two loads may share one download.
public struct HTTPRequest: Sendable, Hashable {
    /// Where to; its fragment is not sent.
    public var url: URL
    /// Upper case, such as `GET`.
    public var method: String
    /// What is sent beside what the transport adds itself, such as `Host`.
    public var headers: HTTPHeaders
    /// What is sent after the head; `nil` sends nothing.
    public var body: Data?
    /// Seconds without a byte received until the transfer fails with `timedOut`. Time in a queue does not count.
    public var timeout: Double
    /// Whether a server whose certificate cannot be verified is accepted, for this request only. Default `false`.
    public var allowsInvalidCertificate: Bool

    /// A request; by default a plain GET.
    public init(
        url: URL, method: String = "GET", headers: HTTPHeaders = HTTPHeaders(), body: Data? = nil,
        timeout: Double = 15, allowsInvalidCertificate: Bool = false
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.allowsInvalidCertificate = allowsInvalidCertificate
    }
}

/// The head of a server's answer.
public struct HTTPResponse: Sendable, Hashable {
    /// The URL that this is the answer for; after redirects not the one asked for.
    public var url: URL
    /// The status, 200…999.
    public var statusCode: Int
    /// The final answer's header fields.
    public var headers: HTTPHeaders
    /// What the connection can carry.
    public var version: HTTPVersion
    /// How many bytes the body will have once decoded; `nil` where that is unknown, as for a compressed body.
    public var expectedByteCount: Int?

    /// An answer, as a transport or a test makes it.
    public init(
        url: URL, statusCode: Int, headers: HTTPHeaders = HTTPHeaders(), version: HTTPVersion = .http1,
        expectedByteCount: Int? = nil
    ) {
        self.url = url
        self.statusCode = statusCode
        self.headers = headers
        self.version = version
        self.expectedByteCount = expectedByteCount
    }
}

/// Whether one connection carries one exchange at a time, or many.
public enum HTTPVersion: Sendable, Hashable {
    /// HTTP/1.0 and HTTP/1.1.
    case http1
    /// HTTP/2 and later: many streams on one connection.
    case multiplexed
}
