/// When the bytes of a body that arrives are to be put on disk. A value.
///
/// A body of less than a megabyte is not: it is here again sooner than it would pay. Of a larger one each quarter of a
/// megabyte is; of one whose length is not known, once a megabyte is here.
struct RecordingPlan {
    private let identity: BodyIdentity
    private var next: Int

    /// Bodies that are shorter are put on disk only when they are interrupted.
    static let leastByteCount = 1 << 20
    static let portionByteCount = 1 << 18

    /// `nil` where nothing is to be put on disk.
    ///
    /// - Parameter byteCount: How much of the body was there before it began to arrive.
    init?(_ identity: BodyIdentity, behind byteCount: Int) {
        guard Self.isWorthwhile(identity.totalByteCount) else { return nil }
        self.identity = identity
        next = Self.end(ofPortionAt: byteCount)
        if identity.totalByteCount == nil { next = max(next, Self.leastByteCount) }
    }

    /// Whether anything of a body of so many bytes is to be put on disk.
    static func isWorthwhile(_ totalByteCount: Int?) -> Bool {
        totalByteCount.map { $0 >= leastByteCount } ?? true
    }

    private static func end(ofPortionAt byteCount: Int) -> Int {
        (byteCount / portionByteCount + 1) * portionByteCount
    }

    /// What is to be put on disk, when that is due with so many bytes here.
    mutating func due(_ byteCount: Int) -> BodyIdentity? {
        guard byteCount >= next, byteCount < identity.totalByteCount ?? .max else { return nil }
        next = Self.end(ofPortionAt: byteCount)
        return identity
    }
}
