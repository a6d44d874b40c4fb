import WebImageFoundation

extension ImageRequest {
    /// Whether its URL is all there is to try.
    func hasOneSource(_ isConstrained: () -> Bool) -> Bool {
        alternatives.isEmpty && (lowDataURL == nil || !isConstrained())
    }

    /// Whether there is any URL to try.
    var namesPicture: Bool { url != nil || !alternatives.isEmpty }

    /// The sources to try, in order: on a constrained network the small one first.
    func sources(isConstrained: Bool) -> [URL?] {
        let small = isConstrained ? [lowDataURL].compactMap(\.self) : []
        return small + [url] + alternatives
    }

    /// The same wish for the picture of one of its sources alone.
    func only(_ source: URL?) -> ImageRequest {
        var request = self
        request.url = source
        request.alternatives = []
        request.lowDataURL = nil
        return request
    }
}
