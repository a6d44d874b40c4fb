import Synchronization
public import WebImageFoundation

extension CachesManager {
    /// See `ImageCaching`. By the query policy, of which the concurrent one is the serial one here.
    public func imageFromMemory(for key: CacheKey) -> DecodedImage? {
        for tier in chosen(\.query).tiers {
            if let image = tier.cache.imageFromMemory(for: key) { return image }
        }
        return nil
    }

    /// See `ImageCaching`. By the store policy.
    public func storeInMemory(_ image: DecodedImage, for key: CacheKey) {
        for tier in chosen(\.store).tiers { tier.cache.storeInMemory(image, for: key) }
    }

    /// See `ImageCaching`. By the query policy.
    public func data(for key: CacheKey, completion: @escaping @Sendable (CachedData?) -> Void) {
        let (tiers, policy) = chosen(\.query)
        let question: Question<CachedData> = { cache, completion in cache.data(for: key, completion: completion) }
        firstAnswer(of: tiers, policy, question) { found in
            if let found, found.tier.copiesHits { self.copy(found.answer, for: key, from: found.tier) }
            completion(found?.answer)
        }
    }

    /// See `ImageCaching`. By the query policy, of which the concurrent one is the serial one here; caches with a
    /// time-out are left out.
    public func diskData(for key: CacheKey) -> CachedData? {
        for tier in chosen(\.query).tiers where tier.timeout == nil {
            if let found = tier.cache.diskData(for: key) { return found }
        }
        return nil
    }

    /// See `ImageCaching`. By the query policy.
    public func metadata(for key: CacheKey, completion: @escaping @Sendable (DiskMetadata?) -> Void) {
        let (tiers, policy) = chosen(\.query)
        let question: Question<DiskMetadata> = { cache, completion in cache.metadata(for: key, completion: completion) }
        firstAnswer(of: tiers, policy, question) { completion($0?.answer) }
    }

    /// See `ImageCaching`. In every cache that the query policy names; those with a time-out are not waited for.
    public func updateValidators(
        _ validators: DiskMetadata.Validators, for key: CacheKey, completion: @escaping @Sendable () -> Void
    ) {
        let tiers = chosen(\.query).tiers
        let waiting = Countdown(tiers.count { $0.timeout == nil }, end: completion)
        for tier in tiers {
            tier.cache.updateValidators(validators, for: key) { if tier.timeout == nil { waiting.countDown() } }
        }
    }

    /// See `ImageCaching`. By the remove policy.
    public func removeVariants(of key: CacheKey, exceptMadeOf bodyDigest: String?) {
        for tier in chosen(\.remove).tiers { tier.cache.removeVariants(of: key, exceptMadeOf: bodyDigest) }
    }

    /// See `ImageCaching`. By the store policy.
    ///
    /// Caches with a time-out are not waited for. The completion gets an error only when none of the others took the
    /// bytes: that of the highest.
    public func storeData(
        _ data: Data, for key: CacheKey, metadata: DiskMetadata,
        completion: @escaping @Sendable (ImageError?) -> Void
    ) {
        let tiers = chosen(\.store).tiers
        let near = tiers.filter { $0.timeout == nil }
        let outcome = StoreOutcome(near.count)
        let waiting = Countdown(near.count) { completion(outcome.error) }
        var place = 0
        for tier in tiers {
            guard tier.timeout == nil else {
                storeUnwatched(data, for: key, metadata: metadata, in: tier)
                continue
            }
            tier.cache.storeData(data, for: key, metadata: metadata) { [place] error in
                if near.count > 1 { self.note(error, of: tier) }
                outcome.note(error, at: place)
                waiting.countDown()
            }
            place += 1
        }
    }

    /// See `ImageCaching`. By the remove policy.
    public func remove(_ key: CacheKey, from type: CacheType, completion: @escaping @Sendable () -> Void) {
        changeAll(\.remove, { cache, completion in cache.remove(key, from: type, completion: completion) }, completion)
    }

    /// See `ImageCaching`. By the contains policy; of the concurrent one every memory is asked before any disk.
    public func contains(
        _ key: CacheKey, in type: CacheType, completion: @escaping @Sendable (CacheType) -> Void
    ) {
        let (tiers, policy) = chosen(\.contains)
        let question = { @Sendable (type: CacheType) -> Question<CacheType> in
            { cache, completion in
                cache.contains(key, in: type) { completion($0 == .none ? nil : $0) }
            }
        }
        guard policy == .concurrent, type == .all else {
            return firstAnswer(of: tiers, policy, question(type)) { completion($0?.answer ?? .none) }
        }
        firstAnswer(of: tiers, policy, question(.memory)) { found in
            if let found { return completion(found.answer) }
            self.firstAnswer(of: tiers, policy, question(.disk)) { completion($0?.answer ?? .none) }
        }
    }

    /// See `ImageCaching`. By the clear policy.
    public func clear(_ type: CacheType, completion: @escaping @Sendable () -> Void) {
        changeAll(\.clear, { cache, completion in cache.clear(type, completion: completion) }, completion)
    }

    private func changeAll(
        _ policy: KeyPath<CachesPolicies, CachesPolicy>,
        _ change: @escaping @Sendable (any ImageCaching, _ completion: @escaping @Sendable () -> Void) -> Void,
        _ completion: @escaping @Sendable () -> Void
    ) {
        let tiers = chosen(policy).tiers
        let waiting = Countdown(tiers.count, end: completion)
        for tier in tiers {
            let question: Question<Void> = { cache, completion in change(cache) { completion(()) } }
            ask(tier, question) { _ in waiting.countDown() }
        }
    }

    /// Puts what a far cache had where it is near the next time, unless there is something newer by now.
    private func copy(_ found: CachedData, for key: CacheKey, from source: CacheTier) {
        for tier in chosen(\.store).tiers where tier.timeout == nil && tier.cache !== source.cache {
            tier.cache.contains(key, in: .disk) { place in
                guard place == .none else { return }
                self.storeUnwatched(found.data, for: key, metadata: found.metadata, in: tier)
            }
        }
    }

    private func storeUnwatched(_ data: Data, for key: CacheKey, metadata: DiskMetadata, in tier: CacheTier) {
        tier.cache.storeData(data, for: key, metadata: metadata) { self.note($0, of: tier) }
    }
}

/// How a store went in several caches.
private final class StoreOutcome: Sendable {
    private let errors: Mutex<[ImageError?]>

    init(_ count: Int) {
        errors = Mutex(Array(repeating: nil, count: count))
    }

    func note(_ error: ImageError?, at place: Int) {
        errors.withLock { $0[place] = error }
    }

    /// The first cache's error when no cache took the bytes.
    var error: ImageError? {
        errors.withLock { errors in errors.allSatisfy { $0 != nil } ? errors.first ?? nil : nil }
    }
}
