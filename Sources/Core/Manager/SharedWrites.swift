import Synchronization

/// The writes of a picture that several loads share: each is done once, and whoever wants may wait for it. It lies
/// within the object that they share.
struct SharedWrites: ~Copyable, Sendable {
    // Not private, since the compiler cannot lay out an object of another file with private parts in debug builds.
    struct Target: Hashable {
        let key: CacheKey
        let cache: ObjectIdentifier
    }

    struct Write {
        var isDone = false
        var error: ImageError?
        var waiters: [CheckedContinuation<ImageError?, Never>] = []
    }

    private let writes = Mutex<[Target: Write]>([:])

    /// Writes to a place, or returns when the one who came first has done so; with what could not be written.
    func once(
        _ key: CacheKey, in cache: any ImageCaching, _ write: () async -> ImageError?
    ) async -> ImageError? {
        let target = Target(key: key, cache: ObjectIdentifier(cache))
        guard begin(target) else { return await end(of: target) }
        let error = await write()
        for waiter in finish(target, error) { waiter.resume(returning: error) }
        return error
    }

    /// Whether nobody came before.
    private func begin(_ target: Target) -> Bool {
        writes.withLock { writes in
            guard writes[target] == nil else { return false }
            writes[target] = Write()
            return true
        }
    }

    private func end(of target: Target) async -> ImageError? {
        await withCheckedContinuation { continuation in
            let done: Write? = writes.withLock { writes in
                guard writes[target]?.isDone != true else { return writes[target] }
                writes[target, default: Write()].waiters.append(continuation)
                return nil
            }
            if let done { continuation.resume(returning: done.error) }
        }
    }

    private func finish(_ target: Target, _ error: ImageError?) -> [CheckedContinuation<ImageError?, Never>] {
        writes.withLock { $0.updateValue(Write(isDone: true, error: error), forKey: target) }?.waiters ?? []
    }
}
