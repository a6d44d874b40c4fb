/// A small window by age, and a main part that a newcomer enters only when it was used more often than whom it would
/// push out, by a sketch that counts all uses and forgets with time.
///
/// Einziger, Friedman, Manes: TinyLFU, ACM Transactions on Storage 13(4), 2017.
struct WTinyLFU: Policy {
    private let capacity: Int
    private let windowShare: Double
    private var window = KeyList()
    private var probation = KeyList()
    private var protected = KeyList()
    private var sketch: Sketch

    init(capacity: Int) { self.init(capacity: capacity, windowShare: 0.01, entries: 1024) }

    init(capacity: Int, windowShare: Double, entries: Int) {
        self.capacity = capacity
        self.windowShare = windowShare
        sketch = Sketch(entries: entries)
    }

    var cost: Int { window.cost + probation.cost + protected.cost }

    mutating func use(_ key: Int, cost keyCost: Int) -> Bool {
        sketch.count(key)
        if window.contains(key) {
            window.remove(key)
            window.append(key, cost: keyCost)
            return true
        }
        if probation.contains(key) || protected.contains(key) {
            probation.remove(key)
            protected.remove(key)
            protected.append(key, cost: keyCost)
            let limit = 0.8 * (1 - windowShare) * Double(capacity)
            while Double(protected.cost) > limit, let (old, oldCost) = protected.popFirst() {
                probation.append(old, cost: oldCost)
            }
            return true
        }
        window.append(key, cost: keyCost)
        while window.cost > windowLimit, let (candidate, candidateCost) = window.popFirst() {
            admit(candidate, candidateCost)
        }
        return false
    }

    private var windowLimit: Int { max(1, Int(windowShare * Double(capacity))) }

    private mutating func admit(_ candidate: Int, _ candidateCost: Int) {
        let frequency = sketch.frequency(candidate)
        while probation.cost + protected.cost + candidateCost > capacity - windowLimit {
            guard let victim = probation.first ?? protected.first else { return }
            guard frequency > sketch.frequency(victim) else { return }
            probation.remove(victim)
            protected.remove(victim)
        }
        probation.append(candidate, cost: candidateCost)
    }
}

/// How often keys were used lately, about: four rows of small counters, halved every ten uses an entry.
struct Sketch {
    private var counters: [UInt8]
    private let mask: Int
    private let period: Int
    private var uses = 0

    init(entries: Int) {
        var width = 64
        while width < entries * 4 { width *= 2 }
        counters = Array(repeating: 0, count: width * 4)
        mask = width - 1
        period = entries * 10
    }

    private func places(_ key: Int) -> [Int] {
        (0..<4).map { row in
            var hash = UInt64(truncatingIfNeeded: key &+ 1) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(row) &* 0xC2B2_AE3D_27D4_EB4F
            hash = (hash ^ (hash >> 29)) &* 0xBF58_476D_1CE4_E5B9
            return row * (mask + 1) + Int(truncatingIfNeeded: (hash ^ (hash >> 32)) & UInt64(mask))
        }
    }

    func frequency(_ key: Int) -> UInt8 { places(key).map { counters[$0] }.min() ?? 0 }

    mutating func count(_ key: Int) {
        let places = places(key)
        let least = places.map { counters[$0] }.min() ?? 0
        for place in places where counters[place] == least && least < 15 { counters[place] += 1 }
        uses += 1
        if uses == period {
            uses = 0
            for place in counters.indices { counters[place] /= 2 }
        }
    }
}
