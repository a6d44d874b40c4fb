import WebImageFoundation

/// What a load is to load, and what its pictures are filed under. Made also for a load that memory answers.
struct LoadKeys: Sendable {
    let url: URL
    /// The untransformed, full-size picture.
    let original: CacheKey
    /// What the caller asked for, before the transformer.
    var decoded: CacheKey { decodedVariant ?? original }
    /// What the caller asked for.
    var result: CacheKey { resultVariant ?? decoded }

    /// Whether the result is another picture than the original.
    var hasVariant: Bool { decodedVariant != nil || resultVariant != nil }

    // Only where they are others: most loads want the original, and to copy a key costs as much as to look for it.
    private let decodedVariant: CacheKey?
    private let resultVariant: CacheKey?

    /// The keys of a request that the manager's options processor has seen.
    init(_ request: borrowing ImageRequest) throws(ImageError) {
        guard let url = request.url, let key = CacheKey(of: url, request.context.cacheKeyFilter) else {
            throw ImageError(.invalidURL, .request, "there is no URL; give one that names a picture")
        }
        self.url = url
        original = key
        decodedVariant = key.appending(request.decodeFragments)
        resultVariant = (decodedVariant ?? key).appending(request.stages.map { $0.key })
    }
}

extension CacheKey {
    /// The key of the picture at a URL: what the filter answers, else the URL's exact spelling; `nil` for an empty URL.
    ///
    /// A user name and a password, which must not come to lie on disk, stand in it as a digest: another user may be
    /// given another picture.
    fileprivate init?(of url: URL, _ filter: CacheKeyFilter?) {
        let text = url.absoluteString
        guard !text.isEmpty else { return nil }
        if let filter {
            self.init(filter.key(for: url))
        } else if !text.hasByte("@") || (url.user == nil && url.password == nil) {
            self.init(text)
        } else {
            let digest = Digest.sha256.hexadecimal("\(url.user ?? ""):\(url.password ?? "")")
            self.init(url.withoutCredentials, fragments: ["User(\(digest))"])
        }
    }
}

extension CacheKey {
    /// The key with all fragments after it; `nil` where there are none.
    fileprivate func appending(_ fragments: [String]) -> CacheKey? {
        fragments.isEmpty ? nil : fragments.reduce(self) { $0.appending($1) }
    }
}
