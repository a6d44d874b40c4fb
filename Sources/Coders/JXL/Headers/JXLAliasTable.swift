/// Which symbol a state of the decoder of asymmetric numeral systems stands for, found in one step (alias mapping,
/// ISO/IEC 18181-1, C.2.6).
///
/// All 4096 places lie in buckets of one size. The lower places of a bucket are its own symbol's, the others those of
/// one symbol that has more places than fit its own bucket.
struct JXLAliasTable {
    private struct Bucket {
        /// Where the places of the other symbol begin.
        var cutoff: Int
        var other: Int
        /// What a place of the other symbol gets added.
        var offset: Int
    }

    private var buckets: [Bucket]
    private let counts: [Int]
    private let bucketExponent: Int

    /// - Parameter alphabetExponent: Symbols are below two to the power of this.
    init(_ distribution: JXLDistribution, alphabetExponent: Int) throws(JXLFault) {
        let size = 1 << alphabetExponent
        guard distribution.counts.count <= size else { throw .damaged("a distribution has too many symbols") }
        counts = distribution.counts + repeatElement(0, count: size - distribution.counts.count)
        bucketExponent = 12 - alphabetExponent
        let bucketSize = 1 << bucketExponent
        if let only = counts.firstIndex(of: JXLDistribution.total) {
            buckets = (0..<size).map { Bucket(cutoff: 0, other: only, offset: bucketSize * $0) }
            return
        }
        buckets = counts.enumerated().map { Bucket(cutoff: $1, other: $0, offset: 0) }
        fill(bucketSize)
    }

    /// Gives the free places of a bucket to a symbol that has too many.
    private mutating func fill(_ bucketSize: Int) {
        var rich = buckets.indices.filter { buckets[$0].cutoff > bucketSize }
        var poor = buckets.indices.filter { buckets[$0].cutoff < bucketSize }
        while let giver = rich.popLast(), let taker = poor.popLast() {
            buckets[giver].cutoff -= bucketSize - buckets[taker].cutoff
            buckets[taker].other = giver
            buckets[taker].offset = buckets[giver].cutoff - buckets[taker].cutoff
            if buckets[giver].cutoff < bucketSize {
                poor.append(giver)
            } else if buckets[giver].cutoff > bucketSize {
                rich.append(giver)
            }
        }
        // A bucket that is full of its own symbol counts as the other's from its first place on.
        for index in buckets.indices where buckets[index].cutoff == bucketSize { buckets[index].cutoff = 0 }
    }

    /// The symbol of the lower 12 bits of a state, and the state behind it, before bits are added.
    func step(_ state: Int) -> (symbol: Int, state: Int) {
        let place = state & (JXLDistribution.total - 1)
        let index = place >> bucketExponent
        let bucket = buckets[index]
        let position = place & (1 << bucketExponent - 1)
        let isOther = position >= bucket.cutoff
        let symbol = isOther ? bucket.other : index
        let offset = isOther ? bucket.offset + position : position
        return (symbol, counts[symbol] * (state >> 12) + offset)
    }
}
