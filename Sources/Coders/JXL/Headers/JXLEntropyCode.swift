/// How numbers of several contexts are coded: everything that stands before the numbers themselves (ISO/IEC 18181-1,
/// annex C).
struct JXLEntropyCode {
    /// Symbols that stand for a number of those before.
    struct Repeats {
        let firstSymbol: Int
        let minCount: Int
        let countFormat: JXLIntegerFormat
    }

    enum Symbols {
        case prefix([JXLPrefixCode])
        case numeral([JXLAliasTable])
    }

    let repeats: Repeats?
    /// Which of the codes each context uses; with repeats the last is for distances.
    let clusters: [UInt8]
    let formats: [JXLIntegerFormat]
    let symbols: Symbols

    init(_ bits: inout JXLBits, contextCount: Int) throws(JXLFault) {
        try self.init(&bits, contextCount: contextCount, mayRepeat: true)
    }

    fileprivate init(_ bits: inout JXLBits, contextCount: Int, mayRepeat: Bool) throws(JXLFault) {
        repeats = try Self.repeats(&bits)
        guard mayRepeat || repeats == nil else { throw .damaged("a code repeats where it must not") }
        clusters = try JXLClusters.read(&bits, contextCount: contextCount + (repeats == nil ? 0 : 1))
        let count = Int(clusters.max() ?? 0) + 1
        let isPrefix = try bits.flag()
        let alphabetExponent = isPrefix ? 15 : try bits.read(2) + 5
        var formats: [JXLIntegerFormat] = []
        for _ in 0..<count { formats.append(try JXLIntegerFormat(&bits, alphabetExponent: alphabetExponent)) }
        self.formats = formats
        symbols =
            isPrefix
            ? .prefix(try Self.prefixCodes(&bits, count))
            : .numeral(try Self.aliasTables(&bits, count, alphabetExponent))
    }

    private static func repeats(_ bits: inout JXLBits) throws(JXLFault) -> Repeats? {
        guard try bits.flag() else { return nil }
        return Repeats(
            firstSymbol: try bits.number(.value(224), .value(512), .value(4096), .bits(15, from: 8)),
            minCount: try bits.number(.value(3), .value(4), .bits(2, from: 5), .bits(8, from: 9)),
            countFormat: try JXLIntegerFormat(&bits, alphabetExponent: 8))
    }

    private static func prefixCodes(_ bits: inout JXLBits, _ count: Int) throws(JXLFault) -> [JXLPrefixCode] {
        var sizes: [Int] = []
        for _ in 0..<count {
            guard try bits.flag() else {
                sizes.append(1)
                continue
            }
            let length = try bits.read(4)
            sizes.append(1 << length + (try bits.read(length)) + 1)
        }
        var codes: [JXLPrefixCode] = []
        for size in sizes {
            guard size <= 1 << 15 else { throw .damaged("a prefix code has too many symbols") }
            codes.append(try JXLPrefixCode(&bits, alphabetCount: size))
        }
        return codes
    }

    private static func aliasTables(
        _ bits: inout JXLBits, _ count: Int, _ alphabetExponent: Int
    ) throws(JXLFault) -> [JXLAliasTable] {
        var tables: [JXLAliasTable] = []
        for _ in 0..<count {
            tables.append(try JXLAliasTable(try JXLDistribution(&bits), alphabetExponent: alphabetExponent))
        }
        return tables
    }
}

/// Which contexts share a code.
enum JXLClusters {
    static func read(_ bits: inout JXLBits, contextCount: Int) throws(JXLFault) -> [UInt8] {
        guard contextCount > 1 else { return [0] }
        let clusters = try bits.flag() ? plain(&bits, contextCount) : coded(&bits, contextCount)
        let used = Set(clusters)
        guard used.count == Int(clusters.max() ?? 0) + 1 else { throw .damaged("a code belongs to no context") }
        return clusters
    }

    private static func plain(_ bits: inout JXLBits, _ count: Int) throws(JXLFault) -> [UInt8] {
        let width = try bits.read(2)
        var clusters: [UInt8] = []
        for _ in 0..<count { clusters.append(UInt8(try bits.read(width))) }
        return clusters
    }

    private static func coded(_ bits: inout JXLBits, _ count: Int) throws(JXLFault) -> [UInt8] {
        let movesToFront = try bits.flag()
        // Else each code could need one more for its own contexts, without end.
        let code = try JXLEntropyCode(&bits, contextCount: 1, mayRepeat: count > 2)
        var numbers = try JXLIntegerReader(code, &bits)
        var clusters: [UInt8] = []
        for _ in 0..<count {
            let number = try numbers.next(inContext: 0, &bits)
            guard let cluster = UInt8(exactly: number) else { throw .damaged("a context has no code") }
            clusters.append(cluster)
        }
        try numbers.finish()
        return movesToFront ? movedBack(clusters) : clusters
    }

    /// Undoes that each number was replaced by its place in a list, whose front it then went to.
    private static func movedBack(_ places: [UInt8]) -> [UInt8] {
        var list = [UInt8](0...255)
        return places.map { place in
            let value = list.remove(at: Int(place))
            list.insert(value, at: 0)
            return value
        }
    }
}
