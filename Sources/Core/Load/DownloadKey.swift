/// What loads must have in common to share one download: what goes on the wire, and what is done to what comes back.
struct DownloadKey: Hashable, Sendable {
    var request: HTTPRequest
    var responseModifier: ResponseModifier?
    var decryptor: Decryptor?

    /// The URL alone, for what it costs: two downloads of one URL that differ in the rest are rare.
    func hash(into hasher: inout Hasher) {
        hasher.combine(request.url)
    }
}

/// How a download ended, and what is known of it besides.
struct DownloadEnd: Sendable {
    var result: Result<LoadedData, ImageError>
    var record: DownloadRecord
    /// What can be continued of a body that was interrupted.
    var partial: PartialBody?
    /// Whether the answer was the rest of a partial body.
    var isContinuation = false
    /// The exchange did not begin, and may not before so long.
    var postponement: Duration?
}
