import Foundation

/// Uses of pictures as programs make them: keys in order, and what each picture costs.
struct Trace {
    var name: String
    var keys: [Int]
    /// By key, in units of which the caches below have a number.
    var cost: @Sendable (Int) -> Int = { _ in 1 }
}

/// The same numbers at every run.
struct Dice {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }
}

/// Keys of which the one at place n is asked for with a likelihood of 1 / n^s.
struct Zipf {
    private let sums: [Double]

    init(count: Int, exponent: Double) {
        var sums: [Double] = []
        var sum = 0.0
        for place in 1...count {
            let weight = pow(Double(place), -exponent)
            sum += weight
            sums.append(sum)
        }
        self.sums = sums
    }

    func draw(_ dice: inout Dice) -> Int {
        let wanted = dice.fraction() * sums[sums.count - 1]
        var (low, high) = (0, sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] < wanted { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Trace {
    /// A gallery of 600 pictures scrolled forth and back in strides of different length; two rows are asked for again
    /// when the direction turns, as views do.
    static func gallery(seed: UInt64 = 1) -> Trace {
        var (dice, keys, place) = (Dice(seed), [Int](), 0)
        while keys.count < 60_000 {
            let stride = 20 + dice.below(280)
            let direction = place + stride >= 600 ? -1 : place - stride < 0 ? 1 : dice.below(3) == 0 ? -1 : 1
            for _ in 0..<stride {
                place = min(599, max(0, place + direction))
                keys.append(place)
            }
        }
        return Trace(name: "gallery, forth and back", keys: keys)
    }

    /// A feed: new pictures at the top, mostly looked at once, some again soon; the same 60 faces beside them.
    static func feed(seed: UInt64 = 2) -> Trace {
        var (dice, keys, newest) = (Dice(seed), [Int](), 1_000)
        let faces = Zipf(count: 60, exponent: 0.8)
        while keys.count < 60_000 {
            newest += 1
            keys.append(newest)
            keys.append(faces.draw(&dice))
            if dice.below(4) == 0 { keys.append(newest - dice.below(40)) }
        }
        return Trace(name: "feed with faces", keys: keys)
    }

    static func zipf(_ exponent: Double, seed: UInt64 = 3) -> Trace {
        var dice = Dice(seed)
        let draw = Zipf(count: 5_000, exponent: exponent)
        return Trace(name: "zipf \(exponent)", keys: (0..<80_000).map { _ in draw.draw(&dice) })
    }

    /// Popular pictures, and between them scans of a thousand that nobody sees again.
    static func scans(seed: UInt64 = 4) -> Trace {
        var (dice, keys, next) = (Dice(seed), [Int](), 100_000)
        let draw = Zipf(count: 2_000, exponent: 0.9)
        while keys.count < 80_000 {
            for _ in 0..<3_000 { keys.append(draw.draw(&dice)) }
            for _ in 0..<1_000 {
                next += 1
                keys.append(next)
            }
        }
        return Trace(name: "zipf 0.9 with scans of 1,000", keys: keys)
    }

    /// Round and round over slightly more than the cache holds.
    static func loop(_ count: Int) -> Trace {
        Trace(name: "loop over \(count)", keys: (0..<60_000).map { $0 % count })
    }

    /// What is popular changes every 5,000 uses.
    static func shifting(seed: UInt64 = 5) -> Trace {
        var (dice, keys) = (Dice(seed), [Int]())
        let draw = Zipf(count: 1_000, exponent: 1)
        for index in 0..<80_000 { keys.append(draw.draw(&dice) + index / 5_000 * 700) }
        return Trace(name: "zipf 1.0 that shifts", keys: keys)
    }

    /// Thumbnails of 1, pictures of 4 and some of 10 units.
    static func mixedSizes(seed: UInt64 = 6) -> Trace {
        var dice = Dice(seed)
        let draw = Zipf(count: 3_000, exponent: 0.9)
        let keys = (0..<80_000).map { _ in draw.draw(&dice) }
        return Trace(name: "zipf 0.9, costs 1 to 10", keys: keys) { $0 % 16 == 3 ? 10 : $0 % 4 == 1 ? 4 : 1 }
    }
}
