/// Pieces of shared work by their keys. Mostly it is one, which takes no memory of its own.
struct RunTable<Key: Hashable & Sendable, Value: Sendable> {
    typealias Run = SharedRun<Key, Value>

    private var first: Run?
    private var others: [Key: Run] = [:]

    var count: Int { (first == nil ? 0 : 1) + others.count }
    var all: [Run] { (first.map { [$0] } ?? []) + others.values }

    subscript(key: Key) -> Run? {
        get {
            if let first, first.key == key { return first }
            return others.isEmpty ? nil : others[key]
        }
        set {
            if let known = first {
                if known.key == key { first = newValue } else { others[key] = newValue }
            } else if !others.isEmpty, others[key] != nil {
                others[key] = newValue
            } else {
                first = newValue
            }
        }
    }
}
