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

    /// The writes that were begun. Mostly it is one, which takes no memory of its own.
    struct Begun {
        private var first: (target: Target, write: Write)?
        private var others: [Target: Write] = [:]

        subscript(target: Target) -> Write? {
            get { first?.target == target ? first?.write : others.isEmpty ? nil : others[target] }
            set {
                if first == nil || first?.target == target {
                    first = newValue.map { (target, $0) }
                } else {
                    others[target] = newValue
                }
            }
        }
    }

    private let writes = Mutex(Begun())

    /// Writes to a place, or returns when the one who came first has done so; with what could not be written.
    func once(
        _ key: CacheKey, in cache: any ImageCaching, _ write: () async -> ImageError?
    ) async -> ImageError? {
        guard begin(key, in: cache) else { return await end(of: Target(key: key, cache: ObjectIdentifier(cache))) }
        let error = await write()
        finish(key, in: cache, error)
        return error
    }

    /// Whether nobody came before. Then the caller writes, and says when that is done.
    func begin(_ key: CacheKey, in cache: any ImageCaching) -> Bool {
        let target = Target(key: key, cache: ObjectIdentifier(cache))
        return writes.withLock { writes in
            guard writes[target] == nil else { return false }
            writes[target] = Write()
            return true
        }
    }

    /// Tells those who wait what could not be written; only the first call counts.
    ///
    /// - Returns: Whether it was that.
    @discardableResult
    func finish(_ key: CacheKey, in cache: any ImageCaching, _ error: ImageError?) -> Bool {
        let target = Target(key: key, cache: ObjectIdentifier(cache))
        let waiters: [CheckedContinuation<ImageError?, Never>]? = writes.withLock { writes in
            guard let write = writes[target], !write.isDone else { return nil }
            writes[target] = Write(isDone: true, error: error)
            return write.waiters
        }
        for waiter in waiters ?? [] { waiter.resume(returning: error) }
        return waiters != nil
    }

    private func end(of target: Target) async -> ImageError? {
        await withCheckedContinuation { continuation in
            let done: Write? = writes.withLock { writes in
                var write = writes[target] ?? Write()
                guard !write.isDone else { return write }
                write.waiters.append(continuation)
                writes[target] = write
                return nil
            }
            if let done { continuation.resume(returning: done.error) }
        }
    }
}
