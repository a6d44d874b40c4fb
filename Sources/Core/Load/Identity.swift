import Synchronization

/// Tells one closure, or one jar, from all others of the process; copies are the same one.
struct Identity: Hashable, Sendable {
    private let number: UInt64
    private static let count = Atomic<UInt64>(0)

    init() {
        number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
