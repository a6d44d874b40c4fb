/// The table of contents of a frame: how many bytes its sections have, whatever their order.
enum JXLSections {
    /// The most that libjxl takes.
    static let maxCount = 65_536
    private static let contextCount = 8

    /// - Returns: How many bytes follow the table.
    static func byteCount(_ bits: inout JXLBits, sectionCount: Int) throws(JXLFault) -> Int {
        guard sectionCount <= maxCount else { throw .excessive("a frame of \(sectionCount) sections") }
        if try bits.flag() { try skipOrder(&bits, sectionCount) }
        try bits.align()
        var total = 0
        for _ in 0..<sectionCount {
            total += try bits.number(
                .bits(10), .bits(14, from: 1024), .bits(22, from: 17_408), .bits(30, from: 4_211_712))
        }
        try bits.align()
        return total
    }

    /// Passes over the order of the sections, a permutation in Lehmer's form.
    private static func skipOrder(_ bits: inout JXLBits, _ count: Int) throws(JXLFault) {
        let code = try JXLEntropyCode(&bits, contextCount: contextCount)
        var numbers = try JXLIntegerReader(code, &bits)
        let end = try numbers.next(inContext: context(count), &bits)
        guard end <= count else { throw .damaged("the order of its sections is too long") }
        var last = 0
        for index in 0..<end {
            last = try numbers.next(inContext: context(last), &bits)
            guard last < count - index else { throw .damaged("the order of its sections is none") }
        }
        try numbers.finish()
    }

    private static func context(_ number: Int) -> Int {
        min(contextCount - 1, JXLIntegerFormat.bitCount(upTo: number))
    }
}
