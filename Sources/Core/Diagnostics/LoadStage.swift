/// The rooms a picture walks through, in order. Folders, errors, events and tests use these words.
public enum LoadStage: String, Sendable, Hashable, CaseIterable {
    /// What is wanted is made out: the URL, the options, the cache key, and whether the URL is blocked.
    case request
    /// Memory and disk are looked into.
    case cache
    /// The bytes are brought by a loader: from the network, a file, or wherever it gets them.
    case load
    /// Bytes become pixels, upright and in the colours asked for.
    case decode
    /// The transformer makes another picture of them.
    case transform
    /// The picture is encoded and written into the caches; encoding by itself counts here too.
    case store
    /// A view shows it.
    case view
}

extension LoadStage {
    /// Its place among all.
    var place: Int {
        switch self {
        case .request: 0
        case .cache: 1
        case .load: 2
        case .decode: 3
        case .transform: 4
        case .store: 5
        case .view: 6
        }
    }
}
