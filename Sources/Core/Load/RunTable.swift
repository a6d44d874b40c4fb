/// A key with its hash, which takes long to make of a whole request: it is needed when work begins, grows and ends.
struct RunKey<Key: Hashable & Sendable>: Hashable, Sendable {
    let key: Key
    private let number: Int

    init(_ key: Key) {
        self.key = key
        number = key.hashValue
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(number)
    }

    static func == (first: RunKey, second: RunKey) -> Bool {
        first.number == second.number && first.key == second.key
    }
}

/// Pieces of shared work by their keys. Mostly it is one, which takes no memory of its own.
struct RunTable<Key: Hashable & Sendable, Value: Sendable> {
    typealias Run = SharedRun<Key, Value>

    private var first: Run?
    private var others: [RunKey<Key>: Run] = [:]

    var count: Int { (first == nil ? 0 : 1) + others.count }
    var all: [Run] { (first.map { [$0] } ?? []) + others.values }

    subscript(key: RunKey<Key>) -> Run? {
        if let first, first.key == key { return first }
        return others.isEmpty ? nil : others[key]
    }

    /// Puts a run in, whose key is another than those of all that are there.
    mutating func insert(_ run: Run) {
        if first == nil { first = run } else { others[run.key] = run }
    }

    /// Takes a run out, if it is there.
    mutating func remove(_ run: Run) {
        if first === run {
            first = nil
        } else if let place = others.index(forKey: run.key), others.values[place] === run {
            others.remove(at: place)
        }
    }
}
