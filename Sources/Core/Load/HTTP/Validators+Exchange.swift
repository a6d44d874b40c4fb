import WebImageFoundation

extension DiskMetadata.Validators {
    /// What to keep of an answer.
    ///
    /// - Parameters:
    ///   - request: The header fields that were sent.
    ///   - times: When the request was sent and when its answer was there.
    init(_ response: HTTPResponse, request: HTTPHeaders, times: ExchangeTimes) {
        self.init()
        let headers = response.headers
        etag = headers["ETag"]
        lastModified = headers["Last-Modified"]
        date = headers["Date"]
        age = headers["Age"]
        expires = headers["Expires"]
        cacheControl = headers.list("Cache-Control")
        // What the asker forbids to store is as what the server does; and a part must never pose as the whole.
        if RequestCacheControl(request).isNoStore || response.statusCode == 206 { cacheControl = "no-store" }
        vary = headers.list("Vary")
        varyDigest = VaryDigest.of(vary, request)
        requestedAt = WallTime(seconds: times.sent.seconds)
        receivedAt = WallTime(seconds: times.received.seconds)
    }

    /// Whether an answer to a request with these header fields would be this one, as far as the server tells.
    func matches(_ request: HTTPHeaders) -> Bool {
        guard let vary else { return true }
        return varyDigest.map { $0 == VaryDigest.of(vary, request) } ?? false
    }

    /// The header fields that ask whether it is still good; empty where there is nothing to ask by.
    var conditions: HTTPHeaders {
        var headers = HTTPHeaders()
        if let etag { headers["If-None-Match"] = etag }
        if let lastModified { headers["If-Modified-Since"] = lastModified }
        return headers
    }

    /// These after the answer 304 (RFC 9111, 4.3.4); `nil` where that answer speaks of another version than this.
    func confirmed(
        by response: HTTPResponse?, request: HTTPHeaders, times: ExchangeTimes
    ) -> DiskMetadata.Validators? {
        guard let response, !RequestCacheControl(request).isNoStore else { return self }
        var new = DiskMetadata.Validators(response, request: request, times: times)
        guard new.isOfSameVersion(as: self) else { return nil }
        new.etag = new.etag ?? etag
        new.lastModified = new.lastModified ?? lastModified
        new.expires = new.expires ?? expires
        new.cacheControl = new.cacheControl ?? cacheControl
        if new.vary == nil {
            new.vary = vary
            new.varyDigest = varyDigest
        }
        new.bodyDigest = bodyDigest
        return new
    }

    /// Whether an answer 304 with these is about the version with those: by the tag, and where either has none by the
    /// date, which may be the earlier one of another server with the same file, but no later one.
    private func isOfSameVersion(as other: DiskMetadata.Validators) -> Bool {
        if let tag = etag, let otherTag = other.etag { return Self.opaque(tag) == Self.opaque(otherTag) }
        guard let told = lastModified.flatMap(HTTPDate.parse)?.seconds,
            let known = other.lastModified.flatMap(HTTPDate.parse)?.seconds
        else { return true }
        return told <= known
    }

    /// A tag without the mark of weakness: 304 is given by weak comparison.
    private static func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }
}
