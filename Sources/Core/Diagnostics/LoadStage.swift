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
