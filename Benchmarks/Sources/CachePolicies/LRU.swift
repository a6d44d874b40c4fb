/// The least recently used goes first.
struct LRU: Policy {
    private let capacity: Int
    private var list = KeyList()

    init(capacity: Int) { self.capacity = capacity }

    var cost: Int { list.cost }

    mutating func use(_ key: Int, cost: Int) -> Bool {
        let isHit = list.contains(key)
        list.remove(key)
        list.append(key, cost: cost)
        while list.cost > capacity, list.popFirst() != nil {}
        return isHit
    }
}
