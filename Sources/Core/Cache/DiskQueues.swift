import Dispatch

/// The queues that one cache reads and writes files on.
///
/// A key always goes to the same serial queue: calls about it keep their order, others run beside them.
final class DiskQueues: Sendable {
    private let stripes: [DispatchQueue]
    /// For what looks at the whole folder.
    private let whole: DispatchQueue

    private static let stripeCount = 4
    private static let owner = DispatchSpecificKey<ObjectIdentifier>()

    init() {
        stripes = (0..<Self.stripeCount).map {
            DispatchQueue(label: "webimage.cache.\($0)", qos: .userInitiated)
        }
        whole = DispatchQueue(label: "webimage.cache.whole", qos: .utility)
        for queue in stripes + [whole] { queue.setSpecific(key: Self.owner, value: ObjectIdentifier(self)) }
    }

    /// Runs work about one key after all that was given before about the same key.
    func async(_ address: DiskAddress, _ work: @escaping @Sendable () -> Void) {
        stripe(address.digest[...]).async(execute: work)
    }

    /// Runs work about one key after all that was given before about the same key, and returns when it is done.
    ///
    /// On one of these queues, as in a completion, it runs at once: waiting for another stripe there could wait for
    /// ever.
    func sync<Result, Failure: Error>(
        _ address: DiskAddress, _ work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if isCurrent { return try work() }
        let result: Swift.Result<Result, Failure> = stripe(address.digest[...]).sync {
            do throws(Failure) {
                return .success(try work())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Runs work on every stripe, in order with what each was given before and will be given after, then the
    /// completion. The work is told which digests are the stripe's.
    func async(
        onEach work: @escaping @Sendable (_ isOfStripe: (Substring) -> Bool) -> Void,
        completion: @escaping @Sendable () -> Void
    ) {
        let group = DispatchGroup()
        for (index, stripe) in stripes.enumerated() {
            stripe.async(group: group) { work { Self.index(of: $0) == index } }
        }
        group.notify(queue: whole, execute: completion)
    }

    /// Runs work on the whole folder after all that was given before; later calls do not wait for it.
    func asyncAfterAll(_ work: @escaping @Sendable () -> Void) {
        async(onEach: { _ in }, completion: work)
    }

    private var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.owner) == ObjectIdentifier(self) }

    private func stripe(_ digest: Substring) -> DispatchQueue { stripes[Self.index(of: digest)] }

    private static func index(of digest: Substring) -> Int {
        Int(digest.utf8.first ?? 0) % stripeCount
    }
}
