import Dispatch
import Synchronization

/// Where one cache reads and writes files, in the order that `DiskLines` keeps: several reads and changes at once.
final class DiskQueues: Sendable {
    private let lines = Mutex(DiskLines())
    private let reads = StageQueue(.cache, limit: DiskQueues.readCount)
    private let changes = StageQueue(.store, limit: DiskQueues.changeCount)
    /// For what looks at the whole folder.
    private let whole = DispatchQueue(label: "webimage.cache.whole", qos: .utility)

    private static let readCount = 8
    private static let changeCount = 4

    /// Runs work that changes no file after the changes of the key that were asked for before; when the operation is
    /// cancelled before its turn, `nil` is the result.
    ///
    /// The work gets what it must see where that is known: then it waits for nobody.
    func read<Value: Sendable>(
        _ key: CacheKey, for operation: CurrentOperation,
        _ work: @escaping @Sendable (DiskChange?) -> Value, completion: @escaping @Sendable (Value?) -> Void
    ) {
        let (known, turns) = lines.withLock { lines -> (DiskChange?, [DiskLines.Turn]) in
            if let known = lines.known(key) { return (known, []) }
            let (_, turns) = lines.join(key, nil) { [self] place in
                reads.run(for: operation, stage: .cache, { .success(work(nil)) }) { [self] result in
                    finish(place)
                    completion(try? result.get())
                }
            }
            return (nil, turns)
        }
        for turn in turns { turn() }
        guard let known else { return }
        reads.run(for: operation, stage: .cache, { .success(work(known)) }, completion: { completion(try? $0.get()) })
    }

    /// The same, and returns when it is done.
    ///
    /// In a completion of this cache it runs at once: waiting there for others could wait for ever.
    func readNow<Value>(_ key: CacheKey, _ work: (DiskChange?) -> Value) -> Value {
        if let known = lines.withLock({ $0.known(key) }) { return work(known) }
        return alone(key, nil) { work(nil) }
    }

    /// Runs work that changes the entry of a key, after all that was asked of that key before.
    func change<Result: Sendable>(
        _ key: CacheKey, _ change: DiskChange, _ work: @escaping @Sendable () -> Result,
        completion: @escaping @Sendable (Result) -> Void
    ) {
        let (_, turns) = lines.withLock { lines in
            lines.join(key, change) { [self] place in run(place, work, completion: completion) }
        }
        for turn in turns { turn() }
    }

    /// The same, and returns when it is done; in a completion of this cache at once, as `readNow`.
    func changeNow<Result, Failure: Error>(
        _ key: CacheKey, _ change: DiskChange, _ work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try alone(key, change, work)
    }

    /// Runs work on the whole folder after all that was asked before and before all that is asked later.
    func clear(_ work: @escaping @Sendable () -> Void, completion: @escaping @Sendable () -> Void) {
        let turns = lines.withLock { lines in
            lines.clear { [self] place in run(place, work, completion: completion) }
        }
        for turn in turns { turn() }
    }

    /// Runs work on the whole folder after all that was asked before; later calls do not wait for it.
    func afterAll(_ work: @escaping @Sendable () -> Void) {
        let turns = lines.withLock { lines in
            lines.afterAll { [whole] _ in whole.async(execute: work) }
        }
        for turn in turns { turn() }
    }

    private func run<Result: Sendable>(
        _ place: DiskLines.Place, _ work: @escaping @Sendable () -> Result,
        completion: @escaping @Sendable (Result) -> Void
    ) {
        changes.run(for: CurrentOperation(), stage: .store, { .success(work()) }) { [self] result in
            finish(place)
            // Nobody cancels it.
            if case .success(let value) = result { completion(value) }
        }
    }

    /// Runs work on this thread when it is its turn.
    private func alone<Result, Failure: Error>(
        _ key: CacheKey, _ change: DiskChange?, _ work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if reads.isCurrent || changes.isCurrent { return try work() }
        let turn = DispatchSemaphore(value: 0)
        let (place, turns) = lines.withLock { lines in lines.join(key, change) { _ in turn.signal() } }
        for turn in turns { turn() }
        turn.wait()
        defer { finish(place) }
        return try work()
    }

    private func finish(_ place: DiskLines.Place) {
        for turn in lines.withLock({ $0.finish(place) }) { turn() }
    }
}
