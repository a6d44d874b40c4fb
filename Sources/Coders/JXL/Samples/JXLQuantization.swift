/// Passes over how coefficients are quantised and which contexts they have (ISO/IEC 18181-1, annexes G.2.3 and I).
enum JXLQuantization {
    static func skip(_ bits: inout JXLBits, isModular: Bool) throws(JXLFault) {
        // Of the eighth.
        if try !bits.flag() { try bits.skipHalves(3) }
        guard !isModular else { return }
        _ = try bits.number(.bits(11), .bits(11), .bits(12), .bits(16))
        _ = try bits.number(.value(16), .bits(5), .bits(8), .bits(16))
        if try !bits.flag() { try skipContexts(&bits) }
        if try !bits.flag() { try skipCorrelation(&bits) }
    }

    private static func skipContexts(_ bits: inout JXLBits) throws(JXLFault) {
        let (channelCount, orderCount) = (3, 13)
        var contextCount = 1
        for _ in 0..<channelCount {
            let count = try bits.read(4)
            contextCount *= count + 1
            for _ in 0..<count { _ = try bits.number(.bits(4), .bits(8), .bits(16), .bits(32)) }
        }
        let count = try bits.read(4)
        contextCount *= count + 1
        for _ in 0..<count { _ = try bits.number(.bits(2), .bits(3), .bits(5), .bits(8)) }
        guard contextCount <= 64 else { throw .damaged("blocks have too many contexts") }
        _ = try JXLClusters.read(&bits, contextCount: channelCount * orderCount * contextCount)
    }

    /// Passes over how two of the colours follow from the third.
    private static func skipCorrelation(_ bits: inout JXLBits) throws(JXLFault) {
        _ = try bits.number(.value(84), .value(256), .bits(8), .bits(16))
        try bits.skipHalves(2)
        try bits.skip(2 * 8)
    }
}
