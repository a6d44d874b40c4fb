/// The rooms a picture walks through, in order. Folders, errors, events and tests use these words.
public enum LoadStage: String, Sendable, Hashable, CaseIterable {
    case request
    case cache
    case load
    case decode
    case transform
    case store
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
