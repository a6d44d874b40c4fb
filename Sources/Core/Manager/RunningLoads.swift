import Synchronization

/// The loads of a manager that are under way.
final class RunningLoads: Sendable {
    private let operations = Mutex<[ObjectIdentifier: any ImageOperation]>([:])

    var count: Int { operations.withLock { $0.count } }

    func add(_ operation: any ImageOperation) {
        operations.withLock { $0[ObjectIdentifier(operation)] = operation }
    }

    func remove(_ operation: any ImageOperation) {
        _ = operations.withLock { $0.removeValue(forKey: ObjectIdentifier(operation)) }
    }

    func cancelAll() {
        for operation in operations.withLock({ Array($0.values) }) { operation.cancel() }
    }
}
