/// Who goes first where there is a queue.
public enum LoadPriority: Int, Sendable, Hashable, Comparable, CaseIterable {
    case low
    case normal
    case high

    /// Whether the first goes after the second.
    public static func < (first: LoadPriority, second: LoadPriority) -> Bool {
        first.rawValue < second.rawValue
    }
}
