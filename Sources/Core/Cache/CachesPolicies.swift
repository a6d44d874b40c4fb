/// Which caches of a `CachesManager` a kind of call goes to, and in which order. The numbers are SDWebImage's.
public enum CachesPolicy: Int, Sendable, Hashable, CaseIterable {
    /// A question goes from the highest priority to the lowest and ends at the first that knows the answer. A change
    /// goes to all, the highest first.
    case serial = 0
    /// A question goes to all at once, and the first that knows the answer gives it; what is in memory before what is
    /// on disk. A change goes to all.
    case concurrent = 1
    /// Only the cache of the highest priority takes part.
    case highestOnly = 2
    /// Only the cache of the lowest priority takes part.
    case lowestOnly = 3
}

/// The policy of each kind of call to a `CachesManager`. The defaults are SDWebImage's.
public struct CachesPolicies: Sendable, Hashable {
    /// Of looking for a picture or for bytes. Default serial.
    public var query: CachesPolicy
    /// Of storing. Default the highest only.
    public var store: CachesPolicy
    /// Of removing one key. Default concurrent.
    public var remove: CachesPolicy
    /// Of asking whether a key is there. Default serial.
    public var contains: CachesPolicy
    /// Of emptying layers. Default concurrent.
    public var clear: CachesPolicy

    /// All defaults.
    public init() {
        query = .serial
        store = .highestOnly
        remove = .concurrent
        contains = .serial
        clear = .concurrent
    }
}
