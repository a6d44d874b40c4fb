/// How often each symbol occurs, out of 4096 times: what a table for asymmetric numeral systems is made of.
struct JXLDistribution {
    static let total = 1 << 12
    private(set) var counts: [Int]

    init(_ bits: inout JXLBits) throws(JXLFault) {
        if try bits.flag() {
            counts = try Self.oneOrTwo(&bits)
        } else if try bits.flag() {
            counts = Self.flat(try Self.byte(&bits) + 1)
        } else {
            counts = try Self.listed(&bits)
        }
    }

    /// A number up to 255 whose length comes first.
    private static func byte(_ bits: inout JXLBits) throws(JXLFault) -> Int {
        guard try bits.flag() else { return 0 }
        let count = try bits.read(3)
        return 1 << count + (try bits.read(count))
    }

    private static func oneOrTwo(_ bits: inout JXLBits) throws(JXLFault) -> [Int] {
        let hasTwo = try bits.flag()
        let first = try byte(&bits)
        guard hasTwo else { return [Int](repeating: 0, count: first) + [total] }
        let second = try byte(&bits)
        guard first != second else { throw .damaged("a distribution names a symbol twice") }
        var counts = [Int](repeating: 0, count: max(first, second) + 1)
        counts[first] = try bits.read(12)
        counts[second] = total - counts[first]
        return counts
    }

    private static func flat(_ count: Int) -> [Int] {
        (0..<count).map { total / count + ($0 < total % count ? 1 : 0) }
    }

    // MARK: Counts one by one

    /// What stands for a count: the number of its bits, or that the one before it is repeated.
    private static let repeated = 13

    /// The symbols of the code for lengths by their code words, the first bit lowest.
    private static let lengthWords: [(word: Int, bitCount: Int, length: Int)] = [
        (0b000, 3, 10), (0b010, 3, 7), (0b100, 3, 6), (0b101, 3, 8), (0b110, 3, 9), (0b0011, 4, 3), (0b0111, 4, 5),
        (0b1001, 4, 4), (0b1011, 4, 1), (0b1111, 4, 2), (0b10001, 5, 0), (0b100001, 6, 11), (0b0000001, 7, 12),
        (0b1000001, 7, repeated),
    ]

    private static func listed(_ bits: inout JXLBits) throws(JXLFault) -> [Int] {
        let precision = try precision(&bits)
        let lengths = try lengths(&bits, count: try byte(&bits) + 3)
        // The first of the longest counts is what the others leave.
        guard let longest = lengths.compactMap(\.length).max(),
            let rest = lengths.firstIndex(where: { $0.length == longest })
        else { throw .damaged("a distribution has no counts") }
        var counts: [Int] = []
        for (index, entry) in lengths.enumerated() {
            switch entry {
            case .repeated: counts.append(counts.last ?? 0)
            case .bits(let length):
                counts.append(index == rest || length == 0 ? 0 : try count(&bits, length, precision))
            }
        }
        counts[rest] = total - counts.reduce(0, +)
        guard counts[rest] > 0 else { throw .damaged("a distribution has too high counts") }
        return counts
    }

    private static func precision(_ bits: inout JXLBits) throws(JXLFault) -> Int {
        var length = 0
        while length < 3, try bits.flag() { length += 1 }
        let precision = (try bits.read(length)) + 1 << length - 1
        guard precision <= 13 else { throw .damaged("a distribution is too precise") }
        return precision
    }

    private enum Entry {
        /// As many bits as the count has.
        case bits(Int)
        /// The count before it once more.
        case repeated

        var length: Int? {
            guard case .bits(let length) = self else { return nil }
            return length
        }
    }

    private static func lengths(_ bits: inout JXLBits, count: Int) throws(JXLFault) -> [Entry] {
        var entries: [Entry] = []
        while entries.count < count {
            let length = try length(&bits)
            guard length == repeated else {
                entries.append(.bits(length))
                continue
            }
            let times = try byte(&bits) + 4
            guard times <= count - entries.count else { throw .damaged("a distribution is too long") }
            entries += repeatElement(.repeated, count: times)
        }
        return entries
    }

    private static func length(_ bits: inout JXLBits) throws(JXLFault) -> Int {
        var word = 0
        for bitCount in 1...7 {
            word |= try bits.read(1) << (bitCount - 1)
            if let found = lengthWords.first(where: { $0.bitCount == bitCount && $0.word == word }) {
                return found.length
            }
        }
        throw .damaged("a distribution has a wrong length")
    }

    /// A count of a number of bits: its highest is one, those that the precision covers follow, the rest are zeros.
    private static func count(_ bits: inout JXLBits, _ length: Int, _ precision: Int) throws(JXLFault) -> Int {
        let below = length - 1
        let written = max(0, min(below, precision - (12 - below) >> 1))
        return try 1 << below + bits.read(written) << (below - written)
    }
}
