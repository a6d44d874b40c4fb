import Synchronization

/// The writes of a picture that several loads share: each is done once, and whoever wants may wait for it.
final class SharedWrites: Sendable {
    private struct Target: Hashable {
        let key: CacheKey
        let cache: ObjectIdentifier
    }

    private let begun = Mutex<[Target: Task<ImageError?, Never>]>([:])

    /// Returns when the first caller's write to this place is done, with what could not be written.
    func once(
        _ key: CacheKey, in cache: any ImageCaching, _ write: @escaping @Sendable () async -> ImageError?
    ) async -> ImageError? {
        let target = Target(key: key, cache: ObjectIdentifier(cache))
        let task = begun.withLock { begun in
            if let task = begun[target] { return task }
            let task = Task { await write() }
            begun[target] = task
            return task
        }
        return await task.value
    }
}
