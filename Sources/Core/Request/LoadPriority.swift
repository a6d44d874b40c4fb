/// Who goes first where there is a queue.
public enum LoadPriority: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// Behind all others: for what may be wanted later, as by a prefetcher.
    case low
    /// What a load has unless its options say otherwise.
    case normal
    /// Before all others: for what somebody looks at just now.
    case high

    /// Whether the first goes after the second.
    public static func < (first: LoadPriority, second: LoadPriority) -> Bool {
        first.rawValue < second.rawValue
    }
}
