/// Three queues, first in first out: new ones wait in a small one, those used again meanwhile move to the main one, and
/// of those that were dropped the keys are remembered.
///
/// Yang, Zhang, Qiu, Yue, Rashmi: FIFO Queues are All You Need for Cache Eviction, SOSP 2023.
struct S3FIFO: Policy {
    private let capacity: Int
    private let smallShare: Double
    private let promotion: UInt8
    private let ghostShare: Double
    private var small = KeyList()
    private var main = KeyList()
    private var ghost = KeyList()
    private var uses: [Int: UInt8] = [:]

    init(capacity: Int) { self.init(capacity: capacity, smallShare: 0.1, promotion: 2, ghostShare: 0.9) }

    init(capacity: Int, smallShare: Double, promotion: UInt8, ghostShare: Double) {
        self.capacity = capacity
        self.smallShare = smallShare
        self.promotion = promotion
        self.ghostShare = ghostShare
    }

    var cost: Int { small.cost + main.cost }

    mutating func use(_ key: Int, cost keyCost: Int) -> Bool {
        if small.contains(key) || main.contains(key) {
            uses[key] = min(3, uses[key, default: 0] + 1)
            return true
        }
        uses[key] = 0
        if ghost.contains(key) {
            ghost.remove(key)
            main.append(key, cost: keyCost)
        } else {
            small.append(key, cost: keyCost)
        }
        while cost > capacity { evict() }
        return false
    }

    private mutating func evict() {
        if Double(small.cost) > smallShare * Double(capacity) || main.count == 0 { evictSmall() } else { evictMain() }
    }

    private mutating func evictSmall() {
        guard let (key, keyCost) = small.popFirst() else { return }
        if uses[key, default: 0] >= promotion {
            uses[key] = 0
            main.append(key, cost: keyCost)
            return
        }
        uses[key] = nil
        ghost.append(key, cost: keyCost)
        while Double(ghost.cost) > ghostShare * Double(capacity), ghost.popFirst() != nil {}
    }

    private mutating func evictMain() {
        guard let (key, keyCost) = main.popFirst() else { return }
        let left = uses[key, default: 0]
        guard left > 0 else {
            uses[key] = nil
            return
        }
        uses[key] = left - 1
        main.append(key, cost: keyCost)
    }
}
