import Dispatch
import Synchronization

/// The queues that one cache reads and writes files on.
///
/// What changes a key's entry always goes to the same serial queue: such calls keep their order, those about others run
/// beside them. Reads run at any time, so many at once.
final class DiskQueues: Sendable {
    private let stripes: [DispatchQueue]
    /// For what looks at the whole folder.
    private let whole: DispatchQueue
    private let reads = StageQueue(.cache, limit: DiskQueues.readCount)
    /// Calls on all stripes are put there one after the other, so that two never wait for each other.
    private let order = Mutex(())

    private static let stripeCount = 4
    private static let readCount = 8
    private static let owner = DispatchSpecificKey<ObjectIdentifier>()

    init() {
        stripes = (0..<Self.stripeCount).map {
            DispatchQueue(label: "webimage.cache.\($0)", qos: .userInitiated)
        }
        whole = DispatchQueue(label: "webimage.cache.whole", qos: .utility)
        for queue in stripes + [whole] { queue.setSpecific(key: Self.owner, value: ObjectIdentifier(self)) }
    }

    /// Runs work that changes no file beside all else; when the operation is cancelled before its turn, `nil` is the
    /// result.
    func read<Value: Sendable>(
        for operation: CurrentOperation = CurrentOperation(), _ work: @escaping @Sendable () -> Value,
        completion: @escaping @Sendable (Value?) -> Void
    ) {
        reads.run(for: operation, stage: .cache, { .success(work()) }, completion: { completion(try? $0.get()) })
    }

    /// Runs work about one key after all that was given before about the same key.
    func async(_ key: CacheKey, _ work: @escaping @Sendable () -> Void) {
        stripe(key).async(execute: work)
    }

    /// Runs work about one key after all that was given before about the same key, and returns when it is done.
    ///
    /// On one of these queues, as in a completion, it runs at once: waiting for another stripe there could wait for
    /// ever.
    func sync<Result, Failure: Error>(
        _ key: CacheKey, _ work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if isCurrent { return try work() }
        let result: Swift.Result<Result, Failure> = stripe(key).sync {
            do throws(Failure) {
                return .success(try work())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Runs work after all that was given before and before all that is given after, then the completion elsewhere.
    func asyncAlone(_ work: @escaping @Sendable () -> Void, completion: @escaping @Sendable () -> Void) {
        let arrival = Arrival(missing: stripes.count)
        order.withLock { _ in
            for stripe in stripes {
                stripe.async { [self] in
                    stripe.suspend()
                    guard arrival.isLast() else { return }
                    work()
                    for stripe in stripes { stripe.resume() }
                    whole.async(execute: completion)
                }
            }
        }
    }

    /// Runs work on the whole folder after all that was given before; later calls do not wait for it.
    func asyncAfterAll(_ work: @escaping @Sendable () -> Void) {
        let arrival = Arrival(missing: stripes.count)
        for stripe in stripes {
            stripe.async { [whole] in
                if arrival.isLast() { whole.async(execute: work) }
            }
        }
    }

    private var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.owner) == ObjectIdentifier(self) }

    private func stripe(_ key: CacheKey) -> DispatchQueue {
        stripes[Int(UInt(bitPattern: key.hashValue) % UInt(Self.stripeCount))]
    }
}

/// Counts those who come to one place.
private final class Arrival: Sendable {
    private let missing: Atomic<Int>

    init(missing: Int) {
        self.missing = Atomic(missing)
    }

    func isLast() -> Bool {
        missing.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
    }
}
