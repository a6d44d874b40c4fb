/// How a symbol and some bits behind it make a whole number: the hybrid integers of ISO/IEC 18181-1, annex C.
///
/// Symbols below 2^splitExponent are numbers themselves. Others say how long a number is, together with some of its
/// highest and lowest bits; those between follow in the stream.
struct JXLIntegerFormat {
    private let splitExponent: Int
    private let highBitCount: Int
    private let lowBitCount: Int

    /// - Parameter alphabetExponent: Symbols are below two to the power of this.
    init(_ bits: inout JXLBits, alphabetExponent: Int) throws(JXLFault) {
        splitExponent = try bits.read(Self.bitCount(upTo: alphabetExponent))
        guard splitExponent != alphabetExponent else {
            highBitCount = 0
            lowBitCount = 0
            return
        }
        highBitCount = try bits.read(Self.bitCount(upTo: splitExponent))
        guard highBitCount <= splitExponent else { throw .damaged("an integer format makes no sense") }
        lowBitCount = try bits.read(Self.bitCount(upTo: splitExponent - highBitCount))
        guard highBitCount + lowBitCount <= splitExponent else { throw .damaged("an integer format makes no sense") }
    }

    /// How many bits it takes to tell the numbers from 0 to this one apart.
    static func bitCount(upTo maximum: Int) -> Int {
        Int.bitWidth - maximum.leadingZeroBitCount
    }

    /// The number that a symbol begins.
    func number(_ symbol: Int, _ bits: inout JXLBits) throws(JXLFault) -> Int {
        let split = 1 << splitExponent
        guard symbol >= split else { return symbol }
        let middleBitCount =
            splitExponent - highBitCount - lowBitCount + (symbol - split) >> (highBitCount + lowBitCount)
        // The highest bit is one and is not written.
        guard middleBitCount + highBitCount + lowBitCount < 32 else { throw .damaged("a number has over 32 bits") }
        let high = symbol >> lowBitCount & (1 << highBitCount - 1) | 1 << highBitCount
        let low = symbol & (1 << lowBitCount - 1)
        return (high << middleBitCount | (try bits.read(middleBitCount))) << lowBitCount | low
    }
}

extension Int {
    /// The number that a positive one stands for: they go to and fro, from zero on.
    var signed: Int { self & 1 == 0 ? self / 2 : -(self + 1) / 2 }
}
