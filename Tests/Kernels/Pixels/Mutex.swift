/// Embedded Swift has none; these programs have one thread.
struct Mutex<Value: ~Copyable>: ~Copyable {
    private let value: UnsafeMutablePointer<Value>

    init(_ initial: consuming Value) {
        value = .allocate(capacity: 1)
        value.initialize(to: initial)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
    }

    borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(&value.pointee)
    }
}

// With one thread there is nobody to protect it from.
extension Mutex: @unchecked Sendable {}
