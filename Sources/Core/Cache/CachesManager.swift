import Synchronization

/// Several caches that act as one: a program's own before a shared one, memory before files, near before far.
///
/// The last one added has the highest priority. Which of them a call reaches is said by `policies`. A cache that fails
/// or is late never fails a load: it counts as a miss, and as a store that was not needed. Changes are begun in every
/// cache they go to before the call returns, so that what is asked afterwards sees them. With no caches every call
/// completes at once: nothing is found, and nothing is stored.
///
/// Any thread. A completion is called once, on the thread of the cache that made it possible, without a lock.
public final class CachesManager: ImageCaching {
    let clock: any Clock<Duration>
    private let state: Mutex<State>

    private struct State {
        var tiers: [CacheTier]
        var policies: CachesPolicies
        var onWarning: (@Sendable (ImageError) -> Void)?
        /// The caches that failed the last time; each failure in a row is told once.
        var failing: Set<ObjectIdentifier> = []
    }

    /// A manager of caches with time-outs of their own, of which the last has the highest priority.
    ///
    /// `clock` measures the time-outs.
    public init(
        tiers: [CacheTier], policies: CachesPolicies = CachesPolicies(), clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.clock = clock
        state = Mutex(State(tiers: tiers, policies: policies))
    }

    /// A manager of caches that are waited for, of which the last has the highest priority.
    public convenience init(_ caches: [any ImageCaching] = [], policies: CachesPolicies = CachesPolicies()) {
        self.init(tiers: caches.map { CacheTier($0) }, policies: policies)
    }

    /// In the order in which they were added; a new list replaces all. Calls under way keep to the former list.
    public var tiers: [CacheTier] {
        get { state.withLock { $0.tiers } }
        set { state.withLock { $0.tiers = newValue } }
    }

    /// In the order in which they were added; a new list replaces all, without time-outs.
    public var caches: [any ImageCaching] {
        get { tiers.map(\.cache) }
        set { tiers = newValue.map { CacheTier($0) } }
    }

    /// Adds a cache with a time-out of its own; it has the highest priority now.
    public func add(_ tier: CacheTier) {
        state.withLock { $0.tiers.append(tier) }
    }

    /// Adds a cache that is waited for; it has the highest priority now.
    public func add(_ cache: any ImageCaching) {
        add(CacheTier(cache))
    }

    /// Removes a cache from the list; what it holds stays there.
    public func remove(_ cache: any ImageCaching) {
        state.withLock { state in
            state.tiers.removeAll { $0.cache === cache }
            state.failing.remove(ObjectIdentifier(cache))
        }
    }

    /// Which caches each kind of call goes to. A change holds for calls made afterwards.
    public var policies: CachesPolicies {
        get { state.withLock { $0.policies } }
        set { state.withLock { $0.policies = newValue } }
    }

    /// Told when a cache was late, or failed a store that its caller is not told of; once for each cache until it has
    /// worked again. Default `nil`. On whatever thread met the fault, without a lock; must be short.
    public var onWarning: (@Sendable (ImageError) -> Void)? {
        get { state.withLock { $0.onWarning } }
        set { state.withLock { $0.onWarning = newValue } }
    }
}

extension CachesManager {
    /// Those that a policy names, the highest priority first.
    func chosen(_ policy: KeyPath<CachesPolicies, CachesPolicy>) -> (tiers: [CacheTier], policy: CachesPolicy) {
        let (tiers, policy) = state.withLock { ($0.tiers, $0.policies[keyPath: policy]) }
        switch policy {
        case .serial, .concurrent: return (tiers.reversed(), policy)
        case .highestOnly: return (tiers.suffix(1), policy)
        case .lowestOnly: return (Array(tiers.prefix(1)), policy)
        }
    }

    /// Notes how a cache did, and warns of the first failure in a row.
    func note(_ failure: ImageError?, of tier: CacheTier) {
        let cache = ObjectIdentifier(tier.cache)
        let warn = state.withLock { state -> (@Sendable (ImageError) -> Void)? in
            guard failure != nil else {
                state.failing.remove(cache)
                return nil
            }
            return state.failing.insert(cache).inserted ? state.onWarning : nil
        }
        if let failure { warn?(failure) }
    }
}
