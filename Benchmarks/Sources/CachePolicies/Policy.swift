/// A rule of what stays: told of each use of a picture, it says whether it was there.
protocol Policy {
    init(capacity: Int)
    /// Whether the key was held. Holds it now, if the rule says so.
    mutating func use(_ key: Int, cost: Int) -> Bool
    /// What the held ones cost together.
    var cost: Int { get }
}

/// Keys in an order, with what they cost: taken off anywhere in the same time.
struct KeyList {
    private var next: [Int: Int] = [:]
    private var previous: [Int: Int] = [:]
    private var costs: [Int: Int] = [:]
    private(set) var first: Int?
    private(set) var last: Int?
    private(set) var cost = 0

    var count: Int { costs.count }

    func contains(_ key: Int) -> Bool { costs[key] != nil }

    func cost(of key: Int) -> Int { costs[key] ?? 0 }

    mutating func append(_ key: Int, cost keyCost: Int) {
        costs[key] = keyCost
        cost += keyCost
        previous[key] = last
        if let last { next[last] = key } else { first = key }
        last = key
    }

    mutating func remove(_ key: Int) {
        guard let keyCost = costs.removeValue(forKey: key) else { return }
        cost -= keyCost
        let (before, after) = (previous.removeValue(forKey: key), next.removeValue(forKey: key))
        if let before { next[before] = after } else { first = after }
        if let after { previous[after] = before } else { last = before }
    }

    mutating func popFirst() -> (key: Int, cost: Int)? {
        guard let key = first else { return nil }
        let keyCost = cost(of: key)
        remove(key)
        return (key, keyCost)
    }
}
