/// Reads the numbers that an entropy code is for, one by one.
struct JXLIntegerReader {
    /// What the decoder of asymmetric numeral systems ends with.
    private static let finalState = 0x13 << 16
    /// How far back a repeat may reach.
    private static let windowCount = 1 << 20

    private let code: JXLEntropyCode
    private var state = finalState
    /// The last numbers; none where the code has no repeats.
    private var window: [UInt32] = []
    private var decodedCount = 0
    /// How many numbers are still to be repeated, and from which on.
    private var repeatCount = 0
    private var repeatPlace = 0

    init(_ code: JXLEntropyCode, _ bits: inout JXLBits) throws(JXLFault) {
        self.code = code
        guard case .numeral = code.symbols else { return }
        state = try bits.read(32)
    }

    /// The next number, below 2^32.
    mutating func next(inContext context: Int, _ bits: inout JXLBits) throws(JXLFault) -> Int {
        if repeatCount == 0 {
            let cluster = Int(code.clusters[context])
            let symbol = try symbol(cluster, &bits)
            guard let repeats = code.repeats, symbol >= repeats.firstSymbol else {
                return keep(try code.formats[cluster].number(symbol, &bits))
            }
            repeatCount = try repeats.countFormat.number(symbol - repeats.firstSymbol, &bits) + repeats.minCount
            try findRepeated(&bits)
        }
        repeatCount -= 1
        let number = repeatPlace < decodedCount ? Int(window[repeatPlace % Self.windowCount]) : 0
        repeatPlace += 1
        return keep(number)
    }

    /// Throws where the numbers do not end as their writer began.
    func finish() throws(JXLFault) {
        guard state == Self.finalState else { throw .damaged("an entropy code ends wrong") }
    }

    private mutating func findRepeated(_ bits: inout JXLBits) throws(JXLFault) {
        let cluster = Int(code.clusters[code.clusters.count - 1])
        let symbol = try symbol(cluster, &bits)
        let distance = try code.formats[cluster].number(symbol, &bits) + 1
        // What would lie before the first number is zeros.
        repeatPlace = decodedCount - min(distance, decodedCount, Self.windowCount)
    }

    private mutating func symbol(_ cluster: Int, _ bits: inout JXLBits) throws(JXLFault) -> Int {
        switch code.symbols {
        case .prefix(let codes): return try codes[cluster].symbol(&bits)
        case .numeral(let tables):
            let step = tables[cluster].step(state)
            state = step.state < 1 << 16 ? step.state << 16 | (try bits.read(16)) : step.state
            return step.symbol
        }
    }

    private mutating func keep(_ number: Int) -> Int {
        guard code.repeats != nil else { return number }
        if window.count < Self.windowCount {
            window.append(UInt32(number))
        } else {
            window[decodedCount % Self.windowCount] = UInt32(number)
        }
        decodedCount += 1
        return number
    }
}
