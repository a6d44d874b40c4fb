/// The table of contents of a frame: its sections, in the order in which they follow it.
struct JXLSections {
    struct Section {
        /// Which part of the frame it is.
        let index: Int
        /// Its bytes, counted from the end of the table.
        let range: Range<Int>
    }

    /// The most that libjxl takes.
    static let maxCount = 65_536
    private static let contextCount = 8

    let inFileOrder: [Section]

    init(_ bits: inout JXLBits, sectionCount: Int) throws(JXLFault) {
        guard sectionCount <= Self.maxCount else { throw .excessive("a frame of \(sectionCount) sections") }
        let code = try bits.flag() ? Self.order(&bits, sectionCount) : []
        try bits.align()
        var ranges: [Range<Int>] = []
        for _ in 0..<sectionCount {
            let start = ranges.last?.upperBound ?? 0
            let count = try bits.number(
                .bits(10), .bits(14, from: 1024), .bits(22, from: 17_408), .bits(30, from: 4_211_712))
            ranges.append(start..<start + count)
        }
        try bits.align()
        inFileOrder = zip(JXLPermutation.indices(code, count: sectionCount), ranges).map(Section.init)
    }

    /// How many bytes follow the table.
    var byteCount: Int { inFileOrder.last?.range.upperBound ?? 0 }

    /// The order of the sections, a permutation in Lehmer's form without the zeros at its end.
    private static func order(_ bits: inout JXLBits, _ count: Int) throws(JXLFault) -> [Int] {
        let code = try JXLEntropyCode(&bits, contextCount: contextCount)
        var numbers = try JXLIntegerReader(code, &bits)
        let end = try numbers.next(inContext: context(count), &bits)
        guard end <= count else { throw .damaged("the order of its sections is too long") }
        var order: [Int] = []
        for index in 0..<end {
            order.append(try numbers.next(inContext: context(order.last ?? 0), &bits))
            guard order[index] < count - index else { throw .damaged("the order of its sections is none") }
        }
        try numbers.finish()
        return order
    }

    private static func context(_ number: Int) -> Int {
        min(contextCount - 1, JXLIntegerFormat.bitCount(upTo: number))
    }
}

/// A permutation, of whose elements each is told by its place among those that are left.
private enum JXLPermutation {
    /// Which element goes to each place.
    ///
    /// - Parameter code: The places of the first elements; all others are the first that is left.
    static func indices(_ code: [Int], count: Int) -> [Int] {
        var indices = Array(0..<count)
        guard !code.isEmpty else { return indices }
        // A tree of how many places are left, so that 65,536 of them take no time to speak of.
        let leafCount = 1 << JXLIntegerFormat.bitCount(upTo: count - 1)
        var left = [Int](repeating: 0, count: 2 * leafCount)
        for place in 0..<count { left[leafCount + place] = 1 }
        for node in (1..<leafCount).reversed() { left[node] = left[2 * node] + left[2 * node + 1] }
        for element in 0..<count {
            var rest = element < code.count ? code[element] : 0
            var node = 1
            left[1] -= 1
            while node < leafCount {
                node *= 2
                if rest >= left[node] {
                    rest -= left[node]
                    node += 1
                }
                left[node] -= 1
            }
            indices[node - leafCount] = element
        }
        return indices
    }
}
