/// W-TinyLFU of which a hit only bumps a counter of the picture: two queues, first in first out, whose oldest gets
/// another round when it was used meanwhile. What was used is told to the sketch only then.
struct ClockTinyLFU: Policy {
    private let capacity: Int
    private let windowShare: Double
    private var window = KeyList()
    private var main = KeyList()
    private var uses: [Int: UInt8] = [:]
    private var sketch: Sketch

    init(capacity: Int) { self.init(capacity: capacity, windowShare: 0.3, entries: 1024) }

    init(capacity: Int, windowShare: Double, entries: Int) {
        self.capacity = capacity
        self.windowShare = windowShare
        sketch = Sketch(entries: entries)
    }

    var cost: Int { window.cost + main.cost }

    mutating func use(_ key: Int, cost keyCost: Int) -> Bool {
        if window.contains(key) || main.contains(key) {
            uses[key] = min(15, uses[key, default: 0] + 1)
            return true
        }
        sketch.count(key)
        window.append(key, cost: keyCost)
        uses[key] = 0
        while window.cost > windowLimit, window.count > 1, let candidate = oldest(in: \.window) {
            admit(candidate, cost: window.cost(of: candidate))
        }
        while cost > capacity, let victim = oldest(in: \.main) { drop(victim) }
        return false
    }

    private var windowLimit: Int { max(1, Int(windowShare * Double(capacity))) }

    /// The first that was not used since it was last looked at.
    private mutating func oldest(in queue: WritableKeyPath<ClockTinyLFU, KeyList>) -> Int? {
        while let key = self[keyPath: queue].first, let count = uses[key], count > 0 {
            for _ in 0..<count { sketch.count(key) }
            uses[key] = 0
            let keyCost = self[keyPath: queue].cost(of: key)
            self[keyPath: queue].remove(key)
            self[keyPath: queue].append(key, cost: keyCost)
        }
        return self[keyPath: queue].first
    }

    private mutating func admit(_ candidate: Int, cost candidateCost: Int) {
        window.remove(candidate)
        let frequency = sketch.frequency(candidate)
        while window.cost + main.cost + candidateCost > capacity {
            guard let victim = oldest(in: \.main), frequency > sketch.frequency(victim) else {
                uses[candidate] = nil
                return
            }
            drop(victim)
        }
        main.append(candidate, cost: candidateCost)
    }

    private mutating func drop(_ key: Int) {
        main.remove(key)
        uses[key] = nil
    }
}
