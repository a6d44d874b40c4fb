/// A canonical prefix code of code words up to 15 bits, as Brotli has them (RFC 7932, section 3).
struct JXLPrefixCode {
    private static let maxLength = 15
    /// How many code words there are of each length, from 0 bits on.
    private var counts = [Int](repeating: 0, count: maxLength + 1)
    /// The symbols in the order of their code words.
    private var symbols: [UInt16] = []

    /// A code with one symbol, which takes no bits.
    init(only symbol: Int = 0) {
        counts[0] = 1
        symbols = [UInt16(symbol)]
    }

    /// - Parameter lengths: The length of each symbol's code word; 0 for one that does not occur.
    private init(lengths: [UInt8]) {
        for length in lengths where length > 0 { counts[Int(length)] += 1 }
        var places = counts.reduce(into: [0]) { $0.append($0.last! + $1) }
        symbols = [UInt16](repeating: 0, count: places.last!)
        for (symbol, length) in lengths.enumerated() where length > 0 {
            symbols[places[Int(length)]] = UInt16(symbol)
            places[Int(length)] += 1
        }
    }

    /// Reads a code.
    ///
    /// - Parameter alphabetCount: Symbols are below this; at most 32,768.
    init(_ bits: inout JXLBits, alphabetCount: Int) throws(JXLFault) {
        guard alphabetCount > 1 else {
            self.init()
            return
        }
        let kind = try bits.read(2)
        guard kind != 1 else {
            self = try Self.simple(&bits, alphabetCount)
            return
        }
        let lengthCode = try Self.lengthCode(&bits, skipping: kind)
        self.init(lengths: try Self.lengths(&bits, lengthCode, alphabetCount))
    }

    /// The next symbol.
    func symbol(_ bits: inout JXLBits) throws(JXLFault) -> Int {
        if counts[0] == 1 { return Int(symbols[0]) }
        var (word, firstWord, firstIndex) = (0, 0, 0)
        for length in 1...Self.maxLength {
            word = word << 1 | (try bits.read(1))
            firstWord <<= 1
            let count = counts[length]
            if word - firstWord < count { return Int(symbols[firstIndex + word - firstWord]) }
            firstWord += count
            firstIndex += count
        }
        throw .damaged("a code word stands for nothing")
    }

    // MARK: Reading codes

    /// One to four symbols, named one by one.
    private static func simple(_ bits: inout JXLBits, _ alphabetCount: Int) throws(JXLFault) -> Self {
        let width = JXLIntegerFormat.bitCount(upTo: alphabetCount - 1)
        var named: [Int] = []
        for _ in 0...(try bits.read(2)) {
            let symbol = try bits.read(width)
            guard symbol < alphabetCount, !named.contains(symbol) else { throw .damaged("a code names a wrong symbol") }
            named.append(symbol)
        }
        let wordLengths: [UInt8]
        switch named.count {
        case 1: return Self(only: named[0])
        case 2: wordLengths = [1, 1]
        case 3: wordLengths = [1, 2, 2]
        default: wordLengths = try bits.flag() ? [1, 2, 3, 3] : [2, 2, 2, 2]
        }
        var lengths = [UInt8](repeating: 0, count: alphabetCount)
        for (symbol, length) in zip(named, wordLengths) { lengths[symbol] = length }
        return Self(lengths: lengths)
    }

    /// In which order the lengths of the code for lengths are written.
    private static let lengthOrder = [1, 2, 3, 4, 0, 5, 17, 6, 16, 7, 8, 9, 10, 11, 12, 13, 14, 15]

    /// The code in which the lengths of the code words are written.
    private static func lengthCode(_ bits: inout JXLBits, skipping skipped: Int) throws(JXLFault) -> Self {
        var lengths = [UInt8](repeating: 0, count: lengthOrder.count)
        var space = 32
        var last = 0
        for symbol in lengthOrder.dropFirst(skipped) where space > 0 {
            let length = try lengthOfLength(&bits)
            lengths[symbol] = UInt8(length)
            guard length > 0 else { continue }
            space -= 32 >> length
            last = symbol
        }
        if lengths.count(where: { $0 > 0 }) == 1 { return Self(only: last) }
        guard space == 0 else { throw .damaged("a prefix code is incomplete") }
        return Self(lengths: lengths)
    }

    private static func lengthOfLength(_ bits: inout JXLBits) throws(JXLFault) -> Int {
        switch try bits.read(2) {
        case 0: return 0
        case 1: return 4
        case 2: return 3
        default: break
        }
        guard try bits.flag() else { return 2 }
        return try bits.flag() ? 5 : 1
    }

    private static func lengths(
        _ bits: inout JXLBits, _ code: Self, _ alphabetCount: Int
    ) throws(JXLFault) -> [UInt8] {
        var lengths: [UInt8] = []
        var space = 1 << maxLength
        var lastLength: UInt8 = 8
        var run = Run()
        while lengths.count < alphabetCount, space > 0 {
            let symbol = try code.symbol(&bits)
            let added: Int
            if symbol < 16 {
                run = Run()
                added = 1
                lengths.append(UInt8(symbol))
                if symbol > 0 { lastLength = UInt8(symbol) }
            } else {
                added = run.extend(symbol == 16 ? lastLength : 0, symbol - 14, try bits.read(symbol - 14))
                guard added <= alphabetCount - lengths.count else { throw .damaged("a prefix code is too long") }
                lengths += repeatElement(run.length, count: added)
            }
            if let length = lengths.last, length > 0 { space -= added << (maxLength - Int(length)) }
        }
        guard space == 0 else { throw .damaged("a prefix code is incomplete") }
        return lengths + repeatElement(0, count: alphabetCount - lengths.count)
    }

    /// The same length over and over; repeats that follow each other make one greater number.
    private struct Run {
        private(set) var length: UInt8 = 0
        private var count = 0

        /// How many lengths are added.
        mutating func extend(_ length: UInt8, _ bitCount: Int, _ extra: Int) -> Int {
            if length != self.length { count = 0 }
            self.length = length
            let before = count
            if count > 0 { count = (count - 2) << bitCount }
            count += extra + 3
            return count - before
        }
    }
}
