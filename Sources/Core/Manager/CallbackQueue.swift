public import Dispatch
import Synchronization

/// Where and how closures are called.
public struct CallbackQueue: Sendable {
    /// Whether a call may happen before the one who calls returns.
    public enum Policy: Sendable, Hashable {
        /// At once when already on the queue, else later on it.
        case safeExecute
        /// Always later on the queue.
        case dispatch
        /// Always at once, on whatever thread there is.
        case invoke
        /// At once on the main thread or queue, else later on it. For the main queue.
        case safeAsyncMainThread
    }

    /// Where calls go that do not happen at once; those for an actor go to its executor.
    public let queue: DispatchQueue
    /// When a call happens at once.
    public let policy: Policy
    /// Which queue it is: one queue may have many Swift objects, one after the other at one address.
    private let identity: UInt64?
    private var actor: (any Actor)?

    /// A queue of one's own with a policy.
    public init(_ queue: DispatchQueue, policy: Policy = .safeExecute) {
        self.queue = queue
        self.policy = policy
        identity = policy == .invoke ? nil : Self.identity(of: queue)
    }

    /// The executor of an actor: always later, on it, so that the actor's `assumeIsolated` holds in the closure.
    ///
    /// The closures of one load come in order, those of several in any. The actor is held until the last has run.
    public static func actor(_ actor: any Actor) -> CallbackQueue {
        var queue = CallbackQueue(.global(), policy: .dispatch)
        queue.actor = actor
        return queue
    }

    /// The main queue: at once on the main thread, so that a picture in memory shows without a flicker.
    ///
    /// A program that never runs the main queue (`dispatchMain`, an async `main`, or a GTK main loop bridged to it)
    /// never sees such a callback; a server uses the async forms or `.immediate`.
    public static let main = CallbackQueue(.main, policy: .safeAsyncMainThread)
    /// A concurrent queue of the system.
    public static let global = CallbackQueue(.global())
    /// On whatever thread the event happens, at once. The closure must be short.
    public static let immediate = CallbackQueue(.global(), policy: .invoke)

    /// Calls the closure as the policy says.
    public func async(_ work: @escaping @Sendable () -> Void) {
        guard !callsAtOnce else { return work() }
        guard let actor else { return queue.async(execute: work) }
        Task { await actor.call(work) }
    }

    /// Whether a call on this thread happens before the one who calls returns.
    var callsAtOnce: Bool {
        switch policy {
        case .invoke: true
        case .safeExecute: isCurrent
        case .safeAsyncMainThread: isMain
        case .dispatch: false
        }
    }

    /// Calls the closure and returns when it has run. Never from the actor whose executor it is: it would wait for
    /// itself.
    public func sync(_ work: @escaping @Sendable () -> Void) {
        guard actor == nil else { return wait(for: work) }
        let isInline = policy == .invoke || isCurrent || (policy == .safeAsyncMainThread && isMain)
        isInline ? work() : queue.sync(execute: work)
    }

    private func wait(for work: @escaping @Sendable () -> Void) {
        let end = DispatchSemaphore(value: 0)
        async {
            work()
            end.signal()
        }
        end.wait()
    }

    /// On Linux the main queue leaves the main thread once a program waits in `dispatchMain` or an async `main`.
    private var isMain: Bool { isCurrent || MainThread.isCurrent }

    private var isCurrent: Bool {
        identity != nil && DispatchQueue.getSpecific(key: Self.marker) == identity
    }

    private static let marker = DispatchSpecificKey<UInt64>()
    private static let identityCount = Mutex<UInt64>(0)

    private static func identity(of queue: DispatchQueue) -> UInt64 {
        identityCount.withLock { count in
            if let known = queue.getSpecific(key: marker) { return known }
            count += 1
            queue.setSpecific(key: marker, value: count)
            return count
        }
    }
}

extension Actor {
    fileprivate func call(_ work: @Sendable () -> Void) { work() }
}
