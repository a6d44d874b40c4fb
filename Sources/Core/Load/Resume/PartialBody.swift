import WebImageFoundation

/// What a body is of, as far as it takes to get the rest of the very same one.
struct BodyIdentity: Sendable, Hashable {
    /// What answered, after redirects; another URL may use the same validator for something else.
    var url: String
    /// A strong validator (RFC 9110, 8.8), as `If-Range` takes it.
    var validator: String
    /// Of the whole, where the server said it.
    var totalByteCount: Int?
}

extension BodyIdentity {
    /// What the body of an answer is of; `nil` where it could not be continued.
    init?(_ response: HTTPResponse, of request: HTTPRequest) {
        guard !response.isContentEncoded, response.headers["Accept-Ranges"]?.lowercased() != "none",
            let validator = response.strongValidator
        else { return nil }
        self.init(
            url: request.url.withoutCredentials, validator: validator, totalByteCount: response.expectedByteCount)
    }
}

/// The beginning of a body that was interrupted.
struct PartialBody: Sendable, Hashable {
    var data: Data
    var identity: BodyIdentity

    /// Less than this is not worth a request of its own kind.
    static let leastByteCount = 1024

    /// `nil` where there is too little of it, or nothing left to get.
    init?(_ data: Data, of identity: BodyIdentity) {
        guard data.count >= Self.leastByteCount, data.count < identity.totalByteCount ?? .max else { return nil }
        self.data = data
        self.identity = identity
    }

    /// The request for the rest. The rest must come as it is: a range of a compressed body is of no use.
    func asked(of request: HTTPRequest) -> HTTPRequest {
        var request = request
        request.headers["Range"] = "bytes=\(data.count)-"
        request.headers["If-Range"] = identity.validator
        request.headers["Accept-Encoding"] = "identity"
        return request
    }

    /// The length of the whole when an answer is the rest of this; `nil` when it is anything else.
    func continuation(in response: HTTPResponse, of request: HTTPRequest) -> Int? {
        guard response.statusCode == 206, !response.isContentEncoded, request.url.withoutCredentials == identity.url,
            let range = response.headers["Content-Range"].flatMap(ContentRange.init), range.start == data.count,
            let total = range.total, total == identity.totalByteCount ?? total, range.end == total - 1
        else { return nil }
        let validator = identity.validator
        let told = response.headers[validator.hasPrefix("\"") ? "ETag" : "Last-Modified"]
        return told ?? validator == validator ? total : nil
    }
}

/// `Content-Range` of a single part (RFC 9110, 14.4).
struct ContentRange: Hashable {
    let start, end: Int
    /// `nil` for `*`.
    let total: Int?

    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { Self.number($0) }
        guard ends.count == 2, let start = ends[0], let end = ends[1], start <= end else { return nil }
        let total = Self.number(parts[1])
        guard parts[1] == "*" || (total.map { end < $0 } ?? false) else { return nil }
        (self.start, self.end, self.total) = (start, end, total)
    }

    private static func number(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }
}

extension HTTPResponse {
    /// Whether the body was in an encoding that the transport has undone.
    var isContentEncoded: Bool { (headers["Content-Encoding"] ?? "identity").lowercased() != "identity" }

    /// What names exactly these bytes (RFC 9110, 8.8): a strong tag; else a date of the last change that lies a minute
    /// before the answer, so that no second change can bear it.
    var strongValidator: String? {
        if let tag = headers["ETag"] {
            let isStrong = tag.utf8.count >= 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"")
            return isStrong ? tag : nil
        }
        guard let modified = headers["Last-Modified"], let changed = HTTPDate.parse(modified)?.seconds,
            let made = headers["Date"].flatMap(HTTPDate.parse)?.seconds
        else { return nil }
        let (age, overflows) = made.subtractingReportingOverflow(changed)
        return !overflows && age >= 60 ? modified : nil
    }
}
