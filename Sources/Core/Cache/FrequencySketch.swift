/// How often keys were used of late, about, in 16 to 32 bytes for each picture held: a count-min sketch whose counters
/// are halved now and then, so that what was popular once does not stay for ever.
///
/// Einziger, Friedman, Manes: TinyLFU, ACM Transactions on Storage 13(4), 2017.
struct FrequencySketch {
    private static let rows = 4
    private static let most: UInt8 = 15
    /// Counters are halved after so many uses for each picture held.
    private static let usesPerPicture = 10
    private static let shortestPeriod = 100

    private var counters = [UInt8](repeating: 0, count: rows * 256)
    private var width = 256
    private var uses = 0
    private var period = shortestPeriod

    /// At least how often a key of this hash was used, unless others have the same counters.
    func frequency(_ hash: Int) -> UInt8 {
        var least = Self.most
        for row in 0..<Self.rows { least = min(least, counters[place(hash, row)]) }
        return least
    }

    /// Notes uses of a key.
    mutating func add(_ hash: Int, _ count: UInt8) {
        let sum = min(Self.most, frequency(hash) + min(count, Self.most))
        for row in 0..<Self.rows {
            let place = place(hash, row)
            counters[place] = max(counters[place], sum)
        }
        uses += Int(count)
        if uses >= period { age() }
    }

    /// Makes room for so many pictures held; what was counted is kept.
    mutating func fit(_ count: Int) {
        period = max(Self.shortestPeriod, count * Self.usesPerPicture)
        while width < count * 4, width < 1 << 20 {
            var wider: [UInt8] = []
            wider.reserveCapacity(counters.count * 2)
            for row in 0..<Self.rows {
                let part = counters[row * width..<(row + 1) * width]
                wider += part
                wider += part
            }
            (counters, width) = (wider, width * 2)
        }
    }

    private mutating func age() {
        for place in counters.indices { counters[place] /= 2 }
        uses /= 2
    }

    /// Each row takes other bits of the hash.
    private func place(_ hash: Int, _ row: Int) -> Int {
        let bits = UInt64(truncatingIfNeeded: hash) &* (UInt64(row) &* 2 &+ 0x9E37_79B9_7F4A_7C15)
        return row * width + Int(truncatingIfNeeded: bits >> 24) & (width - 1)
    }
}
