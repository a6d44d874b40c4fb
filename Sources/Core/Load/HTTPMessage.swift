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
        get { index(of: name).map { fields[$0].value } }
        set {
            fields.removeAll { Self.isSame($0.name, name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// Where the first line of a name stands. Lines are looked at in place: an answer's are searched a dozen times.
    func index(of name: String) -> Int? {
        let count = name.utf8.count
        for index in fields.indices where fields[index].name.utf8.count == count {
            if Self.isSame(fields[index].name, name) { return index }
        }
        return nil
    }

    /// Adds a line beside those of the same name.
    public mutating func append(name: String, value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Takes the lines of others in, each name in the place of all that were of that name.
    mutating func replace(with others: HTTPHeaders) {
        for field in others.fields { self[field.name] = nil }
        for field in others.fields { append(name: field.name, value: field.value) }
    }

    /// Whether two names are one, as RFC 9110 compares them: ASCII letters without regard to case.
    package static func isSame(_ first: String, _ second: String) -> Bool {
        guard first.utf8.count == second.utf8.count else { return false }
        // Mostly they are spelled alike.
        if first == second { return true }
        var others = second.utf8.makeIterator()
        for byte in first.utf8 {
            guard let other = others.next(), byte == other || lowercased(byte) == lowercased(other) else {
                return false
            }
        }
        return true
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
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
    /// When the request that this answers was sent, where that is known; not compared.
    var requestedAt: ContinuousClock.Instant? {
        get { request.moment }
        set { request.moment = newValue }
    }
    private var request = Moment()

    /// Alike whenever it is.
    private struct Moment: Hashable, Sendable {
        var moment: ContinuousClock.Instant?

        static func == (first: Moment, second: Moment) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

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
